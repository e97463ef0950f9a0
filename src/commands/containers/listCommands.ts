import * as l10n from '@vscode/l10n';
import type { Connection } from '../../engine/http/connection.ts';
import { listContainers } from '../../engine/containers/containers.ts';
import { listImages } from '../../engine/images/images.ts';
import type { CommandId } from '../commandIds.ts';
import type { PlainCommand } from '../frame/command.ts';

interface ListArguments {
  readonly all?: boolean;
}

/** The commands that list containers and images. They always ask the engine and never use what the views show. */
export const listCommands = (): readonly PlainCommand<ListArguments>[] => [
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
