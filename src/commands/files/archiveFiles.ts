/** Checks and errors of archive files on the local machine. */

import * as l10n from '@vscode/l10n';
import { access } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { FileProblemError, type FileProblem } from '../../files/archiveUpload.ts';
import { systemErrorCode, FileExistsError } from '../../base/writeAtomically.ts';
import { InputError, UploadError } from '../../engine/errors.ts';
import { MessageError } from '../ui/errorMessage.ts';
import type { FileUri } from '../ui/ui.ts';
import { quotable } from '../../base/plainText.ts';

/** Returns the path in an argument. @throws InputError if it is not absolute. */
export function checkArchivePath(path: string): string {
  if (isAbsolute(path) && !path.includes('\0')) return path;
  throw new InputError(l10n.t('"{0}" is not an absolute file path.', quotable(path)));
}

/** Returns the path of the file that the user chose. @throws InputError if it is not in the local file system. */
export function archivePath(uri: FileUri): string {
  if (uri.scheme === 'file') return uri.fsPath;
  throw new InputError(l10n.t('"{0}" is not in a supported file system.', uri.path));
}

/** Whether a file or folder exists at this path. */
export function fileExists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Runs work on a file, and converts errors of the file system to messages. */
export async function withFileErrors<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw explained(error, path);
  }
}

function explained(error: unknown, path: string): unknown {
  if (error instanceof UploadError) return explained(error.cause, path);
  if (error instanceof FileProblemError)
    return new MessageError(problemMessage(error.problem, path));
  if (error instanceof FileExistsError) {
    return new MessageError(l10n.t('"{0}" already exists and was not changed.', path));
  }
  const words = codeMessage(systemErrorCode(error), path);
  return words === undefined ? error : new MessageError(words, { cause: error });
}

function problemMessage(problem: FileProblem, path: string): string {
  return {
    folder: l10n.t('"{0}" is a folder. Select an archive.', path),
    notAFile: l10n.t('"{0}" is not a file. Select an archive.', path),
    empty: l10n.t('"{0}" is empty.', path),
  }[problem];
}

function codeMessage(code: string, path: string): string | undefined {
  const isOneOf = (...codes: readonly string[]): boolean => codes.includes(code);
  if (isOneOf('ENOENT', 'ENOTDIR')) return l10n.t('"{0}" not found.', path);
  if (isOneOf('EISDIR')) return l10n.t('"{0}" is a folder.', path);
  if (isOneOf('EACCES', 'EPERM', 'EROFS')) return l10n.t('Permission denied: "{0}".', path);
  if (isOneOf('ENOSPC', 'EDQUOT', 'EFBIG')) return l10n.t('Not enough disk space for "{0}".', path);
  return undefined;
}
