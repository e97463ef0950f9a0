import './fakeEditor.ts';
import assert from 'node:assert/strict';
import type { Command } from '../../../src/commands/frame/command.ts';
import type { CommandContext } from '../../../src/commands/frame/commandContext.ts';
import { EngineChoice } from '../../../src/commands/frame/engineChoice.ts';
import { PreferredEngine } from '../../../src/engines/preferredEngine.ts';
import type { Machine } from '../../../src/engine/http/endpoint.ts';
import type { OpenTunnel } from '../../../src/engine/http/tunnel.ts';
import { Engine } from '../../../src/engine/engine.ts';
import { keepTunnelOpen } from '../../../src/engine/ssh/keepTunnelOpen.ts';
import { candidatesOf, engineSpecs } from '../../../src/engines/engineSpecs.ts';
import { Engines, type EngineSpec } from '../../../src/engines/engines.ts';
import {
  EngineUnit,
  type CreateEngine,
  type EngineFactory,
} from '../../../src/engines/engineUnit.ts';
import { Watcher } from '../../../src/inventory/watcher.ts';
import type { Settings } from '../../../src/base/settings.ts';
import { machineWith } from '../engine/discovery/fakeFiles.ts';
import { fakeMemento } from './commandLab.ts';
import { FakeClock } from './fakeClock.ts';
import { ScriptedUi } from './scriptedUi.ts';

/** The engines of a window with settings in memory, and the commands for them. */
export interface EngineLab {
  readonly ui: ScriptedUi;
  readonly engines: Engines;
  readonly preferred: PreferredEngine;
  readonly choice: EngineChoice;
  /** Makes commands known, so that they can be run by their IDs. */
  register(commands: readonly Command[]): void;
  readonly maker: EngineFactory;
  /** The current settings. */
  readonly written: { engines: Readonly<Record<string, unknown>>; host: string };
  /** Sets the engines in the settings, as a user who edits them. */
  write(added: Readonly<Record<string, unknown>>): void;
  /** Runs a registered command, on a row as from a menu, or without as from the palette. */
  run(id: string, row?: unknown): Promise<unknown>;
  close(): void;
}

/** Opens a lab, by default on a machine without engines. Close it in `afterEach`. */
export async function openEngineLab(
  machine = machineWith({}),
  openTunnel?: OpenTunnel,
): Promise<EngineLab> {
  const { commandHandler } = await import('../../../src/commands/frame/commandHandler.ts');
  const ui = new ScriptedUi();
  const written: EngineLab['written'] = { engines: {}, host: '' };
  ui.settings = settingsIn(written);
  const maker = makerOf(machine, openTunnel);
  const engines = enginesOf(ui.settings, maker);
  const preferred = new PreferredEngine(fakeMemento());
  const contextOf = (unit: EngineUnit) => ({ ui, unit }) as unknown as CommandContext;
  const choice = new EngineChoice({ ui, engines, preferred, contextOf });
  const known = new Map<string, Command>();
  const frame = {
    ...{ ui, choice, showDetails: () => undefined, selection: () => [] },
    handlerOf: (id: string) => Promise.reject(new Error(`no command ${id}`)),
  };
  return {
    ...{ ui, engines, preferred, choice, maker, written },
    write: (added) => {
      written.engines = added;
      engines.update();
    },
    register: (commands) => {
      for (const command of commands) known.set(command.id, command);
    },
    run: (id, row) => {
      const command = known.get(id);
      assert(command, `${id} is not registered`);
      const handler = commandHandler(command, frame);
      return Promise.resolve(row === undefined ? handler() : handler(row));
    },
    close: () => engines.dispose(),
  };
}

function settingsIn(written: EngineLab['written']): Settings {
  return {
    host: () => written.host,
    engines: () => written.engines,
    setHost: (host: string) => Promise.resolve(void (written.host = host)),
    setEngines: (all: EngineLab['written']['engines']) =>
      Promise.resolve(void (written.engines = all)),
  } as Settings;
}

function makerOf(machine: Machine, openTunnel: OpenTunnel | undefined): EngineFactory {
  const createWith =
    (open: OpenTunnel | undefined): CreateEngine =>
    (_name, discover) =>
      new Engine({ discover, openTunnel: open });
  return {
    machine,
    version: '1.2.3',
    create: createWith(openTunnel),
    createTrial: createWith(openTunnel && keepTunnelOpen(openTunnel, new Map())),
  };
}

function enginesOf(settings: Settings, { machine, create }: EngineFactory): Engines {
  const open = (spec: EngineSpec) =>
    new EngineUnit({
      ...{ id: spec.id, name: spec.name },
      engine: create(spec.name, () => candidatesOf(spec, settings, machine)),
      watch: (engine, inventory) =>
        new Watcher({
          inventory,
          clock: new FakeClock(),
          connect: (signal) => engine.check(signal),
        }),
    });
  return new Engines({
    specs: () => engineSpecs(settings),
    open,
    memory: fakeMemento(),
  });
}
