import { basename } from 'node:path';
import * as vscode from 'vscode';
import { CHANGE_INSTRUCTIONS, checkChange } from '../../engine/options/changeInstruction.ts';
import { importTarget, type ImportRequest } from '../../engine/images/imageArchive.ts';
import { holderOf, type SeenHolder } from '../../review/nameHolder.ts';
import { showOverview, type FormRow, type Place } from '../forms/form.ts';
import { listRow, problemOf, textRow } from '../forms/formRows.ts';
import type { CommandContext } from '../context.ts';
import { askNewName, clashWords } from '../forms/newName.ts';

const { l10n } = vscode;

/** What is said of an image that is imported. */
export interface ImportAnswer extends ImportRequest {
  /** What the user was warned of; not a part of the argument. */
  readonly seen?: SeenHolder;
}

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
  const clash = (name: string): string | undefined => clashWords(name, context);
  return showOverview({ title }, () => {
    const { repository } = draft;
    // The tag may move while this is shown: what counts is what the user read.
    const seen = { holder: holderOf(repository, context.inventory.images.values())?.id };
    return {
      ends: [{ label: l10n.t('Import'), icon: 'check', result: { ...draft, seen } }],
      rows: rowsOf(draft, { title }, keep, clash),
      problem: nameProblem(repository),
      warning: clash(repository),
    };
  });
}

function rowsOf(
  { repository, message = '', changes = [] }: ImportAnswer,
  place: Place,
  keep: (more: Partial<ImportAnswer>) => void,
  clash: (name: string) => string | undefined,
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
