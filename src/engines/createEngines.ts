import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { Engine } from '../engine/engine.ts';
import type { Machine } from '../engine/discovery/endpoint.ts';
import type { DiscoveryResult } from '../engine/discovery/endpointCandidate.ts';
import { watchEngineConfig } from '../engine/discovery/watchEngineConfig.ts';
import type { RequestRecord } from '../engine/http/requestRecord.ts';
import { sshTunnels } from '../engine/ssh/sshTunnels.ts';
import { watchSocket } from '../engine/discovery/watchSocket.ts';
import type { EngineFactory } from './engineFactory.ts';
import { candidatesOf, engineSpecs } from './engineSpecs.ts';
import { EngineUnit } from './engineUnit.ts';
import { DEFAULT_ENGINE, Engines } from './engines.ts';
import { disconnectedEngines } from './disconnectedEngines.ts';
import type { Clock } from '../time.ts';
import type { Inventory } from '../inventory/inventory.ts';
import { onWake } from '../inventory/onWake.ts';
import { Watcher } from '../inventory/watcher.ts';
import { DisposableStore, type Disposable } from '../lifetime.ts';
import { trackCliEngineMismatch } from './trackCliEngineMismatch.ts';
import { settings } from '../settings.ts';
import { showSshPrompt } from './showSshPrompt.ts';

/** This machine, as engines are looked for on it. */
function thisMachine(): Machine {
  return { platform: process.platform, home: homedir(), env: process.env };
}

/**
 * The engines of this window, kept in step with the settings, the context store and the machine's sleep. Asks
 * nothing of any engine before it is started.
 *
 * @param whenDone settles once what has to be said to the engines at the end has been said.
 */
export function createEngines(
  { workspaceState, subscriptions }: vscode.ExtensionContext,
  clock: Clock,
  { machine, create }: EngineFactory,
  whenDone: () => Promise<void>,
): Engines {
  const engines = new Engines({
    specs: () => engineSpecs(settings, vscode.l10n),
    disconnected: disconnectedEngines(workspaceState),
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
  subscriptions.push(disposedAfter(whenDone, engines), keptInStep(engines, machine));
  subscriptions.push(trackCliEngineMismatch(engines, machine));
  return engines;
}

/** The maker of this window's engines. */
export function createEngineFactory(
  context: vscode.ExtensionContext,
  log: vscode.LogOutputChannel,
): EngineFactory {
  const { version } = context.extension.packageJSON as { readonly version: string };
  const openTunnel = sshTunnels({
    ask: showSshPrompt,
    helper: context.asAbsolutePath('dist/askpass.cjs'),
    canShare: process.platform !== 'win32',
  });
  const make = (name: string, choose: () => Promise<DiscoveryResult>): Engine =>
    new Engine({
      discover: choose,
      openTunnel,
      userAgent: `Gantry/${version}`,
      onRequest: (record) => {
        log.info((name === '' ? '' : `${name}: `) + requestLine(record));
      },
    });
  return { machine: thisMachine(), version, create: make };
}

/**
 * What can be disposed at once, and is only when all is done: the editor does not wait for the last words before it
 * disposes what an extension owns.
 */
export function disposedAfter(whenDone: () => Promise<void>, owned: Disposable): Disposable {
  return {
    dispose: () => {
      void whenDone().finally(() => {
        owned.dispose();
      });
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

/** Watches the socket of an engine that was lost, and all that were looked at in vain: any may come. */
function watchSockets({ attempts }: Engine, lost: string, onBack: () => void): Disposable {
  const urls = new Set([lost, ...attempts.map(({ candidate }) => candidate.endpoint?.url ?? '')]);
  const store = new DisposableStore();
  for (const url of urls) {
    if (url.startsWith('unix://')) store.add(watchSocket(url.slice('unix://'.length), onBack));
  }
  return store;
}

/** What else than an engine's own events can make what is known of it untrue. */
function keptInStep(engines: Engines, machine: Machine): Disposable {
  const store = new DisposableStore();
  const reconsider = (): void => {
    for (const unit of engines.all) void unit.engine.reconsider();
  };
  store.add(
    settings.onDidChange('host', () => {
      // At once, and not once it is known that it leads elsewhere: the next command means the new one.
      engines.get(DEFAULT_ENGINE)?.engine.reset();
    }),
  );
  store.add(
    settings.onDidChange('engines', () => {
      engines.update();
    }),
  );
  store.add(watchEngineConfig(machine, reconsider));
  store.add(
    onWake(() => {
      engines.renew();
    }),
  );
  store.add(
    onFocus(() => {
      engines.refocus();
    }),
  );
  return store;
}

/** Fires when the window has the focus again; the editor tells other changes of the window in the same way. */
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
