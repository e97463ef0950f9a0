import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { registerCommands } from './commands/commands.ts';
import type { CommandContext } from './commands/context.ts';
import { Consent } from './commands/consent.ts';
import { Exits } from './commands/exits.ts';
import { RecentReferences } from './commands/recentReferences.ts';
import { describeError } from './commands/sentences.ts';
import { Engine } from './engine/engine.ts';
import type { RequestRecord } from './engine/requestRecord.ts';
import { Activity } from './inventory/activity.ts';
import { Inventory } from './inventory/inventory.ts';
import { Watcher } from './inventory/watcher.ts';
import { delay } from './lifetime.ts';
import { LogChannels } from './output/logChannels.ts';
import { PullProgress } from './output/pullProgress.ts';
import { settings } from './settings.ts';
import { createViews, type Views } from './views/views.ts';

/** Composition root: builds the pieces and hands them to one another. Asks nothing of any engine. */
export function activate({ subscriptions, globalState, extension }: vscode.ExtensionContext): void {
  const own = <T extends vscode.Disposable>(item: T): T => {
    subscriptions.push(item);
    return item;
  };
  const log = own(vscode.window.createOutputChannel('Gantry', { log: true }));
  const engine = own(openEngine(extension, log));
  const inventory = own(new Inventory());
  const activity = own(new Activity());
  const watcher = own(watcherOf(engine, inventory));
  own(
    settings.onDidChange('host', () => {
      engine.reset();
    }),
  );
  own(
    engine.onDidChangeEndpoint(() => {
      watcher.reconnect();
    }),
  );
  const views = own(viewsOf(inventory, activity, watcher));
  const logs = own(logsOf(engine, inventory, watcher));
  const pulls = own(new PullProgress((error) => describeError(error, vscode.l10n)));
  const memory = { consent: new Consent(globalState), recent: new RecentReferences(globalState) };
  const doing = { engine, inventory, activity, logs, pulls, exits: new Exits(), ...memory };
  own(registerCommands({ ...doing, ...showing(views, watcher) }, log));
}

const clock = { now: Date.now, delay };

function watcherOf(engine: Engine, inventory: Inventory): Watcher {
  return new Watcher({ inventory, clock, connect: (signal) => engine.check(signal) });
}

function viewsOf(inventory: Inventory, activity: Activity, watcher: Watcher): Views {
  const onFirstVisible = (): void => {
    watcher.start();
  };
  return createViews({ inventory, activity, clock, settings, l10n: vscode.l10n, onFirstVisible });
}

function logsOf(engine: Engine, inventory: Inventory, watcher: Watcher): LogChannels {
  return new LogChannels({
    connect: (signal) => engine.connect(signal),
    onDidChangeContainers: inventory.onDidChange,
    watch: () => {
      watcher.start();
    },
  });
}

/** What commands may do to the views: ask them, and have them ask the engine. */
function showing(
  views: Views,
  watcher: Watcher,
): Pick<CommandContext, 'selection' | 'reveal' | 'renew'> {
  return {
    selection: (kind, isFocused) =>
      isFocused || views.lastUsed === `${kind}s` ? views.selection(`${kind}s`) : [],
    reveal: (id, reference) => {
      views.reveal(id, reference);
    },
    renew: () => {
      watcher.renew();
    },
  };
}

function openEngine(extension: vscode.Extension<unknown>, log: vscode.LogOutputChannel): Engine {
  const { version } = extension.packageJSON as { readonly version: string };
  return new Engine({
    machine: { platform: process.platform, home: homedir(), env: process.env },
    hostSetting: settings.host,
    userAgent: `Gantry/${version}`,
    onRequest: (record) => {
      log.info(requestLine(record));
    },
  });
}

function requestLine({ method, path, outcome, milliseconds }: RequestRecord): string {
  return `${method} ${path} ${outcome} ${Math.round(milliseconds)} ms`;
}
