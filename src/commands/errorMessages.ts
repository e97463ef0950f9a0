import { PathKindError } from '../engine/archive/archive.ts';
import { InputError } from '../engine/errors.ts';
import { ImageChangedError } from '../engine/images/removeImages.ts';
import { AmbiguousError } from '../engine/resolveTarget.ts';
import { formatFailure } from '../failures/failures.ts';
import { LocalNameError } from '../files/safePath.ts';
import type { L10n } from '../l10n.ts';
import { formatName, formatNames } from './formatNames.ts';

/** An error in the middle of an operation. Its message is already a complete sentence. */
export class MessageError extends Error {}

/** Returns a sentence that tells the user what went wrong and what to do. */
export function errorMessage(error: unknown, l10n: L10n): string {
  if (error instanceof InputError) return error.message;
  if (error instanceof AmbiguousError) {
    return l10n.t(
      '"{0}" fits more than one: {1}. Give more of the id, or the name.',
      formatName(error.text),
      formatNames(error.candidates, l10n),
    );
  }
  if (error instanceof PathKindError) return pathKindMessage(error, l10n);
  if (error instanceof LocalNameError)
    return l10n.t('"{0}" is not a valid name for a file.', error.path);
  if (error instanceof ImageChangedError) return imageChangedMessage(error, l10n);
  return formatFailure(error, l10n);
}

function imageChangedMessage({ change }: ImageChangedError, l10n: L10n): string {
  const messages: Readonly<Record<ImageChangedError['change'], string>> = {
    tagMoved: l10n.t('The tag now refers to another image. Nothing was removed.'),
    notPushed: l10n.t('The tag now refers to another image. Nothing was pushed.'),
    tagTaken: l10n.t('Another image got this tag in the meantime. Nothing was changed.'),
    lastTag: l10n.t('The image has no other tag any more. Nothing was removed.'),
    newTags: l10n.t('The image got a new tag in the meantime. Nothing was removed.'),
    newUsers: l10n.t('Another container uses the image now. Nothing was removed.'),
  };
  return messages[change];
}

function pathKindMessage({ path, kind }: PathKindError, l10n: L10n): string {
  if (kind === 'folder') return l10n.t('{0} is a folder.', path);
  return kind === 'other'
    ? l10n.t('{0} is a device or a pipe, which has no contents of its own.', path)
    : l10n.t('{0} is not a folder.', path);
}

/** Returns "Could not …: reason" as one sentence. */
export function failureMessage(what: string, error: unknown, l10n: L10n): string {
  // Rejected input explains itself; nothing was tried.
  if (error instanceof InputError || error instanceof MessageError) return error.message;
  return l10n.t('{0}: {1}', what, errorMessage(error, l10n));
}
