import * as vscode from 'vscode';

import type { CreateArguments } from '../engine/createSpec.ts';
import { InputError } from '../engine/errors.ts';
import { isCancellation } from '../lifetime.ts';
import type { PlainCommand } from './command.ts';
import type { CommandContext } from './context.ts';
import { create, imageOf, type Created } from './createRun.ts';
import { confirm, helpFor, showError, showWarning, withProgress } from './person.ts';
import { pullFor } from './pullCommand.ts';
import { findRecipe, helpForRecipe, pickRecipe, readRecipeAt } from './recipeFiles.ts';
import { describeFailure } from './sentences.ts';

const { l10n } = vscode;

interface RecipeArguments {
  /** Full, from a folder of the workspace on, or a URI. */
  readonly path: string;
}

/** Creates a container from a recipe, and starts it where the recipe says so. */
export const createFromRecipeCommand: PlainCommand<RecipeArguments, Created> = {
  id: 'gantry.recipes.create',
  shape: { path: { kind: 'text', required: true } },
  failing: l10n.t('Could not create the container'),
  ofUri: (uri) => ({ path: uri.toString() }),
  run: async ({ path }, context, signal) => {
    if (!vscode.workspace.isTrusted) {
      throw new InputError(
        l10n.t('The workspace is not trusted, so nothing is created from its recipes unasked.'),
      );
    }
    const args = await readRecipeAt(await findRecipe(path));
    return create(args, context, signal, () => pullFor(context, imageOf(args), false, signal));
  },
  person: async (context, _nodes, args) => {
    const uri = args ? await findRecipe(args.path) : await pickRecipe();
    return uri && createForPerson(uri, context);
  },
};

async function createForPerson(
  uri: vscode.Uri,
  context: CommandContext,
): Promise<Created | undefined> {
  try {
    const args = await readRecipeAt(uri);
    if (!vscode.workspace.isTrusted && !(await confirmUntrusted(uri, args))) return undefined;
    const title = l10n.t('Creating a container of {0}', args.image);
    const created = await withProgress(title, 'late', (signal) =>
      create(args, context, signal, () => pullFor(context, imageOf(args), true, signal)),
    );
    context.reveal(created.id);
    if (created.warnings.length > 0) showWarning(created.warnings.join(' '));
    return created;
  } catch (error) {
    if (isCancellation(error)) return undefined;
    const sentence = describeFailure(createFromRecipeCommand.failing, error, l10n);
    showError(sentence, ...helpForRecipe(error, uri), ...helpFor(error));
    return undefined;
  }
}

/** Says what would be made: a stranger's recipe may hand a stranger's program all of the machine. */
async function confirmUntrusted(uri: vscode.Uri, args: CreateArguments): Promise<boolean> {
  const question = l10n.t(
    'Create a container from {0}, though the workspace is not trusted?',
    vscode.workspace.asRelativePath(uri),
  );
  return confirm(question, linesOf(args).join('\n'), l10n.t('Create'));
}

/** What of it reaches out of the container; of its variables the names, for their values may be long. */
function linesOf(args: CreateArguments): readonly string[] {
  const { image, mounts = [], devices = [], capAdd = [], securityOpt = [], env = [] } = args;
  const names = env.map((entry) => entry.split('=', 1)[0]);
  return [
    l10n.t('Image: {0}', image),
    ...mounts.map((mount) => l10n.t('Mount: {0}', mount)),
    ...(args.network === undefined ? [] : [l10n.t('Network: {0}', args.network)]),
    ...devices.map((device) => l10n.t('Device: {0}', device)),
    ...capAdd.map((capability) => l10n.t('Capability: {0}', capability)),
    ...securityOpt.map((option) => l10n.t('Security option: {0}', option)),
    ...(names.length === 0 ? [] : [l10n.t('Variables: {0}', names.join(', '))]),
    ...(args.privileged === true ? [l10n.t('It may do all that its machine may.')] : []),
  ];
}
