import type { CreateArguments } from '../../engine/options/createSpec.ts';
import { ImageNode } from '../../views/nodes.ts';
import type { PlainCommand } from '../command.ts';
import { askAndCreate, FAILING } from './createForPerson.ts';
import { create, imageOf, type Created } from './createRun.ts';
import { createShape } from './createShape.ts';
import { pullFor } from '../registries/pullCommand.ts';

/** Creates a container, and starts it where asked to. */
export const createCommand: PlainCommand<CreateArguments, Created> = {
  id: 'gantry.containers.create',
  shape: createShape,
  failing: FAILING,
  run: (args, context, signal) =>
    create(args, context, signal, () => pullFor(context, imageOf(args), false, signal)),
  person: async (context, [node]) => {
    const image = node instanceof ImageNode ? (node.reference ?? node.image.id) : undefined;
    return askAndCreate(context, { draft: { image }, isFresh: true });
  },
};
