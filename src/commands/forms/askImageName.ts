import * as vscode from 'vscode';
import { describeReferenceProblem, parseRepositoryAndTag } from '../../engine/options/reference.ts';
import { imageByTag } from '../../review/imageByTag.ts';
import { shortId } from '../../views/format.ts';
import { displayText, displayTitle } from '../../plainText.ts';
import type { CommandContext } from '../context.ts';

const { l10n } = vscode;

/**
 * Asks for a name to give to an image: checked while it is typed, and warned of where it is another image's, which
 * would lose it. Undefined where the person leaves.
 */
export function askImageName(wanted: ImageNameQuestion): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: displayTitle(wanted.title),
    prompt: l10n.t('New name of the image, as repository:tag'),
    placeHolder: 'me/app:1.0',
    value: wanted.value,
    ignoreFocusOut: true,
    validateInput: (text) => hintAt(text, wanted),
  });
}

/** What a box for an image's new name begins with. */
export interface ImageNameQuestion {
  readonly title: string;
  readonly value: string;
  readonly context: CommandContext;
  /** The image that is to have it, where there is one already. */
  readonly imageId?: string | undefined;
}

function hintAt(
  text: string,
  { context, imageId }: ImageNameQuestion,
): string | vscode.InputBoxValidationMessage | undefined {
  const checked = parseRepositoryAndTag(text);
  if (!checked.ok) return displayText(describeReferenceProblem(checked.problem, l10n));
  const owner = imageByTag(text, context.inventory.images.values());
  if (!owner) return undefined;
  const short = owner.id.slice(7, 19);
  if (owner.id === imageId) return info(l10n.t('The image has this name already.'));
  const warning =
    owner.tags.length === 1
      ? l10n.t('Now the name of {0}, which would be left without one.', short)
      : l10n.t('Now a name of {0}, which would lose it.', short);
  return { message: warning, severity: vscode.InputBoxValidationSeverity.Warning };
}

function info(message: string): vscode.InputBoxValidationMessage {
  return { message, severity: vscode.InputBoxValidationSeverity.Info };
}

/** What taking a name does to the image that has it. */
export function tagClashMessage(name: string, { inventory }: CommandContext): string | undefined {
  const holder = imageByTag(name, inventory.images.values());
  if (!holder) return undefined;
  return holder.tags.length > 1
    ? l10n.t('Moves the tag from {0}', shortId(holder.id))
    : l10n.t('Moves the tag from {0}, which is left without a name', shortId(holder.id));
}
