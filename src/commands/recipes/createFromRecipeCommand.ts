import * as vscode from 'vscode';

import type { CreateArguments } from '../../engine/options/options.ts';
import { InputError } from '../../engine/errors.ts';
import { isCancellation } from '../../lifetime.ts';
import type { PlainCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { createAndStart, imageToPull, type CreatedContainer } from '../create/createAndStart.ts';
import { confirm, errorActions, showError, showWarning, withProgress } from '../notifications.ts';
import { pullWithCredentials } from '../registries/pullCommand.ts';
import {
  findRecipe,
  recipeErrorActions,
  pickRecipe,
  readRecipeFile,
  recipeContext,
} from './recipeFiles.ts';
import { recipeSummary, sourcesInside } from './recipeSummary.ts';
import { failureMessage } from '../errorMessages.ts';
import { formatName, formatMessages } from '../displayText.ts';

const { l10n } = vscode;

interface RecipeArguments {
  /** Full, from a folder of the workspace on, or a URI. */
  readonly path: string;
}

/** Creates a container from a recipe, and starts it where the recipe says so. */
export const createFromRecipeCommand: PlainCommand<RecipeArguments, CreatedContainer> = {
  id: 'gantry.recipes.create',
  schema: { path: { kind: 'text', required: true } },
  failureTitle: l10n.t('Could not create the container'),
  ofUri: (uri) => ({ path: uri.toString() }),
  run: async ({ path }, context, signal) => {
    if (!vscode.workspace.isTrusted) {
      throw new InputError(
        l10n.t('The workspace is not trusted, so nothing is created from its recipes unasked.'),
      );
    }
    const args = await readRecipeFile(await findRecipe(path));
    return createAndStart(args, context, signal, () =>
      pullWithCredentials(context, imageToPull(args), false, signal),
    );
  },
  runInteractive: async (context, _nodes, args) => {
    const uri = args ? await findRecipe(args.path) : await pickRecipe();
    return uri && createRecipeInteractively(uri, context);
  },
};

async function createRecipeInteractively(
  uri: vscode.Uri,
  context: CommandContext,
): Promise<CreatedContainer | undefined> {
  try {
    const args = await readRecipeFile(uri);
    if (!vscode.workspace.isTrusted && !(await confirmUntrusted(uri, args))) return undefined;
    const title = l10n.t('Creating a container of {0}', formatName(args.image));
    const created = await withProgress(title, 'late', (signal) =>
      createAndStart(args, context, signal, () =>
        pullWithCredentials(context, imageToPull(args), true, signal),
      ),
    );
    context.reveal(created.id);
    if (created.warnings.length > 0) {
      showWarning(formatMessages(created.warnings, l10n));
    }
    return created;
  } catch (error) {
    if (isCancellation(error)) return undefined;
    const sentence = failureMessage(createFromRecipeCommand.failureTitle, error, l10n);
    showError(sentence, ...recipeErrorActions(error, uri), ...errorActions(error, context));
    return undefined;
  }
}

/** Says what would be made: a stranger's recipe may give a stranger's program full access to the host. */
async function confirmUntrusted(uri: vscode.Uri, args: CreateArguments): Promise<boolean> {
  const { workspaceFolder } = recipeContext(uri);
  const inside = await sourcesInside(args.mounts ?? [], workspaceFolder, l10n);
  const lines = recipeSummary(args, (source) => inside.has(source), l10n);
  if (!lines) {
    throw new InputError(
      l10n.t('The recipe asks for more than can be shown. Trust the workspace first.'),
    );
  }
  const question = l10n.t(
    'Create a container from {0}, though the workspace is not trusted?',
    formatName(vscode.workspace.asRelativePath(uri)),
  );
  return confirm(question, lines.join('\n'), l10n.t('Create'));
}
