import * as l10n from '@vscode/l10n';
import {
  FileConflictError,
  FileReadOnlyError,
  PathExistsError,
  FileWriteError,
  type FileOutcome,
} from '../../engine/files/fileErrors.ts';
import { readOnlyText } from '../../files/readOnlyText.ts';
import { formatName } from './formatNames.ts';

/** Returns the sentences for an error of writing a file; undefined for any other error. @param describe for its cause. */
export function fileErrorMessage(
  error: unknown,
  describe: (cause: unknown) => string,
): string | undefined {
  if (error instanceof FileReadOnlyError) return readOnlyText(error.reason, error.mount);
  if (error instanceof FileConflictError) {
    return error.hash === undefined
      ? l10n.t('{0} was removed in the meantime. It was not saved.', formatName(error.path))
      : l10n.t(
          '{0} is not what was opened: it was changed in the meantime. It was not saved.',
          formatName(error.path),
        );
  }
  if (error instanceof PathExistsError)
    return l10n.t('{0} already exists.', formatName(error.path));
  if (!(error instanceof FileWriteError)) return undefined;
  const { path, now, movedTo, cause } = error;
  const words =
    movedTo === undefined
      ? outcomeMessage(now, path)
      : l10n.t(
          '{0} leads to another file now: a link was changed while it was saved. {1}',
          formatName(path),
          outcomeMessage(now, path),
        );
  return cause === undefined ? words : `${words} ${describe(cause)}`;
}

function outcomeMessage(now: FileOutcome, path: string): string {
  const name = formatName(path);
  switch (now) {
    case 'old':
      return l10n.t('{0} was not saved: it is as it was before.', name);
    case 'new':
      return l10n.t('{0} has the new contents, but the save did not end as expected.', name);
    case 'other':
      return l10n.t('{0} has neither the old nor the new contents. Save it again.', name);
    case 'gone':
      return l10n.t('{0} was not saved, and does not exist.', name);
    case 'unknown':
      return l10n.t('It is unknown whether {0} was saved.', name);
  }
}
