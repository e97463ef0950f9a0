import * as vscode from 'vscode';
import type { EngineUnit } from '../../engines/engineUnit.ts';
import { DEFAULT_ENGINE, type Engines } from '../../engines/engines.ts';
import { InputError } from '../../engine/errors.ts';
import type { Phase } from '../../inventory/inventory.ts';
import { settings } from '../../settings.ts';
import type { EngineCommand } from '../command.ts';
import { confirm } from '../notifications.ts';
import type { PreferredEngine } from './preferredEngine.ts';
import type { CommandRegistry } from '../commandRegistry.ts';
import { formatName } from '../displayText.ts';

const { l10n } = vscode;

interface Outcome<Word extends string> {
  readonly outcome: Word;
}

/** Registers what can be done with the engines themselves. */
export function registerEngineCommands(
  registry: CommandRegistry,
  engines: Engines,
  preferred: PreferredEngine,
): void {
  registry.engine(connectCommand(engines));
  registry.engine(disconnectCommand(engines));
  registry.engine(setDefaultCommand(preferred));
  registry.engine(unsetDefaultCommand(preferred));
  registry.engine(removeCommand(preferred));
  registry.simple('gantry.engines.useCommandLine', () => settings.clearHost());
  registry.simple('gantry.engines.list', () =>
    engines.all.map((unit) => listed(unit, preferred.id)),
  );
}

/** One engine as `gantry.engines.list` tells it. Plain JSON data. */
export interface ListedEngine {
  readonly name: string;
  readonly state: Exclude<Phase['kind'], 'idle'>;
  /** Whether commands mean it in this workspace where nothing else says which. */
  readonly isDefault: boolean;
  readonly url?: string;
  readonly product?: string;
  readonly version?: string;
  readonly api?: string;
}

function connectCommand(
  engines: Engines,
): EngineCommand<Outcome<'connected' | 'alreadyConnected'>> {
  return {
    id: 'gantry.engines.connect',
    fits: (unit) => unit.isOff,
    failureTitle: (name) => l10n.t('Could not connect {0}', name),
    run: (unit) => {
      const { isOff } = unit;
      engines.connect(unit);
      return { outcome: isOff ? 'connected' : 'alreadyConnected' };
    },
  };
}

function disconnectCommand(
  engines: Engines,
): EngineCommand<Outcome<'disconnected' | 'alreadyDisconnected'>> {
  return {
    id: 'gantry.engines.disconnect',
    fits: (unit) => !unit.isOff,
    failureTitle: (name) => l10n.t('Could not disconnect {0}', name),
    run: (unit) => {
      const { isOff } = unit;
      if (!isOff) engines.disconnect(unit);
      return { outcome: isOff ? 'alreadyDisconnected' : 'disconnected' };
    },
  };
}

function setDefaultCommand(preferred: PreferredEngine): EngineCommand<Outcome<'set'>> {
  return {
    id: 'gantry.engines.setDefault',
    fits: (unit) => unit.id !== preferred.id,
    failureTitle: (name) => l10n.t('Could not make {0} the default', name),
    run: async (unit) => {
      await preferred.set(unit.id);
      return { outcome: 'set' };
    },
  };
}

function unsetDefaultCommand(preferred: PreferredEngine): EngineCommand<Outcome<'unset'>> {
  return {
    id: 'gantry.engines.unsetDefault',
    fits: (unit) => unit.id === preferred.id,
    failureTitle: (name) => l10n.t('Could not change the default {0}', name),
    run: async () => {
      await preferred.set(undefined);
      return { outcome: 'unset' };
    },
  };
}

function removeCommand(preferred: PreferredEngine): EngineCommand<Outcome<'removed'>> {
  return {
    id: 'gantry.engines.remove',
    fits: (unit) => unit.id !== DEFAULT_ENGINE,
    failureTitle: (name) => l10n.t('Could not remove {0}', name),
    confirm: (unit) =>
      confirm(
        l10n.t('Remove the engine {0} from Gantry?', formatName(unit.name)),
        l10n.t('Only the entry in the settings goes. The engine and all it has stay as they are.'),
        l10n.t('Remove'),
      ),
    run: async (unit) => {
      if (unit.id === DEFAULT_ENGINE) throw new InputError(cannotRemove(unit.name));
      const rest = Object.entries(settings.engines()).filter(([name]) => name !== unit.name);
      await settings.setEngines(Object.fromEntries(rest));
      if (preferred.id === unit.id) await preferred.set(undefined);
      return { outcome: 'removed' };
    },
  };
}

function cannotRemove(name: string): string {
  return l10n.t(
    '{0} is the engine your command line uses, and cannot be removed. Disconnect it instead.',
    name,
  );
}

function listed(unit: EngineUnit, preferredId: string | undefined): ListedEngine {
  const { phase } = unit.inventory;
  const url = unit.engine.endpoint?.url;
  const info = phase.kind === 'live' ? phase.info : undefined;
  return {
    name: unit.name,
    state: phase.kind === 'idle' ? 'connecting' : phase.kind,
    isDefault: unit.id === preferredId,
    ...(url !== undefined && { url }),
    ...(info && { product: info.product, api: info.api }),
    ...(info?.version !== undefined && { version: info.version }),
  };
}
