/** What is said of the files that archives come from and go to. */

import { access } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import * as vscode from 'vscode';
import { FileProblemError, type FileProblem } from '../../files/archiveUpload.ts';
import { systemErrorCode, FileExistsError } from '../../files/writeAtomically.ts';
import { InputError, UploadError } from '../../engine/errors.ts';
import { MessageError } from '../errorMessages.ts';

const { l10n } = vscode;

/** The file that an argument names. @throws InputError where that is no whole path. */
export function checkArchivePath(path: string): string {
  if (isAbsolute(path) && !path.includes('\0')) return path;
  throw new InputError(l10n.t('"{0}" is no whole path of a file.', path));
}

/** The file that a person chose. @throws InputError where it is not in the file system of this machine. */
export function archivePath(uri: vscode.Uri): string {
  if (uri.scheme === 'file') return uri.fsPath;
  throw new InputError(l10n.t('"{0}" is not in a file system that archives can be in.', uri.path));
}

/** Whether something has this name on this machine. */
export function fileExists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Runs what reads or writes a file; the file system's errors become sentences. */
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
    return new MessageError(l10n.t('"{0}" is there already, and was left as it is.', path));
  }
  const words = codeMessage(systemErrorCode(error), path);
  return words === undefined ? error : new MessageError(words, { cause: error });
}

function problemMessage(problem: FileProblem, path: string): string {
  switch (problem) {
    case 'folder':
      return l10n.t('"{0}" is a folder. Choose an archive.', path);
    case 'notAFile':
      return l10n.t('"{0}" is no file. Choose an archive.', path);
    case 'empty':
      return l10n.t('"{0}" is empty.', path);
  }
}

function codeMessage(code: string, path: string): string | undefined {
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return l10n.t('There is no "{0}".', path);
    case 'EISDIR':
      return l10n.t('"{0}" is a folder.', path);
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return l10n.t('You have no right to "{0}".', path);
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EFBIG':
      return l10n.t('There is no room for "{0}" on its disk.', path);
    default:
      return undefined;
  }
}
