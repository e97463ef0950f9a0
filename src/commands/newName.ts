import * as vscode from 'vscode';
import {
  describeReferenceProblem,
  parseReference,
  parseRepositoryAndTag,
} from '../engine/reference.ts';
import type { CommandContext } from './context.ts';
import { shownText } from './shown.ts';

const { l10n } = vscode;

/** What a box for an image's new name begins with. */
export interface NewName {
  readonly title: string;
  readonly value: string;
  readonly context: CommandContext;
  /** The image that is to have it, where there is one already. */
  readonly imageId?: string | undefined;
}

/**
 * Asks for a name to give to an image: checked while it is typed, and warned of where it is another image's, which
 * would lose it. Undefined where the person leaves.
 */
export function askNewName(wanted: NewName): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: shownText(wanted.title),
    prompt: l10n.t('New name of the image, as repository:tag'),
    placeHolder: 'me/app:1.0',
    value: wanted.value,
    ignoreFocusOut: true,
    validateInput: (text) => hintAt(text, wanted),
  });
}

function hintAt(
  text: string,
  { context, imageId }: NewName,
): string | vscode.InputBoxValidationMessage | undefined {
  const checked = parseRepositoryAndTag(text);
  if (!checked.ok) return shownText(describeReferenceProblem(checked.problem, l10n));
  const owner = ownerOf(text, context);
  if (!owner) return undefined;
  const short = owner.id.slice(7, 19);
  if (owner.id === imageId) return info(l10n.t('The image has this name already.'));
  const warning = owner.isOnlyName
    ? l10n.t('Now the name of {0}, which would be left without one.', short)
    : l10n.t('Now a name of {0}, which would lose it.', short);
  return { message: warning, severity: vscode.InputBoxValidationSeverity.Warning };
}

function info(message: string): vscode.InputBoxValidationMessage {
  return { message, severity: vscode.InputBoxValidationSeverity.Info };
}

/** The image that has a name now, by what is known without asking. */
function ownerOf(
  text: string,
  { inventory }: CommandContext,
): { readonly id: string; readonly isOnlyName: boolean } | undefined {
  const wanted = fullName(text);
  for (const { id, tags } of inventory.images.values()) {
    if (tags.some((tag) => fullName(tag) === wanted)) return { id, isOnlyName: tags.length === 1 };
  }
  return undefined;
}

/** With all that may be left out; engines differ in what they leave out. */
function fullName(text: string): string {
  const checked = parseReference(text);
  if (!checked.ok) return text;
  const { registry, repository, tag = 'latest' } = checked.value;
  return `${registry}/${repository}:${tag}`;
}
