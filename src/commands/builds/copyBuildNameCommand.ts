import { BuildNode, StepNode } from '../../views/builds/buildNode.ts';
import type { PlainCommand } from '../command.ts';
import type { Ui } from '../ui.ts';
import { pickBuild, REF, type RefArguments } from './buildListCommands.ts';
import { buildOf } from './buildLogCommands.ts';

/** Copies the names of builds and steps, one line for each. */
export const copyBuildNameCommand = (
  ui: Ui,
): PlainCommand<RefArguments, { readonly outcome: 'copied' }> => ({
  id: 'gantry.builds.copyName',
  schema: REF,
  selects: 'build',
  takes: (row) => row instanceof BuildNode || row instanceof StepNode,
  failureTitle: ui.l10n.t('Could not copy the name'),
  run: async ({ ref }, context, signal) => {
    await ui.copy((await buildOf(ref, context, signal)).title);
    return { outcome: 'copied' };
  },
  runInteractive: async (context, nodes) => {
    const names = nodes.flatMap((node) => {
      if (node instanceof StepNode) return [node.step.step.name];
      return node instanceof BuildNode ? [node.build.title] : [];
    });
    const picked = names.length > 0 ? undefined : await pickBuild(context, () => true);
    if (names.length === 0 && !picked) return undefined;
    await ui.copy(picked?.title ?? names.join('\n'));
    return { outcome: 'copied' };
  },
});
