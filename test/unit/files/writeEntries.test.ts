import assert from 'node:assert/strict';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { TarEntry } from '../../../src/engine/archive/readTar.ts';
import { errorMessage } from '../../../src/commands/ui/errorMessage.ts';
import { failure } from '../support/lab.ts';
import { writeEntries, type DownloadResult } from '../../../src/files/writeEntries.ts';

function entry(name: string, kind: TarEntry['kind'], more: Partial<TarEntry> = {}): TarEntry {
  const contents = Readable.from([Buffer.from(`of ${name}`)]);
  return {
    name,
    kind,
    size: 0,
    permissions: 0o644,
    modifiedAt: 0,
    linkTarget: '',
    contents,
    ...more,
  };
}

const file = (name: string): TarEntry => entry(name, 'file');
const folder = (name: string): TarEntry => entry(name, 'folder', { permissions: 0o500 });
const link = (name: string, linkTarget: string): TarEntry => entry(name, 'link', { linkTarget });

describe('files/writeEntries', () => {
  let outer: string;
  let to: string;
  beforeEach(() => {
    outer = mkdtempSync(join(tmpdir(), 'gantry-download-'));
    to = join(outer, 'chosen');
    mkdirSync(to);
    writeFileSync(join(outer, 'secret'), 'mine');
  });
  afterEach(() => rmSync(outer, { recursive: true, force: true }));

  function write(entries: readonly TarEntry[], replace = false): Promise<DownloadResult> {
    return writeEntries(Readable.from(entries), to, { root: '/srv', replace });
  }

  /** Checks that nothing outside of the selected folder has changed. */
  function assertNothingOutside(): void {
    assert.deepEqual(readdirSync(outer).sort(), ['chosen', 'secret']);
    assert.equal(readFileSync(join(outer, 'secret'), 'utf8'), 'mine');
  }

  const reasons = ({ leftOut }: DownloadResult): readonly string[] =>
    leftOut.map(({ name, reason }) => `${name} ${reason}`);

  it('reports the bytes written, and sets file times that are given', async () => {
    const counts: number[] = [];
    const pieces = Readable.from([Buffer.from('one'), Buffer.from('three')]);
    const entries = [
      entry('dated', 'file', { contents: pieces, modifiedAt: 1_700_000_000_000 }),
      file('undated'),
    ];
    const before = Date.now() - 60_000;
    const { bytes } = await writeEntries(Readable.from(entries), to, {
      ...{ root: '/srv', replace: false },
      onBytes: (count) => counts.push(count),
    });
    assert.deepEqual([bytes, counts], [18, [3, 5, 10]]);
    assert.equal(lstatSync(join(to, 'dated')).mtimeMs, 1_700_000_000_000);
    assert(lstatSync(join(to, 'undated')).mtimeMs > before);
  });

  it('creates folders, files, and links in any order', async () => {
    const done = await write([
      link('./a/latest', 'b/file'),
      file('./a/b/file'),
      folder('./a/'),
      folder('./empty'),
      link('./abs', '/srv/a/b'),
    ]);
    assert.deepEqual([done.files, done.leftOut], [1, []]);
    assert.equal(readFileSync(join(to, 'a/latest'), 'utf8'), 'of ./a/b/file');
    assert.equal(readFileSync(join(to, 'abs/file'), 'utf8'), 'of ./a/b/file');
    assert.equal(readlinkSync(join(to, 'abs')), 'a/b');
    // Without permissions for its owner, the folder could not be filled.
    assert.equal(lstatSync(join(to, 'empty')).mode & 0o700, 0o700);
  });

  it('skips names that leave the folder', async () => {
    const names = ['../secret', 'a/../../secret', join(outer, 'secret'), 'a\0b'];
    const done = await write(names.map(file), true);
    assert.deepEqual(
      reasons(done),
      names.map((name) => `${name} outside`),
    );
    assertNothingOutside();
    assert.deepEqual(readdirSync(to), []);
  });

  it('skips links that lead out of the folder, and writes through no link', async () => {
    const done = await write(
      [
        link('up', '..'),
        file('up/secret'),
        link('etc', '/etc'),
        link('d', '.'),
        // Goes above the folder through another link, although the path looks harmless.
        link('deep', 'd/../secret'),
      ],
      true,
    );
    assert.deepEqual(reasons(done), ['up outside', 'etc outside', 'deep outside']);
    assert.equal(readFileSync(join(to, 'up/secret'), 'utf8'), 'of up/secret');
    assertNothingOutside();
  });

  it('writes through no link that existed before', async () => {
    symlinkSync(outer, join(to, 'there'));
    symlinkSync(join(outer, 'secret'), join(to, 'file'));
    const kept = await write([file('there/secret'), folder('there'), file('file')]);
    assert.deepEqual(reasons(kept), ['there/secret inTheWay', 'there inTheWay', 'file inTheWay']);
    const replaced = await write([file('there/secret'), file('file')], true);
    assert.deepEqual(reasons(replaced), ['there/secret inTheWay']);
    assert(lstatSync(join(to, 'file')).isFile());
    assertNothingOutside();
  });

  it('skips names longer than any file system allows', async () => {
    const { leftOut } = await write([file('a/'.repeat(1_000_000)), file('b')]);
    assert.deepEqual(leftOut, [{ name: 'a/'.repeat(2048), reason: 'name' }]);
    assert.deepEqual(readdirSync(to), ['b']);
  });

  it('skips names and link targets that are not UTF-8, which would get other names', async () => {
    const result = await write([file('caf\uFFFD.txt'), file('d\uFFFD/a'), link('l', 'b\uFFFD')]);
    assert.deepEqual(reasons(result), ['caf\uFFFD.txt name', 'd\uFFFD/a name', 'l link']);
    assert.deepEqual(readdirSync(to), []);
  });

  it('fails if the names exceed 256 MiB', async () => {
    const name = 'x'.repeat(4 * 1024 * 1024);
    const writing = write(Array.from({ length: 65 }, () => ({ ...file('x'), name })));
    const failed = await failure(writing, 'tooLarge');
    assert.match(errorMessage(failed), /archive is too large/);
  });

  it('skips devices, and hard links to files that were not written', async () => {
    const hard = entry('copy', 'hardLink', { linkTarget: 'first' });
    const stolen = entry('stolen', 'hardLink', { linkTarget: '../secret' });
    const done = await write([entry('null', 'other'), file('first'), hard, stolen]);
    assert.deepEqual(reasons(done), ['null special', 'stolen outside']);
    assert.equal(readFileSync(join(to, 'copy'), 'utf8'), 'of first');
    assert(!existsSync(join(to, 'stolen')));
  });

  it('resolves a hard link by its exact path, case included', async () => {
    writeFileSync(join(to, 'kept'), 'before');
    const done = await write([
      file('Makefile'),
      file('makefile'),
      entry('one', 'hardLink', { linkTarget: './Makefile' }),
      file('kept'),
      entry('two', 'hardLink', { linkTarget: 'kept' }),
      entry('three', 'hardLink', { linkTarget: 'elsewhere' }),
    ]);
    assert.equal(readFileSync(join(to, 'one'), 'utf8'), 'of Makefile');
    const left = reasons(done).filter((one) => !one.startsWith('makefile'));
    assert.deepEqual(left, ['kept inTheWay', 'two inTheWay', 'three outside']);
  });

  it('writes large files completely', async () => {
    const bytes = Buffer.alloc(3_000_000, 'gantry');
    const pieces = [bytes.subarray(0, 1_500_001), bytes.subarray(1_500_001)];
    await write([entry('large', 'file', { contents: Readable.from(pieces) })]);
    assert(readFileSync(join(to, 'large')).equals(bytes));
  });

  it('replaces files only if allowed, and never a folder by a file', async () => {
    writeFileSync(join(to, 'a'), 'before');
    mkdirSync(join(to, 'b'));
    assert.deepEqual(reasons(await write([file('a'), file('b')])), ['a inTheWay', 'b inTheWay']);
    assert.equal(readFileSync(join(to, 'a'), 'utf8'), 'before');
    assert.deepEqual(reasons(await write([file('a'), file('b')], true)), ['b inTheWay']);
    assert.equal(readFileSync(join(to, 'a'), 'utf8'), 'of a');
    assert.deepEqual(reasons(await write([file('a'), file('a')], true)), ['a inTheWay']);
  });

  it('replaces a file by a link, and keeps the file if the link cannot be created', async () => {
    for (const name of ['a', 'b']) writeFileSync(join(to, name), 'before');
    // Longer than any file system allows.
    const done = await write([link('a', 'x/'.repeat(2500)), link('b', 'a')], true);
    assert.deepEqual(reasons(done), ['a link']);
    assert.equal(readFileSync(join(to, 'a'), 'utf8'), 'before');
    assert.equal(readlinkSync(join(to, 'b')), 'a');
    assert.deepEqual(readdirSync(to).sort(), ['a', 'b']);
  });

  it('gives a file its name only when it is complete, also a new one', async () => {
    const seen: string[][] = [];
    const contents = (async function* () {
      yield await Promise.resolve(Buffer.from('half'));
      seen.push(readdirSync(to));
      yield Buffer.from('whole');
    })();
    const entries = Readable.from([entry('new.bin', 'file', { contents })]);
    await writeEntries(entries, to, { root: '/srv', replace: false, token: '0123456789abcdef' });
    assert.deepEqual(seen, [['new.bin.0123456789abcdef.part']]);
    assert.deepEqual(readdirSync(to), ['new.bin']);
    assert.equal(readFileSync(join(to, 'new.bin'), 'utf8'), 'halfwhole');
  });

  it('writes files with the longest names that file systems allow', async () => {
    const names = ['a'.repeat(255), 'ü'.repeat(127)];
    const { leftOut } = await write(names.map(file));
    assert.deepEqual(leftOut, []);
    assert.deepEqual(readdirSync(to).sort(), names);
  });

  it('keeps what another program writes to a name during the download', async () => {
    const taking = (name: string): TarEntry => {
      const contents = (async function* () {
        yield await Promise.resolve(Buffer.from('ours'));
        writeFileSync(join(to, name), 'precious');
      })();
      return entry(name, 'file', { contents });
    };
    writeFileSync(join(to, 'old'), 'replace me');
    const result = await write([taking('fresh'), taking('old')], true);
    assert.deepEqual(reasons(result), ['fresh inTheWay', 'old inTheWay']);
    assert.deepEqual(readdirSync(to).sort(), ['fresh', 'old']);
    for (const name of ['fresh', 'old'])
      assert.equal(readFileSync(join(to, name), 'utf8'), 'precious');
  });

  it('writes nothing through a folder that becomes a link during the download', async () => {
    const swapping = (async function* () {
      yield await Promise.resolve(folder('d'));
      rmSync(join(to, 'd'), { recursive: true });
      symlinkSync(outer, join(to, 'd'));
      yield file('d/secret');
      yield file('d/new');
      yield folder('d/deeper');
      yield link('d/link', 'new');
    })();
    const result = await writeEntries(swapping, to, { root: '/srv', replace: true });
    assert.deepEqual(reasons(result), [
      'd/secret inTheWay',
      'd/new inTheWay',
      'd/deeper inTheWay',
      'd/link link',
    ]);
    assertNothingOutside();
  });

  it('copies no other file for a hard link to a file that becomes a link', async () => {
    const swapping = (async function* () {
      yield await Promise.resolve(file('one'));
      rmSync(join(to, 'one'));
      symlinkSync('../secret', join(to, 'one'));
      yield entry('two', 'hardLink', { linkTarget: 'one' });
    })();
    const result = await writeEntries(swapping, to, { root: '/srv', replace: false });
    assert.deepEqual(reasons(result), ['two inTheWay']);
    assert.deepEqual(readdirSync(to), ['one']);
  });

  it('keeps the old file and leaves no partial one if the tar breaks off', async () => {
    writeFileSync(join(to, 'a'), 'before');
    const broken = async function* (): AsyncGenerator<Uint8Array> {
      yield await Promise.resolve(Buffer.from('half'));
      throw new Error('cut');
    };
    for (const name of ['a', 'b']) {
      const one = entry(name, 'file', { contents: broken() });
      await assert.rejects(write([one], true), { message: 'cut' });
    }
    assert.deepEqual(readdirSync(to), ['a']);
    assert.equal(readFileSync(join(to, 'a'), 'utf8'), 'before');
  });
});
