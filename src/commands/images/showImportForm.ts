import * as l10n from '@vscode/l10n';
import { basename } from 'node:path';
import { CHANGE_INSTRUCTIONS, checkChange } from '../../engine/options/checkChange.ts';
import type { ImportRequest } from '../../engine/images/imageArchive.ts';
import { imageByTag, type SeenTagOwner } from '../../review/imageByTag.ts';
import { showForm, type FormRow } from '../ui/form.ts';
import type { StepTitle } from '../ui/ui.ts';
import { listRow, validationMessage, textRow, type Keeper } from '../ui/formRows.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import {
  askImageName,
  confirmTagOwner,
  imageNameProblem,
  tagClashMessage,
} from '../frame/askImageName.ts';

/**
 * Asks for the options of an import: first the image name, then the rest. Resolves to undefined if the user
 * cancels.
 */
export async function showImportForm(
  path: string,
  context: CommandContext,
): Promise<ImportDraft | undefined> {
  const title = l10n.t('Import {0}', basename(path));
  const repository = await askImageName({ title, value: '', context });
  if (repository === undefined) return undefined;
  let draft: ImportDraft = { repository };
  const keeper: Keeper<ImportDraft> = (field) => (value) => {
    draft = { ...draft, [field]: value };
  };
  const done = await showForm(context.ui, { title }, () => {
    const { repository } = draft;
    // The tag may move while the form is open. What counts is what the user read.
    const seen = { holder: imageByTag(repository, context.inventory.images.values())?.id };
    return {
      actions: [{ label: l10n.t('Import'), icon: 'check', result: { draft, seen } }],
      rows: rowsOf(context, draft, { title }, keeper),
      problem: imageNameProblem(repository),
      warning: tagClashMessage(repository, context),
    };
  });
  const seen = done && (await confirmTagOwner(done.draft.repository, done.seen, context));
  return seen && { ...done.draft, seen };
}

/** The values of the import form. */
export interface ImportDraft extends ImportRequest {
  /** The tag owner that the user was warned of. Not part of the argument. */
  readonly seen?: SeenTagOwner;
}

function rowsOf(
  context: CommandContext,
  { repository, message = '', changes = [] }: ImportDraft,
  title: StepTitle,
  keeper: Keeper<ImportDraft>,
): FormRow[] {
  const { ui } = context;
  return [
    textRow(ui, {
      title,
      label: l10n.t('Image'),
      value: repository,
      prompt: l10n.t('repository:tag of the new image (default tag: latest)'),
      example: 'me/app:1.0',
      problem: imageNameProblem,
      warning: (name) => tagClashMessage(name, context),
      keep: keeper('repository'),
    }),
    textRow(ui, {
      title,
      label: l10n.t('Message'),
      value: message,
      example: l10n.t('what the image contains'),
      keep: keeper('message'),
    }),
    listRow(ui, {
      title,
      label: l10n.t('Changes'),
      entries: changes,
      form: l10n.t('an instruction ({0})', CHANGE_INSTRUCTIONS.join(', ')),
      example: 'CMD ["sh"]',
      problem: (change) => validationMessage(() => checkChange(change)),
      keep: keeper('changes'),
    }),
  ];
}
