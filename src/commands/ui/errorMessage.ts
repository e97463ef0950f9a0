import * as l10n from '@vscode/l10n';
import {
  VolumeInUseError,
  VolumeChangedError,
  VolumeExistsError,
  VolumeIncompleteError,
  VolumeLostError,
  VolumeFileError,
  UnseenMountError,
  VolumeUnmountedError,
  type VolumeFileProblem,
} from '../../engine/volumes/volumeErrors.ts';
import type { TarProblem } from '../../engine/archive/tarRules.ts';
import { NameEncodingError, PathKindError } from '../../engine/archive/pathStat.ts';
import { InputError } from '../../engine/errors.ts';
import { ImageChangedError } from '../../engine/images/imageChangedError.ts';
import { ImageContentError } from '../../engine/images/imageContentError.ts';
import { AmbiguousError } from '../../engine/system/resolveTarget.ts';
import { formatFailure, isQuotedFailure } from '../../engines/failures/failures.ts';
import { LocalNameError } from '../../files/safePath.ts';
import { isCancellation } from '../../base/lifetime.ts';
import { fileErrorMessage } from './fileErrorMessage.ts';
import { formatName, formatNames } from './formatNames.ts';
import { messageOf } from '../../base/translate.ts';
import type { KeptImage } from '../../engine/system/removeUnusedImage.ts';

/** Returns sentences that explain what went wrong and what to do. */
export function errorMessage(error: unknown): string {
  return ownMessage(error) ?? formatFailure(error);
}

/** An error in the middle of an operation. Its message is already a complete sentence. */
export class MessageError extends Error {}

/** Returns the message of an error that only commands know; undefined for any other. */
function ownMessage(error: unknown): string | undefined {
  if (error instanceof InputError) return messageOf(error);
  if (error instanceof AmbiguousError) {
    return l10n.t(
      '"{0}" is ambiguous: {1}. Use more of the ID, or the full name.',
      formatName(error.text),
      formatNames(error.candidates),
    );
  }
  if (error instanceof PathKindError) return pathKindMessage(error);
  if (error instanceof NameEncodingError)
    return l10n.t('The name of {0} is not valid UTF-8. Rename it.', formatName(error.path));
  if (error instanceof LocalNameError) return l10n.t('"{0}" is not a valid file name.', error.path);
  if (error instanceof ImageChangedError) return imageChangedMessage(error);
  if (error instanceof ImageContentError)
    return error.problem === 'missingLayers'
      ? l10n.t('The engine does not have all layers of the image. Pull the image again.')
      : l10n.t('The layers are compressed with Zstandard. Update VS Code to read them.');
  return fileErrorMessage(error, errorMessage) ?? volumeMessage(error);
}

function volumeMessage(error: unknown): string | undefined {
  if (error instanceof VolumeInUseError) {
    const names = error.users.map(({ name }) => name);
    return l10n.t('Containers use it: {0}. Remove them first.', formatNames(names, 3));
  }
  if (error instanceof VolumeChangedError) return volumeChangedMessage(error);
  if (error instanceof VolumeUnmountedError) {
    return l10n.t(
      'The engine mounts {0} only while a container that uses it runs. Start one, then try again.',
      formatName(error.message),
    );
  }
  if (error instanceof UnseenMountError) {
    return l10n.t(
      'Files of {0} would be below a mount, where the container does not see them. Start the container first.',
      formatName(error.message),
    );
  }
  if (error instanceof VolumeExistsError)
    return l10n.t('The volume {0} already exists.', formatName(error.message));
  if (error instanceof VolumeIncompleteError) {
    const words = l10n.t(
      'The volume {0} is incomplete. Remove it, or try again.',
      formatName(error.volume.name),
    );
    return isCancellation(error.cause) ? words : `${words} ${errorMessage(error.cause)}`;
  }
  if (error instanceof VolumeLostError) {
    const name = formatName(error.volume.name);
    const why = errorMessage(error.cause);
    return error.isCertain
      ? l10n.t('The volume {0} was removed, but could not be created again. {1}', name, why)
      : l10n.t('The volume {0} may have been removed. {1}', name, why);
  }
  return error instanceof VolumeFileError ? volumeFileMessage(error.problem) : undefined;
}

function volumeFileMessage(problem: VolumeFileProblem): string {
  switch (problem.kind) {
    case 'incomplete':
      return l10n.t('The file is not a complete tar archive.');
    case 'packed':
      return l10n.t('The file is compressed with {0}. Decompress it first.', problem.format);
    case 'trailing':
      return l10n.t('The file has more data after the end of the tar archive. Remove it first.');
    case 'changed':
      return l10n.t('The file was changed in the meantime. Select it again.');
    case 'unsafe':
      return l10n.t(
        'The archive contains a path outside the volume: {0}.',
        formatName(problem.name),
      );
    case 'refused':
      return refusedEntryMessage(problem.entry);
  }
}

function refusedEntryMessage({ name, why, type }: TarProblem): string {
  const shown = formatName(name);
  if (why === 'type') {
    return type === 'S'
      ? l10n.t(
          'Engines do not extract {0}, a sparse file of GNU tar. Use tar --format=posix.',
          shown,
        )
      : l10n.t(
          'Engines do not extract {0}: the tar entry type "{1}" is not supported.',
          shown,
          type,
        );
  }
  const messages: Readonly<Record<Exclude<TarProblem['why'], 'type'>, string>> = {
    header: l10n.t('Engines do not extract {0}: its tar header is invalid.', shown),
    link: l10n.t(
      'Engines do not extract {0}: the target of the link is not in the archive.',
      shown,
    ),
    name: l10n.t(
      'Engines do not extract {0}: its path is too long, or below a file or link.',
      shown,
    ),
  };
  return messages[why];
}

function volumeChangedMessage({ message, isRemoved }: VolumeChangedError): string {
  return isRemoved
    ? l10n.t(
        'Another client created the volume {0} again in the meantime. Its files were kept.',
        formatName(message),
      )
    : l10n.t('The volume was replaced in the meantime. Nothing was changed.');
}

function imageChangedMessage({ change }: ImageChangedError): string {
  const messages: Readonly<Record<ImageChangedError['change'], string>> = {
    tagMoved: l10n.t('The tag now refers to another image. Nothing was removed.'),
    notPushed: l10n.t('The tag now refers to another image. Nothing was pushed.'),
    tagReassigned: l10n.t('Another image got this tag in the meantime. Nothing was changed.'),
    lastTag: l10n.t('The image no longer has another tag. Nothing was removed.'),
    newTags: l10n.t('The image got a new tag in the meantime. Nothing was removed.'),
    newUsers: l10n.t('Another container uses the image now. Nothing was removed.'),
  };
  return messages[change];
}

function pathKindMessage({ path, kind }: PathKindError): string {
  if (kind === 'folder') return l10n.t('{0} is a folder.', path);
  return kind === 'other'
    ? l10n.t('{0} is a device or pipe and has no contents.', path)
    : l10n.t('{0} is not a folder.', path);
}

/** Returns "Could not … . Reason.", with a colon before the words of an engine or program. */
export function failureMessage(what: string, error: unknown): string {
  // Rejected input explains itself; nothing was tried.
  if (error instanceof InputError || error instanceof MessageError) return messageOf(error);
  const own = ownMessage(error);
  const reason = own ?? formatFailure(error);
  const isQuoted = own === undefined && isQuotedFailure(error);
  return isQuoted ? l10n.t('{0}: {1}', what, reason) : l10n.t('{0}. {1}', what, reason);
}

/** Formats why an image was kept, for the reasons that Gantry finds itself. */
export function keptImageMessage(kept: Exclude<KeptImage, { why: 'refused' }>): string {
  return kept.why === 'used'
    ? l10n.t('A container uses the image.')
    : l10n.t('The image got a new tag in the meantime: {0}.', formatNames(kept.tags, 3));
}
