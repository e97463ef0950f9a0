import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { Engine } from '../engine/engine.ts';
import type { Machine } from '../engine/http/endpoint.ts';
import { EngineConfigWatch } from '../engine/discovery/engineConfigWatch.ts';
import type { OpenTunnel, SpareTunnels } from '../engine/http/tunnel.ts';
import type { RequestRecord } from '../engine/http/requestRecord.ts';
import { keepTunnelOpen } from '../engine/ssh/keepTunnelOpen.ts';
import { sshTunnels } from '../engine/ssh/sshTunnels.ts';
import { SocketWatch } from '../engine/discovery/socketWatch.ts';
import { candidatesOf, engineSpecs } from './engineSpecs.ts';
import { DEFAULT_ENGINE, EngineUnit, type CreateEngine, type EngineFactory } from './engineUnit.ts';
import { Engines } from './engines.ts';
import type { Clock } from '../base/time.ts';
import type { Inventory } from '../inventory/inventory.ts';
import { onWake } from './onWake.ts';
import { Watcher } from '../inventory/watcher.ts';
import { DisposableStore, toDisposable, type Disposable } from '../base/lifetime.ts';
import { settings } from '../base/settings.ts';
import { oneAtATime, showSshPrompt } from './showSshPrompt.ts';
import { compareWithCli } from './compareWithCli.ts';

/**
 * Creates the engines of this window and keeps them up to date with the settings, the Docker context store and the
 * computer's sleep. Sends no request to an engine before it is started.
 *
 * @param whenDone resolves when the last requests to the engines, such as those of closing terminals, are done.
 */
export function createEngines(
  { workspaceState, subscriptions }: vscode.ExtensionContext,
  clock: Clock,
  { machine, create }: EngineFactory,
  whenDone: () => Promise<void>,
): Engines {
  const engines = new Engines({
    specs: () => engineSpecs(settings),
    memory: workspaceState,
    open: (spec) =>
      new EngineUnit({
        id: spec.id,
        name: spec.name,
        engine: create(spec.id === DEFAULT_ENGINE ? '' : spec.name, () =>
          candidatesOf(spec, settings, machine),
        ),
        watch: (engine, inventory) => watcherOf(engine, inventory, clock),
      }),
  });
  const compare = cliComparison(engines, machine);
  subscriptions.push(disposedAfter(whenDone, engines), keptInStep(engines, machine, compare));
  subscriptions.push(
    engines.onDidChangeInventory(({ phase }) => {
      if (phase) compare();
    }),
  );
  return engines;
}

/** Creates the factory of this window's engines. */
export function createEngineFactory(
  context: vscode.ExtensionContext,
  log: vscode.LogOutputChannel,
): EngineFactory {
  const { version } = context.extension.packageJSON as { readonly version: string };
  const spare: SpareTunnels = new Map();
  const openTunnel = sshTunnels(
    {
      ask: oneAtATime(showSshPrompt),
      helper: context.asAbsolutePath('dist/askpass.cjs'),
      canShare: process.platform !== 'win32',
    },
    spare,
  );
  context.subscriptions.push(
    toDisposable(() => {
      for (const { tunnel } of spare.values()) tunnel.dispose();
    }),
  );
  const createWith =
    (open: OpenTunnel): CreateEngine =>
    (name, discover) =>
      new Engine({
        discover,
        openTunnel: open,
        userAgent: `Gantry/${version}`,
        onRequest: (record) => {
          const line = (name === '' ? '' : `${name}: `) + requestLine(record);
          if (record.isRoutine) log.debug(line);
          else log.info(line);
        },
      });
  return {
    machine: { platform: process.platform, home: homedir(), env: process.env },
    version,
    create: createWith(openTunnel),
    createTrial: createWith(keepTunnelOpen(openTunnel, spare)),
  };
}

/**
 * Returns a disposable that disposes `owned` only after `whenDone` has settled, because VS Code does not wait
 * for an extension's last requests before it disposes the subscriptions.
 */
export function disposedAfter(whenDone: () => Promise<void>, owned: Disposable): Disposable {
  return {
    dispose: () => {
      void whenDone().finally(() => owned.dispose());
    },
  };
}

function watcherOf(engine: Engine, inventory: Inventory, clock: Clock): Watcher {
  return new Watcher({
    inventory,
    clock,
    connect: (signal) => engine.check(signal),
    whenBack: ({ endpoint = '' }, onBack) => watchSockets(engine, endpoint, onBack),
  });
}

/** Watches the sockets of the lost engine and of all failed candidates, because any of them may come up. */
function watchSockets({ attempts }: Engine, lost: string, onBack: () => void): Disposable {
  const urls = new Set([lost, ...attempts.map(({ candidate }) => candidate.endpoint?.url ?? '')]);
  const store = new DisposableStore();
  for (const url of urls) {
    if (url.startsWith('unix://')) store.add(new SocketWatch(url.slice('unix://'.length), onBack));
  }
  return store;
}

/**
 * Reacts to changes that an engine's own events do not report: settings, contexts, wake-up and window focus.
 *
 * @param compare called when the engine of the Docker CLI may be another one.
 */
function keptInStep(engines: Engines, machine: Machine, compare: () => void): Disposable {
  const store = new DisposableStore();
  const reconsider = (): void => {
    for (const unit of engines.all) void unit.engine.reconsider();
    compare();
  };
  const reset = (): void => {
    // Reset immediately, before discovery: the next command is intended for the new engine.
    engines.get(DEFAULT_ENGINE)?.engine.reset();
  };
  const update = (): void => engines.update();
  const renew = (): void => {
    for (const unit of engines.all) unit.requests.renew();
  };
  const refocus = (): void => {
    for (const unit of engines.all) unit.requests.refocus();
  };
  store.add(settings.onDidChange('host', reset));
  store.add(settings.onDidChange('engines', update));
  store.add(new EngineConfigWatch(machine, reconsider));
  store.add(onWake(renew, vscode.window.onDidChangeWindowState));
  store.add(onFocus(refocus));
  return store;
}

/** Calls back when the window regains the focus. VS Code's event also fires for other changes of the window. */
function onFocus(onRegained: () => void): Disposable {
  let { focused } = vscode.window.state;
  return vscode.window.onDidChangeWindowState((state) => {
    const isRegained = state.focused && !focused;
    focused = state.focused;
    if (isRegained) onRegained();
  });
}

function requestLine({ method, path, outcome, milliseconds }: RequestRecord): string {
  return `${method} ${path} ${outcome} ${Math.round(milliseconds)} ms`;
}

/**
 * Returns a function that updates the context key `gantry.isOtherEngine`: whether `gantry.host` selects another engine
 * than the Docker CLI. Does nothing until the default engine is found or lost: before, the user sees no hint.
 */
function cliComparison(engines: Engines, machine: Machine): () => void {
  const compare = async (): Promise<void> => {
    const host = settings.host();
    const cli = host === '' ? undefined : (await compareWithCli(host, machine)).cli;
    // A changed setting triggers its own check.
    if (settings.host() !== host) return;
    await vscode.commands.executeCommand('setContext', 'gantry.isOtherEngine', cli !== undefined);
  };
  return () => {
    const kind = engines.get(DEFAULT_ENGINE)?.inventory.phase.kind;
    // If the hint cannot be determined, nothing has failed.
    if (kind === 'lost' || kind === 'live') compare().catch(() => undefined);
  };
}
