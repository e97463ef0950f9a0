import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import type { TarEntry } from '../../../src/engine/archive/readTar.ts';
import { FileIndex, findPaths } from '../../../src/files/fileIndex.ts';

const NOTHING = Readable.from([]);

function entry(name: string, more: Partial<TarEntry> = {}): TarEntry {
  const kind = name.endsWith('/') ? 'folder' : 'file';
  const own = { name, kind, size: 1, permissions: 0, modifiedAt: 0, linkTarget: '' } as const;
  return { ...own, contents: NOTHING, ...more };
}

function indexOf(room: number, ...names: readonly string[]): FileIndex {
  const index = new FileIndex(room);
  for (const name of names) index.add(entry(name));
  return index;
}

function namesIn(index: FileIndex, ...path: string[]): string {
  const listing = index.list(path);
  if (!listing) return 'none';
  const names = listing.entries.map(({ name }) => name).join(' ');
  return names + (listing.isWhole ? '' : ' …');
}

describe('files/fileIndex', () => {
  it('contains all folders below, whether or not names start with a dot', () => {
    for (const dot of ['', './']) {
      const index = indexOf(99, `${dot}b/`, `${dot}b/c/`, `${dot}b/c/d`, `${dot}a`, './');
      assert.equal(namesIn(index), 'a b');
      assert.equal(namesIn(index, 'b', 'c'), 'd');
      assert.equal(namesIn(index, 'a'), 'none');
      assert.equal(namesIn(index, 'x'), 'none');
      assert(index.isWhole);
    }
  });

  it('keeps files apart whose names are not UTF-8 and look the same', () => {
    const index = indexOf(99, 'caf\uFFFD', 'caf\uFFFD', 'b/', 'b/caf\uFFFD', 'a', 'a');
    assert.equal(namesIn(index), 'a b caf\uFFFD caf\uFFFD (2)');
    assert.equal(namesIn(index, 'b'), 'caf\uFFFD');
  });

  it('ignores names that leave the folder, and entries below a file', () => {
    const index = indexOf(99, '../x', '/etc/x', 'a/../../x', 'a', 'a/b', 'n/o/folder');
    assert.equal(namesIn(index), 'a …');
    assert.equal(index.size, 1);
  });

  it('keeps the listing of the top folder complete if there is no room for deeper entries', () => {
    const index = indexOf(3, 'a/', 'a/1', 'a/2', 'a/3', 'b/', 'b/1', 'c');
    assert.equal(namesIn(index), 'a b c');
    assert.equal(namesIn(index, 'a'), '1 2 …');
    assert.equal(namesIn(index, 'b'), ' …');
    assert(!index.isWhole);
  });

  it('limits the entries of the top folder, and reports that it is full', () => {
    const index = indexOf(3, 'a', 'b/', 'c', 'a');
    assert.equal(index.isFull, false);
    for (const name of ['d', 'b/1', 'e']) index.add(entry(name));
    assert.deepEqual([index.isFull, index.size], [true, 3]);
    const { entries, ...rest } = index.list([]) ?? { entries: [] };
    assert.deepEqual([entries.length, rest], [3, { isWhole: false, isFull: true }]);
    assert.equal(index.list(['b'])?.isFull, undefined);
  });

  it('limits names to 64 MiB in total, and skips names longer than any file system allows', () => {
    const index = indexOf(99_999, 'a'.repeat(9000));
    assert.deepEqual([index.size, index.isWhole], [0, false]);
    const long = 'x'.repeat(4000);
    for (let at = 0; at < 20_000; at++) index.add(entry(`${at}${long}`));
    assert(index.size < 17_000 && index.isFull);
  });

  it('counts a path once that comes several times', () => {
    const index = new FileIndex(99);
    const long = 'x'.repeat(4000);
    for (let at = 0; at < 20_000; at++) index.add(entry(long, { linkTarget: long }));
    index.add(entry('y'));
    assert.deepEqual([index.size, index.isWhole], [2, true]);
  });

  it('counts nothing below a folder that a file replaces', () => {
    const replaced = indexOf(4, 'a/', 'a/1', 'a/2', 'a', 'a/', 'a/3', 'a/4', 'a/5');
    assert.deepEqual([namesIn(replaced, 'a'), replaced.size], ['3 4 5', 4]);
  });

  it('keeps a folder that comes again, and that it is incomplete', () => {
    const index = indexOf(3, 'a/', 'a/1', 'a/2', 'a/3', 'a/');
    assert.equal(namesIn(index, 'a'), '1 2 …');
  });

  it('marks the folders as incomplete in which reading stopped', () => {
    const index = indexOf(99, 'a/', 'a/1', 'b/', 'b/c/', 'b/c/1');
    index.cut();
    assert.equal(namesIn(index), 'a b …');
    assert.equal(namesIn(index, 'a'), '1');
    assert.equal(namesIn(index, 'b'), 'c …');
    assert.equal(namesIn(index, 'b', 'c'), '1 …');
  });

  it('gives a hard link the size of its file', () => {
    const index = indexOf(99, 'a/', 'a/b');
    index.add(entry('c', { kind: 'hardLink', size: 0, linkTarget: './a/b' }));
    index.add(entry('d', { kind: 'hardLink', size: 0, linkTarget: '../../etc/passwd' }));
    assert.deepEqual([index.find(['c'])?.kind, index.find(['c'])?.size], ['file', 1]);
    assert.equal(index.find(['d'])?.size, 0);
  });

  it('holds 100,000 entries and finds paths in them', () => {
    const index = new FileIndex(200_000);
    for (let folder = 0; folder < 100; folder++) {
      index.add(entry(`d${folder}/`));
      for (let at = 0; at < 1000; at++) index.add(entry(`d${folder}/file-${at}.txt`));
    }
    assert.equal(index.size, 100_100);
    const found = findPaths(index, 'D7 File-99', 10).map(({ path }) => path);
    assert.deepEqual(found.slice(0, 2), ['d7/file-99.txt', 'd7/file-990.txt']);
    assert.equal(found.length, 10);
    assert.deepEqual(findPaths(index, 'nothing here', 10), []);
    const files = findPaths(index, 'd7', 10, ({ kind }) => kind !== 'folder');
    assert.deepEqual([files.length, files[0]?.path], [10, 'd7/file-0.txt']);
  });
});
