import { basename } from 'node:path';
import * as vscode from 'vscode';
import { CHANGE_INSTRUCTIONS, checkChange } from '../../engine/options/checkChange.ts';
import { importTarget, type ImportRequest } from '../../engine/images/imageArchive.ts';
import { imageByTag, type SeenTagOwner } from '../../review/imageByTag.ts';
import { showForm, type FormRow, type StepTitle } from '../forms/form.ts';
import { listRow, validationMessage, textRow } from '../forms/formRows.ts';
import type { CommandContext } from '../context.ts';
import { askImageName, tagClashMessage } from '../forms/askImageName.ts';

const { l10n } = vscode;

/** Asks what to make of an archive of files: first the name, then the rest. Undefined where the person leaves. */
export async function showImportForm(
  path: string,
  context: CommandContext,
): Promise<ImportDraft | undefined> {
  const title = l10n.t('Import {0}', basename(path));
  const repository = await askImageName({ title, value: '', context });
  if (repository === undefined) return undefined;
  let draft: ImportDraft = { repository };
  const keep = (more: Partial<ImportDraft>): void => {
    draft = { ...draft, ...more };
  };
  const clash = (name: string): string | undefined => tagClashMessage(name, context);
  return showForm({ title }, () => {
    const { repository } = draft;
    // The tag may move while this is shown: what counts is what the user read.
    const seen = { holder: imageByTag(repository, context.inventory.images.values())?.id };
    return {
      actions: [{ label: l10n.t('Import'), icon: 'check', result: { ...draft, seen } }],
      rows: rowsOf(draft, { title }, keep, clash),
      problem: nameProblem(repository),
      warning: clash(repository),
    };
  });
}

/** What is said of an image that is imported. */
export interface ImportDraft extends ImportRequest {
  /** What the user was warned of; not a part of the argument. */
  readonly seen?: SeenTagOwner;
}

function rowsOf(
  { repository, message = '', changes = [] }: ImportDraft,
  title: StepTitle,
  keep: (more: Partial<ImportDraft>) => void,
  clash: (name: string) => string | undefined,
): FormRow[] {
  const text = { title, otherwise: l10n.t('none') };
  return [
    textRow({
      ...text,
      label: l10n.t('Image'),
      value: repository,
      prompt: l10n.t('The new image as repository:tag; without a tag it is latest'),
      example: 'me/app:1.0',
      problem: nameProblem,
      warning: clash,
      keep: (name) => {
        keep({ repository: name });
      },
    }),
    textRow({
      ...text,
      label: l10n.t('Message'),
      value: message,
      prompt: l10n.t('{0}; leave it empty for none', l10n.t('Message')),
      example: l10n.t('what is in it'),
      problem: () => undefined,
      keep: (words) => {
        keep({ message: words });
      },
    }),
    listRow({
      label: l10n.t('Changes'),
      title,
      entries: changes,
      form: l10n.t('an instruction ({0})', CHANGE_INSTRUCTIONS.join(', ')),
      example: 'CMD ["sh"]',
      problem: (change) => validationMessage(() => checkChange(change, l10n)),
      keep: (entries) => {
        keep({ changes: entries });
      },
    }),
  ];
}

function nameProblem(repository: string): string | undefined {
  return validationMessage(() => importTarget({ repository }, l10n));
}
