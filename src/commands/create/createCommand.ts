import type { CreateArguments } from '../../engine/options/options.ts';
import { ImageNode } from '../../views/treeNode.ts';
import type { PlainCommand } from '../command.ts';
import { createInteractively, CREATE_FAILED } from './createInteractively.ts';
import { createAndStart, imageToPull, type CreatedContainer } from './createAndStart.ts';
import { createSchema } from './createSchema.ts';
import { pullWithCredentials } from '../registries/pullCommand.ts';

/** Creates a container, and starts it where asked to. */
export const createCommand: PlainCommand<CreateArguments, CreatedContainer> = {
  id: 'gantry.containers.create',
  schema: createSchema,
  failureTitle: CREATE_FAILED,
  run: (args, context, signal) =>
    createAndStart(args, context, signal, () =>
      pullWithCredentials(context, imageToPull(args), false, signal),
    ),
  runInteractive: async (context, [node]) => {
    const image = node instanceof ImageNode ? (node.reference ?? node.image.id) : undefined;
    return createInteractively(context, { draft: { image }, isFresh: true });
  },
};
