import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { registerCommands } from './commands/commands.ts';
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
import { createViews } from './views/views.ts';

/** Composition root: builds the pieces and hands them to one another. Asks nothing of any engine. */
export function activate(context: vscode.ExtensionContext): void {
  const own = <T extends vscode.Disposable>(item: T): T => {
    context.subscriptions.push(item);
    return item;
  };
  const log = own(vscode.window.createOutputChannel('Gantry', { log: true }));
  const engine = own(openEngine(context, log));
  const inventory = own(new Inventory());
  const activity = own(new Activity());
  const clock = { now: Date.now, delay };
  const connect = (signal?: AbortSignal): ReturnType<Engine['check']> => engine.check(signal);
  const watcher = own(new Watcher({ inventory, connect, clock }));
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

  const watch = (): void => {
    watcher.start();
  };
  const views = own(
    createViews({ inventory, activity, clock, settings, l10n: vscode.l10n, onFirstVisible: watch }),
  );
  const logs = own(
    new LogChannels({
      connect: (signal) => engine.connect(signal),
      onDidChangeContainers: inventory.onDidChange,
      watch,
    }),
  );
  const pulls = own(new PullProgress((error) => describeError(error, vscode.l10n)));
  own(
    registerCommands(
      {
        engine,
        inventory,
        activity,
        logs,
        pulls,
        exits: new Exits(),
        consent: new Consent(context.globalState),
        recent: new RecentReferences(context.globalState),
        selection: (kind) => views.selection(`${kind}s`),
        reveal: (id, reference) => {
          views.reveal(id, reference);
        },
        renew: () => {
          watcher.start();
          watcher.renew();
        },
      },
      log,
    ),
  );
}

function openEngine(context: vscode.ExtensionContext, log: vscode.LogOutputChannel): Engine {
  const { version } = context.extension.packageJSON as { readonly version: string };
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
