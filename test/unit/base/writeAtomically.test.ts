import assert from 'node:assert/strict';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileProblemError, archiveUpload } from '../../../src/files/archiveUpload.ts';
import {
  FileExistsError,
  placeFile,
  stampAt,
  writeAtomically,
} from '../../../src/base/writeAtomically.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'gantry-archive-'))));
afterEach(() => rmSync(folder, { recursive: true }));

async function* saying(...texts: readonly (string | Error)[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) {
    await Promise.resolve();
    if (text instanceof Error) throw text;
    yield Buffer.from(text);
  }
}

describe('base/writeAtomically', () => {
  const file = (): string => join(folder, 'it.tar');

  it('writes all chunks and reports the bytes written', async () => {
    const told: number[] = [];
    const onBytes = (written: number): unknown => told.push(written);
    const size = await writeAtomically(saying('ab', 'cde'), file(), { overwrite: false, onBytes });
    assert.equal(size, 5);
    assert.deepEqual(told, [2, 5]);
    assert.equal(readFileSync(file(), 'utf8'), 'abcde');
    assert.deepEqual(readdirSync(folder), ['it.tar']);
  });

  it('leaves no file if the source fails midway', async () => {
    for (const overwrite of [true, false]) {
      const source = saying('ab', new Error('gone'));
      await assert.rejects(writeAtomically(source, file(), { overwrite }), /gone/);
      assert.deepEqual(readdirSync(folder), []);
    }
  });

  it('keeps the old file until the new one is complete', async () => {
    writeFileSync(file(), 'old');
    const failing = writeAtomically(saying('new', new Error('gone')), file(), { overwrite: true });
    await assert.rejects(failing, /gone/);
    assert.equal(readFileSync(file(), 'utf8'), 'old');
    await writeAtomically(saying('new'), file(), { overwrite: true });
    assert.equal(readFileSync(file(), 'utf8'), 'new');
  });

  it('rejects an existing file without `overwrite`, before reading the source', async () => {
    writeFileSync(file(), 'old');
    let isRead = false;
    const source = (async function* () {
      isRead = true;
      yield* saying('new');
    })();
    await assert.rejects(writeAtomically(source, file(), { overwrite: false }), FileExistsError);
    assert.equal(readFileSync(file(), 'utf8'), 'old');
    assert.equal(isRead, false);
  });

  /** What another program does with the name while the export runs. */
  const others: Readonly<Record<string, () => void>> = {
    'writes to it': () => writeFileSync(file(), 'precious'),
    'renames onto it': () => {
      writeFileSync(join(folder, 'other'), 'precious');
      renameSync(join(folder, 'other'), file());
    },
    'links it to a missing file': () => symlinkSync('nowhere', file()),
  };

  for (const [what, act] of Object.entries(others)) {
    for (const ends of ['fails', 'succeeds']) {
      for (const before of ['nothing', 'an older file']) {
        it(`keeps the file of another program that ${what} over ${before} while an export ${ends}`, async () => {
          if (before !== 'nothing') writeFileSync(file(), 'old');
          const source = (async function* () {
            yield* saying('part');
            if (before !== 'nothing' && what.startsWith('links')) rmSync(file());
            act();
            if (ends === 'fails') throw new Error('cut');
          })();
          const overwrite = before !== 'nothing';
          const end = writeAtomically(source, file(), { overwrite });
          await assert.rejects(end, ends === 'fails' ? /cut/ : FileExistsError);
          assert.deepEqual(readdirSync(folder), ['it.tar']);
          if (!what.startsWith('links')) assert.equal(readFileSync(file(), 'utf8'), 'precious');
        });
      }
    }
  }

  it('keeps a file of another program that took the temporary name', async () => {
    const source = (async function* () {
      yield* saying('ab');
      const [part = ''] = readdirSync(folder);
      rmSync(join(folder, part));
      writeFileSync(join(folder, part), 'precious');
      throw new Error('cut');
    })();
    await assert.rejects(writeAtomically(source, file(), { overwrite: false }), /cut/);
    assert.deepEqual(
      readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8')),
      ['precious'],
    );
  });

  it('never makes an unfinished file visible under the final name', async () => {
    const source = (async function* () {
      yield* saying('ab');
      assert.deepEqual(
        readdirSync(folder).filter((name) => !name.endsWith('.part')),
        [],
      );
    })();
    await writeAtomically(source, file(), { overwrite: false });
  });

  it('places a file where hard links do not exist, and replaces nothing there', async () => {
    const noLinks = (): Promise<never> =>
      Promise.reject(Object.assign(new Error('no links'), { code: 'EPERM' }));
    const part = join(folder, 'part');
    writeFileSync(part, 'new');
    await placeFile(part, file(), undefined, noLinks);
    assert.deepEqual(readdirSync(folder), ['it.tar']);
    assert.equal(readFileSync(file(), 'utf8'), 'new');
    writeFileSync(part, 'newer');
    await assert.rejects(placeFile(part, file(), undefined, noLinks), FileExistsError);
    assert.equal(readFileSync(file(), 'utf8'), 'new');
    await placeFile(part, file(), await stampAt(file()), noLinks);
    assert.equal(readFileSync(file(), 'utf8'), 'newer');
    await assert.rejects(placeFile(part, join(folder, 'third'), undefined, noLinks), {
      code: 'ENOENT',
    });
    assert.deepEqual(readdirSync(folder), ['it.tar']);
  });

  it('replaces a link, and not the file that it leads to', async () => {
    writeFileSync(join(folder, 'other'), 'mine');
    symlinkSync('other', file());
    await writeAtomically(saying('new'), file(), { overwrite: true });
    assert.equal(readFileSync(join(folder, 'other'), 'utf8'), 'mine');
    assert.equal(readFileSync(file(), 'utf8'), 'new');
  });

  it('rejects a missing folder, and a path that is a folder', async () => {
    const nowhere = join(folder, 'no', 'it.tar');
    const options = { overwrite: true };
    await assert.rejects(writeAtomically(saying('a'), nowhere, options), { code: 'ENOENT' });
    mkdirSync(file());
    await assert.rejects(writeAtomically(saying('a'), file(), options), {
      code: /EISDIR|ENOTEMPTY/,
    });
    assert.deepEqual(readdirSync(folder), ['it.tar']);
  });
});

describe('files/archiveUpload', () => {
  it('streams the file with its size, and can be opened again', async () => {
    const path = join(folder, 'it.tar');
    writeFileSync(path, Buffer.alloc(700_000, 'x'));
    const told: number[] = [];
    const upload = await archiveUpload(path, 'application/x-tar', (read) => told.push(read));
    assert.equal(upload.size, 700_000);
    for (let turn = 0; turn < 2; turn++) {
      let size = 0;
      for await (const chunk of upload.open()) size += chunk.length;
      assert.equal(size, 700_000);
      assert.equal(told.at(-1), 700_000);
    }
  });

  it('rejects folders, special files, empty files, and missing files', async () => {
    const empty = join(folder, 'empty.tar');
    writeFileSync(empty, '');
    const problem = (name: string): Promise<unknown> =>
      archiveUpload(name, 'x').catch((error: unknown) =>
        error instanceof FileProblemError ? error.problem : (error as { code: string }).code,
      );
    assert.equal(await problem(folder), 'folder');
    assert.equal(await problem(empty), 'empty');
    assert.equal(await problem('/dev/null'), 'notAFile');
    assert.equal(await problem(join(folder, 'none')), 'ENOENT');
  });
});
