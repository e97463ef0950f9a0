import * as vscode from 'vscode';

import type { CreateArguments } from '../../engine/options/createSpec.ts';
import { InputError } from '../../engine/errors.ts';
import { isCancellation } from '../../lifetime.ts';
import type { PlainCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { create, imageOf, type Created } from '../create/createRun.ts';
import { confirm, helpFor, showError, showWarning, withProgress } from '../person.ts';
import { pullFor } from '../registries/pullCommand.ts';
import {
  findRecipe,
  helpForRecipe,
  pickRecipe,
  readRecipeAt,
  surroundingsOf,
} from './recipeFiles.ts';
import { recipeLines, sourcesInside } from './recipeQuestion.ts';
import { describeFailure } from '../sentences.ts';
import { shownName, shownSentences } from '../shown.ts';

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
    const title = l10n.t('Creating a container of {0}', shownName(args.image));
    const created = await withProgress(title, 'late', (signal) =>
      create(args, context, signal, () => pullFor(context, imageOf(args), true, signal)),
    );
    context.reveal(created.id);
    if (created.warnings.length > 0) {
      showWarning(shownSentences(created.warnings, l10n));
    }
    return created;
  } catch (error) {
    if (isCancellation(error)) return undefined;
    const sentence = describeFailure(createFromRecipeCommand.failing, error, l10n);
    showError(sentence, ...helpForRecipe(error, uri), ...helpFor(error));
    return undefined;
  }
}

/** Says what would be made: a stranger's recipe may give a stranger's program full access to the host. */
async function confirmUntrusted(uri: vscode.Uri, args: CreateArguments): Promise<boolean> {
  const { workspaceFolder } = surroundingsOf(uri);
  const inside = await sourcesInside(args.mounts ?? [], workspaceFolder, l10n);
  const lines = recipeLines(args, (source) => inside.has(source), l10n);
  if (!lines) {
    throw new InputError(
      l10n.t('The recipe asks for more than can be shown. Trust the workspace first.'),
    );
  }
  const question = l10n.t(
    'Create a container from {0}, though the workspace is not trusted?',
    shownName(vscode.workspace.asRelativePath(uri)),
  );
  return confirm(question, lines.join('\n'), l10n.t('Create'));
}
