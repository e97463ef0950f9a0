import * as l10n from '@vscode/l10n';
import {
  editorCommands,
  type Command,
  type PlainCommand,
  type TargetCommand,
} from '../frame/command.ts';
import type { CommandDependencies } from '../frame/commandDependencies.ts';
import { attachEditorCommand } from './attachEditorCommand.ts';
import { execCommand } from './execCommand.ts';
import { clipboardCommands } from './clipboardCommands.ts';
import { exportContainerCommand } from './exportContainerCommand.ts';
import { lifecycleCommands } from './lifecycleCommands.ts';
import { openInBrowserCommand } from './openInBrowserCommand.ts';
import { attachCommand, openShellCommand } from './terminalCommands.ts';
import { topCommand } from './topCommand.ts';
import { shellOptionsCommand } from './shellOptionsCommand.ts';
import { waitCommand } from './waitCommand.ts';
import type { Connection } from '../../engine/http/connection.ts';
import { listContainers, inspectContainer } from '../../engine/containers/containers.ts';
import { listImages, inspectImage } from '../../engine/images/images.ts';
import type { CommandId, Ui } from '../ui/ui.ts';
import { isMeasured, type ArrangedRows } from '../../views/arrangement/arrangements.ts';

/** The commands on containers, and those that containers and images have in common. */
export const commands = ({ ui, rows, maker }: CommandDependencies): readonly Command[] => [
  ...lifecycleCommands(ui),
  waitCommand(),
  openShellCommand(),
  shellOptionsCommand(),
  attachCommand(),
  execCommand(),
  openInBrowserCommand(ui),
  attachEditorCommand({ ui, maker }),
  exportContainerCommand(),
  topCommand(),
  ...inspectCommands(),
  ...clipboardCommands(ui),
  ...listCommands(),
  ...hideCommands(ui, rows),
  ...usageCommands(ui, rows),
];

/** The commands that hide stopped containers: in the settings, so what was chosen is dropped. */
function hideCommands(ui: Ui, rows: Pick<ArrangedRows, 'arrangements'>): readonly Command[] {
  const hide = (isHiding: boolean) => async () => {
    await ui.settings.setHideStopped(isHiding);
    rows.arrangements.reset('containers', 'isHiding');
  };
  return editorCommands({
    'gantry.containers.hideStopped': hide(true),
    'gantry.containers.showStopped': hide(false),
  });
}

/** The commands that show CPU and memory in the rows, or hide them. */
function usageCommands(ui: Ui, rows: Pick<ArrangedRows, 'arrangements'>): readonly Command[] {
  return editorCommands({
    'gantry.containers.showUsage': () => ui.settings.setContainerStatistics(true),
    'gantry.containers.hideUsage': async () => {
      await ui.settings.setContainerStatistics(false);
      // Rows that are sorted by it show it, too.
      const { arrangements } = rows;
      if (isMeasured(arrangements.of('containers').sortBy))
        arrangements.reset('containers', 'sortBy');
    },
  });
}

interface ListArguments {
  readonly all?: boolean;
}

/** The commands that list containers and images. They always ask the engine and never use what the views show. */
const listCommands = (): readonly PlainCommand<ListArguments>[] => [
  listCommand('gantry.containers.list', l10n.t('Could not list the containers'), listContainers),
  listCommand('gantry.images.list', l10n.t('Could not list the images'), listImages),
];

function listCommand<Item>(
  id: CommandId,
  failureTitle: string,
  list: (connection: Connection, options: ListArguments) => Promise<readonly Item[]>,
): PlainCommand<ListArguments, readonly Item[]> {
  return {
    id,
    schema: { all: { kind: 'boolean' } },
    failureTitle,
    run: async (args, { engine }) => list(await engine.connect(), args),
  };
}

/**
 * The inspect commands. They return the engine's complete response, and show it to the user as a read-only
 * document.
 */
function inspectCommands(): readonly TargetCommand[] {
  const inspecting = (
    kind: 'container' | 'image',
    inspect: typeof inspectContainer | typeof inspectImage,
  ): Pick<TargetCommand, 'on' | 'progressTitle' | 'failureTitle' | 'run'> => ({
    on: kind,
    progressTitle: (name) => l10n.t('Inspecting {0}', name),
    failureTitle: (name) => l10n.t('Could not inspect {0}', name),
    run: async (call) => {
      const { id, name, context } = await call.target();
      const { raw } = await inspect(await call.connect(), id, call.signal);
      if (call.isInteractive) await context.ui.showJson(context.unit.id, kind, name, raw);
      return raw;
    },
  });
  return [
    { id: 'gantry.containers.inspect', ...inspecting('container', inspectContainer) },
    { id: 'gantry.images.inspect', ...inspecting('image', inspectImage) },
  ];
}
