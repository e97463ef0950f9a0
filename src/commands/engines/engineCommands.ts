import * as l10n from '@vscode/l10n';
import type { EngineUnit } from '../../engines/engineUnit.ts';
import type { Engines } from '../../engines/engines.ts';
import { InputError } from '../../engine/errors.ts';
import type { Phase } from '../../inventory/phase.ts';
import type { WorkQueue } from '../../base/time.ts';
import { editorCommands, type Command, type EngineCommand } from '../frame/command.ts';
import type { PreferredEngine } from '../../engines/preferredEngine.ts';
import { formatName, formatNames } from '../ui/formatNames.ts';
import type { Ui } from '../ui/ui.ts';

/** The commands on engines. */
export function engineCommands(
  ui: Ui,
  engines: Engines,
  options: EngineCommandOptions,
): readonly Command[] {
  const { preferred } = options;
  return [
    onEngine({
      id: 'gantry.engines.connect',
      fits: (unit) => unit.isOff,
      failureTitle: (name) => l10n.t('Could not connect to {0}', name),
      run: (unit) => {
        const { isOff } = unit;
        engines.connect(unit);
        return { outcome: isOff ? 'connected' : 'alreadyConnected' };
      },
    }),
    onEngine({
      id: 'gantry.engines.disconnect',
      fits: (unit) => !unit.isOff,
      failureTitle: (name) => l10n.t('Could not disconnect from {0}', name),
      run: (unit) => {
        const { isOff } = unit;
        if (!isOff) engines.disconnect(unit);
        return { outcome: isOff ? 'alreadyDisconnected' : 'disconnected' };
      },
    }),
    ...defaultCommands(preferred),
    removeCommand(ui, options),
    ...editorCommands({
      'gantry.engines.useCommandLine': () => ui.settings.clearHost(),
      'gantry.engines.list': () => engines.all.map((unit) => listed(unit, preferred.id)),
    }),
  ];
}

/** Dependencies of the commands on engines besides the engines. */
interface EngineCommandOptions {
  readonly preferred: PreferredEngine;
  /** The changes of the engines in the settings, one after the other. */
  readonly writes: WorkQueue;
  /** Returns the names of the open shells and attached terminals of an engine. */
  readonly sessionsOf: (unit: EngineUnit) => Promise<readonly string[]>;
}

function defaultCommands(preferred: PreferredEngine): readonly EngineCommand[] {
  return [
    onEngine({
      id: 'gantry.engines.setDefault',
      fits: (unit) => unit.id !== preferred.id,
      failureTitle: (name) => l10n.t('Could not set {0} as the workspace default', name),
      run: async (unit) => {
        await preferred.set(unit.id);
        return { outcome: 'set' };
      },
    }),
    onEngine({
      id: 'gantry.engines.unsetDefault',
      fits: (unit) => unit.id === preferred.id,
      failureTitle: () => l10n.t('Could not clear the workspace default'),
      run: async () => {
        await preferred.set(undefined);
        return { outcome: 'unset' };
      },
    }),
  ];
}

function removeCommand(ui: Ui, options: EngineCommandOptions): EngineCommand {
  const { preferred, writes } = options;
  return onEngine({
    id: 'gantry.engines.remove',
    fits: (unit) => unit.isAdded,
    failureTitle: (name) => l10n.t('Could not remove {0}', name),
    confirm: (unit) => confirmRemoval(unit, ui, options),
    run: async (unit) => {
      if (!unit.isAdded) {
        throw new InputError(
          l10n.t('The default engine cannot be removed. Disconnect it instead.'),
        );
      }
      await writes.add(() => {
        const rest = Object.entries(ui.settings.engines()).filter(([name]) => name !== unit.name);
        return ui.settings.setEngines(Object.fromEntries(rest));
      });
      if (preferred.id === unit.id) await preferred.set(undefined);
      return { outcome: 'removed' };
    },
  });
}

/** Asks before a removal. Names what depends on the engine in this window. */
async function confirmRemoval(
  unit: EngineUnit,
  ui: Ui,
  { preferred, sessionsOf }: EngineCommandOptions,
): Promise<boolean> {
  const sessions = await sessionsOf(unit);
  const lines = [
    l10n.t(
      'This removes the engine from your settings only. Its containers and images are not affected.',
    ),
    preferred.id === unit.id ? l10n.t('It is the workspace default.') : '',
    sessions.length > 0
      ? l10n.t('Terminals that lose their connection: {0}.', formatNames(sessions))
      : '',
  ];
  return ui.confirm(
    l10n.t('Remove the engine {0} from Gantry?', formatName(unit.name)),
    lines.filter((line) => line !== '').join('\n'),
    l10n.t('Remove'),
  );
}

/** Creates a command on an engine. Infers its result type. */
function onEngine<const Result>(command: Omit<EngineCommand<Result>, 'on'>): EngineCommand<Result> {
  return { on: 'engine', ...command };
}

/** An engine in the result of `gantry.engines.list`. Plain JSON data. */
export interface ListedEngine {
  readonly name: string;
  readonly state: Exclude<Phase['kind'], 'idle'>;
  /** Whether the engine is the workspace default. */
  readonly isDefault: boolean;
  readonly url?: string;
  readonly product?: string;
  readonly version?: string;
  readonly api?: string;
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
