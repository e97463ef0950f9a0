import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { CreateArguments } from '../../engine/options/options.ts';
import { InputError } from '../../engine/errors.ts';
import { isCancellation } from '../../base/lifetime.ts';
import type { PlainCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { createAndStart, StartFailure, type CreatedContainer } from '../create/createAndStart.ts';
import {
  createFailedMessage,
  createWithProgress,
  showStartFailure,
} from '../create/createInteractively.ts';
import { proxyLines } from '../create/proxies.ts';
import { errorActions } from '../ui/withErrorMessage.ts';
import {
  findRecipe,
  recipeErrorActions,
  pickRecipe,
  readRecipeFile,
  recipeContext,
} from './recipeFiles.ts';
import { recipeSummary, sourcesInside } from './recipeSummary.ts';
import { failureMessage } from '../ui/errorMessage.ts';
import { formatName } from '../ui/formatNames.ts';

interface RecipeArguments {
  /** An absolute path, a path relative to a workspace folder, or a URI. */
  readonly path: string;
}

/** Creates a container from a recipe, and starts it if the recipe requires it. */
export const createFromRecipeCommand = (): PlainCommand<RecipeArguments, CreatedContainer> => ({
  id: 'gantry.recipes.create',
  schema: { path: { kind: 'text', required: true } },
  failureTitle: createFailedMessage(),
  ofUri: (uri) => ({ path: uri.toString() }),
  run: async ({ path }, context, signal) => {
    if (!vscode.workspace.isTrusted) {
      throw new InputError(
        l10n.t(
          'This workspace is in Restricted Mode. Gantry does not create containers from its files without confirmation.',
        ),
      );
    }
    const args = await readRecipeFile(await findRecipe(path));
    return createAndStart(args, context, false, signal);
  },
  runInteractive: async (context, _nodes, args) => {
    const uri = args ? await findRecipe(args.path) : await pickRecipe(context.ui);
    return uri && createRecipeInteractively(uri, context);
  },
});

async function createRecipeInteractively(
  uri: vscode.Uri,
  context: CommandContext,
): Promise<CreatedContainer | undefined> {
  try {
    const args = await readRecipeFile(uri);
    if (!vscode.workspace.isTrusted && !(await confirmUntrusted(context, uri, args)))
      return undefined;
    return await createWithProgress(args, context);
  } catch (error) {
    if (isCancellation(error)) return undefined;
    if (error instanceof StartFailure) {
      showStartFailure(error, context);
      return undefined;
    }
    const sentence = failureMessage(createFailedMessage(), error);
    context.ui.error(sentence, ...recipeErrorActions(error, uri), ...errorActions(error, context));
    return undefined;
  }
}

/** Shows what would be created: an untrusted recipe may give an untrusted program full access to the host. */
async function confirmUntrusted(
  context: CommandContext,
  uri: vscode.Uri,
  args: CreateArguments,
): Promise<boolean> {
  const { ui } = context;
  const { workspaceFolder } = recipeContext(uri);
  const inside = await sourcesInside(args.mounts ?? [], workspaceFolder);
  const lines = recipeSummary(args, (source) => inside.has(source));
  if (!lines) {
    throw new InputError(
      l10n.t('The recipe has more options than can be shown. Trust the workspace to use it.'),
    );
  }
  const question = l10n.t(
    'Create a container from {0} in Restricted Mode?',
    formatName(vscode.workspace.asRelativePath(uri)),
  );
  const connection = await context.engine.connect();
  const proxies = await proxyLines(context, connection);
  return ui.confirm(question, [...lines, ...proxies].join('\n'), l10n.t('Create'));
}
