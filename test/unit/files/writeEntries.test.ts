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
import { errorMessage } from '../../../src/commands/errorMessages.ts';
import { english } from '../../../src/l10n.ts';
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

describe('files/download: a tar written to this machine', () => {
  let outer: string;
  let to: string;
  beforeEach(() => {
    outer = mkdtempSync(join(tmpdir(), 'gantry-download-'));
    to = join(outer, 'chosen');
    mkdirSync(to);
    writeFileSync(join(outer, 'secret'), 'mine');
  });
  afterEach(() => {
    rmSync(outer, { recursive: true, force: true });
  });

  function write(entries: readonly TarEntry[], replace = false): Promise<DownloadResult> {
    return writeEntries(Readable.from(entries), to, { root: '/srv', replace });
  }

  /** Nothing but the folder chosen is otherwise than before. */
  function assertNothingOutside(): void {
    assert.deepEqual(readdirSync(outer).sort(), ['chosen', 'secret']);
    assert.equal(readFileSync(join(outer, 'secret'), 'utf8'), 'mine');
  }

  const reasons = ({ leftOut }: DownloadResult): readonly string[] =>
    leftOut.map(({ name, reason }) => `${name} ${reason}`);

  it('makes folders, files and links, whatever the order', async () => {
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
    // A folder its owner may not enter could not be filled.
    assert.equal(lstatSync(join(to, 'empty')).mode & 0o700, 0o700);
  });

  it('leaves out what would leave the folder', async () => {
    const names = ['../secret', 'a/../../secret', join(outer, 'secret'), 'a\0b'];
    const done = await write(names.map(file), true);
    assert.deepEqual(
      reasons(done),
      names.map((name) => `${name} outside`),
    );
    assertNothingOutside();
    assert.deepEqual(readdirSync(to), []);
  });

  it('leaves out links that lead out, and writes through none', async () => {
    const done = await write(
      [
        link('up', '..'),
        file('up/secret'),
        link('etc', '/etc'),
        link('d', '.'),
        // By way of another link it would be above the folder, though it does not look so.
        link('deep', 'd/../secret'),
      ],
      true,
    );
    assert.deepEqual(reasons(done), ['up outside', 'etc outside', 'deep outside']);
    assert.equal(readFileSync(join(to, 'up/secret'), 'utf8'), 'of up/secret');
    assertNothingOutside();
  });

  it('writes through no link that was there before', async () => {
    symlinkSync(outer, join(to, 'there'));
    symlinkSync(join(outer, 'secret'), join(to, 'file'));
    const kept = await write([file('there/secret'), folder('there'), file('file')]);
    assert.deepEqual(reasons(kept), ['there/secret inTheWay', 'there inTheWay', 'file inTheWay']);
    const replaced = await write([file('there/secret'), file('file')], true);
    assert.deepEqual(reasons(replaced), ['there/secret inTheWay']);
    assert(lstatSync(join(to, 'file')).isFile());
    assertNothingOutside();
  });

  it('leaves out names that no file system takes', async () => {
    const { leftOut } = await write([file('a/'.repeat(1_000_000)), file('b')]);
    assert.deepEqual(leftOut, [{ name: 'a/'.repeat(2048), reason: 'name' }]);
    assert.deepEqual(readdirSync(to), ['b']);
  });

  it('ends with a sentence past 256 MiB of names', async () => {
    const long = 'x'.repeat(4 * 1024 * 1024);
    const writing = write(Array.from({ length: 65 }, () => file(long)));
    const failed = await failure(writing, 'tooLarge');
    assert.match(errorMessage(failed, english), /archive with more than Gantry takes/);
  });

  it('leaves out devices, and hard links to what it has not written', async () => {
    const hard = entry('copy', 'hardLink', { linkTarget: 'first' });
    const stolen = entry('stolen', 'hardLink', { linkTarget: '../secret' });
    const done = await write([entry('null', 'other'), file('first'), hard, stolen]);
    assert.deepEqual(reasons(done), ['null special', 'stolen outside']);
    assert.equal(readFileSync(join(to, 'copy'), 'utf8'), 'of first');
    assert(!existsSync(join(to, 'stolen')));
  });

  it('fills a hard link from the file of exactly that name', async () => {
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

  it('writes large files whole', async () => {
    const bytes = Buffer.alloc(3_000_000, 'gantry');
    const pieces = [bytes.subarray(0, 1_500_001), bytes.subarray(1_500_001)];
    await write([entry('large', 'file', { contents: Readable.from(pieces) })]);
    assert(readFileSync(join(to, 'large')).equals(bytes));
  });

  it('replaces nothing unless it may, and never a folder by a file', async () => {
    writeFileSync(join(to, 'a'), 'before');
    mkdirSync(join(to, 'b'));
    assert.deepEqual(reasons(await write([file('a'), file('b')])), ['a inTheWay', 'b inTheWay']);
    assert.equal(readFileSync(join(to, 'a'), 'utf8'), 'before');
    assert.deepEqual(reasons(await write([file('a'), file('b')], true)), ['b inTheWay']);
    assert.equal(readFileSync(join(to, 'a'), 'utf8'), 'of a');
    assert.deepEqual(reasons(await write([file('a'), file('a')], true)), ['a inTheWay']);
  });

  it('keeps what was there, and no half of a file, where the tar breaks off', async () => {
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
