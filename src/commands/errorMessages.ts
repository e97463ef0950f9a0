import { PathKindError } from '../engine/archive/archive.ts';
import { InputError } from '../engine/errors.ts';
import { ImageChangedError } from '../engine/images/removeImages.ts';
import { AmbiguousError } from '../engine/registries/resolve.ts';
import { formatFailure } from '../failures/failures.ts';
import { LocalNameError } from '../files/safePath.ts';
import type { L10n } from '../l10n.ts';
import { formatName, formatNames } from './displayText.ts';

/** Something went wrong half-way; its message is the whole sentence. */
export class MessageError extends Error {}

/** What went wrong in one sentence a person can act on. */
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
  switch (change) {
    case 'tagMoved':
      return l10n.t('The tag now refers to another image. Nothing was removed.');
    case 'notPushed':
      return l10n.t('The tag now refers to another image. Nothing was pushed.');
    case 'tagTaken':
      return l10n.t('Another image got this tag in the meantime. Nothing was changed.');
    case 'lastTag':
      return l10n.t('The image has no other tag any more. Nothing was removed.');
    case 'newTags':
      return l10n.t('The image got a new tag in the meantime. Nothing was removed.');
    case 'newUsers':
      return l10n.t('Another container uses the image now. Nothing was removed.');
  }
}

function pathKindMessage({ path, kind }: PathKindError, l10n: L10n): string {
  if (kind === 'folder') return l10n.t('{0} is a folder.', path);
  return kind === 'other'
    ? l10n.t('{0} is a device or a pipe, which has no contents of its own.', path)
    : l10n.t('{0} is not a folder.', path);
}

/** "Could not …: why" as one sentence. */
export function failureMessage(what: string, error: unknown, l10n: L10n): string {
  // Refused input explains itself; nothing was tried.
  if (error instanceof InputError || error instanceof MessageError) return error.message;
  return l10n.t('{0}: {1}', what, errorMessage(error, l10n));
}
