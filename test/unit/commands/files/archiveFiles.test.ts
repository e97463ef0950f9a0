import assert from 'node:assert/strict';
import {
  archivePath,
  checkArchivePath,
  withFileErrors,
} from '../../../../src/commands/files/archiveFiles.ts';
import { InputError, UploadError } from '../../../../src/engine/errors.ts';
import { FileProblemError } from '../../../../src/files/archiveUpload.ts';
import { FileExistsError } from '../../../../src/base/writeAtomically.ts';

function systemError(code: string): Error {
  return Object.assign(new Error(code), { code });
}

describe('commands/archiveFiles', () => {
  it('explains what is wrong with a file, also if its upload failed', async () => {
    const cases: readonly [error: Error, message: string][] = [
      [new FileProblemError('folder'), '"/a" is a folder. Select an archive.'],
      [new FileProblemError('notAFile'), '"/a" is not a file. Select an archive.'],
      [new FileProblemError('empty'), '"/a" is empty.'],
      [new FileExistsError('/a'), '"/a" already exists and was not changed.'],
      [systemError('ENOENT'), '"/a" not found.'],
      [systemError('ENOTDIR'), '"/a" not found.'],
      [systemError('EISDIR'), '"/a" is a folder.'],
      [systemError('EACCES'), 'Permission denied: "/a".'],
      [systemError('ENOSPC'), 'Not enough disk space for "/a".'],
    ];
    for (const [error, message] of cases)
      for (const thrown of [error, new UploadError(error)])
        await assert.rejects(
          withFileErrors('/a', () => Promise.reject(thrown)),
          { message },
        );
  });

  it('passes on any other error, and the result', async () => {
    const other = systemError('ECONNRESET');
    await assert.rejects(
      withFileErrors('/a', () => Promise.reject(other)),
      other,
    );
    assert.equal(await withFileErrors('/a', () => Promise.resolve(7)), 7);
  });

  it('accepts only absolute paths on this machine', () => {
    assert.equal(checkArchivePath('/a/b.tar'), '/a/b.tar');
    for (const path of ['b.tar', '', '/a\0b'])
      assert.throws(() => checkArchivePath(path), InputError);
    const uri = { path: '/a/b.tar', fsPath: '/a/b.tar' };
    assert.equal(archivePath({ ...uri, scheme: 'file' }), '/a/b.tar');
    assert.throws(() => archivePath({ ...uri, scheme: 'vscode-vfs' }), InputError);
  });
});
