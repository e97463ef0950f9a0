import { basename } from 'node:path';
import * as vscode from 'vscode';
import { CHANGE_INSTRUCTIONS, checkChange } from '../engine/changeInstruction.ts';
import { importTarget, type ImportRequest } from '../engine/imageArchive.ts';
import { showOverview, type FormRow, type Place } from './form.ts';
import { listRow, problemOf, textRow } from './formRows.ts';
import type { CommandContext } from './context.ts';
import { askNewName } from './newName.ts';

const { l10n } = vscode;

/** What is said of an image that is imported. */
export type ImportAnswer = ImportRequest;

/** Asks what to make of an archive of files: first the name, then the rest. Undefined where the person leaves. */
export async function askImport(
  path: string,
  context: CommandContext,
): Promise<ImportAnswer | undefined> {
  const title = l10n.t('Import {0}', basename(path));
  const repository = await askNewName({ title, value: '', context });
  if (repository === undefined) return undefined;
  let draft: ImportAnswer = { repository };
  const keep = (more: Partial<ImportAnswer>): void => {
    draft = { ...draft, ...more };
  };
  const isSure = await showOverview({ title }, () => ({
    ends: [{ label: l10n.t('Import'), icon: 'check', result: true }],
    rows: rowsOf(draft, { title }, keep),
    problem: nameProblem(draft.repository),
  }));
  return isSure === undefined ? undefined : draft;
}

function rowsOf(
  { repository, message = '', changes = [] }: ImportAnswer,
  place: Place,
  keep: (more: Partial<ImportAnswer>) => void,
): FormRow[] {
  const text = { place, otherwise: l10n.t('none') };
  return [
    textRow({
      ...text,
      label: l10n.t('Image'),
      value: repository,
      prompt: l10n.t('The new image as repository:tag; without a tag it is latest'),
      example: 'me/app:1.0',
      problem: nameProblem,
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
      place,
      entries: changes,
      form: l10n.t('an instruction ({0})', CHANGE_INSTRUCTIONS.join(', ')),
      example: 'CMD ["sh"]',
      problem: (change) => problemOf(() => checkChange(change, l10n)),
      keep: (entries) => {
        keep({ changes: entries });
      },
    }),
  ];
}

function nameProblem(repository: string): string | undefined {
  return problemOf(() => importTarget({ repository }, l10n));
}
