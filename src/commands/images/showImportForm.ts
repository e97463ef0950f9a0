import * as l10n from '@vscode/l10n';
import { basename } from 'node:path';
import type { ImportRequest } from '../../engine/images/imageArchive.ts';
import { imageByTag, type SeenTagOwner } from '../../review/imageByTag.ts';
import { showForm } from '../ui/form.ts';
import { changesRow, textRow, type FormRow } from '../ui/formRows.ts';
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
  const draft: ImportDraft = { repository };
  let seen: SeenTagOwner = { holder: undefined };
  const done = await showForm(context.ui, {
    title: { title },
    draft,
    actions: [{ action: 'import', label: l10n.t('Import'), icon: 'check' }],
    overview: ({ repository: name }) => {
      // The tag may move while the form is open. What counts is what the user read.
      seen = { holder: imageByTag(name, context.inventory.images.values())?.id };
      return {
        rows: importRows(context),
        problem: imageNameProblem(name),
        warning: tagClashMessage(name, context),
      };
    },
  });
  const confirmed = done && (await confirmTagOwner(done.draft.repository, seen, context));
  return confirmed && { ...done.draft, seen: confirmed };
}

/** The values of the import form. */
export interface ImportDraft extends ImportRequest {
  /** The tag owner that the user was warned of. Not part of the argument. */
  readonly seen?: SeenTagOwner;
}

function importRows(context: CommandContext): readonly FormRow<ImportDraft>[] {
  return [
    textRow('repository', l10n.t('Image'), 'me/app:1.0', {
      prompt: l10n.t('repository:tag of the new image (default tag: latest)'),
      problem: imageNameProblem,
      warning: (name) => tagClashMessage(name, context),
    }),
    textRow('message', l10n.t('Message'), l10n.t('what the image contains')),
    changesRow('CMD ["sh"]'),
  ];
}
