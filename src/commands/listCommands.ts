import * as vscode from 'vscode';
import type { Connection } from '../engine/http/connection.ts';
import { listContainers } from '../engine/containers/containers.ts';
import { listImages } from '../engine/images/images.ts';
import type { Container, Image } from '../engine/model.ts';
import type { CommandContext } from './context.ts';
import type { PlainCommand } from './command.ts';
import type { ArgumentSchema } from './arguments.ts';

const { l10n } = vscode;

interface ListArguments {
  readonly all?: boolean;
}

const shape: ArgumentSchema = { all: { kind: 'boolean' } };

/** The engine's containers, asked for now: never from what the views show. */
export const listContainersCommand: PlainCommand<ListArguments, readonly Container[]> = listCommand(
  'gantry.containers.list',
  l10n.t('Could not list the containers'),
  listContainers,
);

/** The engine's images, asked for now: never from what the views show. */
export const listImagesCommand: PlainCommand<ListArguments, readonly Image[]> = listCommand(
  'gantry.images.list',
  l10n.t('Could not list the images'),
  listImages,
);

function listCommand<Item>(
  id: string,
  failing: string,
  list: (connection: Connection, options: ListArguments) => Promise<readonly Item[]>,
): PlainCommand<ListArguments, readonly Item[]> {
  return {
    id,
    schema: shape,
    failureTitle: failing,
    run: async (args, context: CommandContext) => list(await context.engine.connect(), args),
    // Nobody is asked anything, so without an argument it is as with an empty one.
    runInteractive: 'asArgument',
  };
}
