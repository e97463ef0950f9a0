import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { extract } from 'tar-stream';
import { TarValidator } from '../../../../src/engine/archive/tarValidator.ts';
import { writeTar, type NewEntry } from '../../../../src/engine/archive/writeTar.ts';

const PLAIN = { permissions: 0o640, modifiedAt: 5000 };

function file(name: string, size: number, ...parts: readonly string[]): NewEntry {
  const open = () => Readable.from(parts.map((part) => Buffer.from(part)));
  return { ...PLAIN, name, kind: 'file', size, open };
}

describe('writeTar', () => {
  it('writes each entry in order, as given', async () => {
    const entries: NewEntry[] = [
      { ...PLAIN, name: 'folder', kind: 'folder' },
      file('folder/a', 6, 'abc', 'def'),
      { ...PLAIN, name: 'link', kind: 'link', linkTarget: 'folder/a' },
      file('empty', 0),
    ];
    const read: unknown[] = [];
    for await (const entry of Readable.from(writeTar(entries)).pipe(extract())) {
      const { type, mode, mtime, linkname } = entry.header;
      const bytes = await buffer(entry);
      read.push([entry.header.name, type, mode, mtime.getTime(), linkname, String(bytes)]);
    }
    assert.deepEqual(read, [
      ['folder', 'directory', 0o640, 5000, null, ''],
      ['folder/a', 'file', 0o640, 5000, null, 'abcdef'],
      ['link', 'symlink', 0o640, 5000, 'folder/a', ''],
      ['empty', 'file', 0o640, 5000, null, ''],
    ]);
  });

  it('writes the nearest date that fits: engines refuse any other', async () => {
    const dateOf = async (modifiedAt: number): Promise<string> => {
      const entry = { ...PLAIN, name: 'a', kind: 'folder', modifiedAt } as const;
      const header = await buffer(Readable.from(writeTar([entry])));
      return header.toString('latin1', 136, 148).trim();
    };
    assert.equal(await dateOf(-3_600_000), '00000000000');
    assert.equal(await dateOf(Date.UTC(2100, 0)), '17777777777');
  });

  it('keeps a zero in each numeric field, also for names that need a longer header', async () => {
    const zero = { permissions: 0, uid: 0, gid: 0, modifiedAt: 0, size: 0 };
    for (const name of ['none', 'nöne', 'n'.repeat(300)]) {
      const entries: NewEntry[] = [
        { ...zero, name, kind: 'file' },
        { ...zero, name: `${name}-folder`, kind: 'folder' },
        { ...zero, name: `${name}-link`, kind: 'link', linkTarget: name },
        { ...zero, name: `${name}-pipe`, kind: 'pipe' },
        { ...zero, name: `${name}-again`, kind: 'file', sameAs: name },
      ];
      const found: unknown[] = [];
      for await (const entry of Readable.from(writeTar(entries)).pipe(extract())) {
        const { mode, uid, gid, size, mtime } = entry.header;
        entry.resume();
        found.push([mode, uid, gid, size, mtime.getTime()]);
      }
      assert.deepEqual(
        found,
        entries.map(() => [0, 0, 0, 0, 0]),
      );
    }
  });

  it('writes pipes, and another name of a file as a hard link without data', async () => {
    const entries: NewEntry[] = [
      file('a', 3, 'abc'),
      { ...file('b', 3, 'abc'), sameAs: 'a' },
      { ...PLAIN, name: 'p', kind: 'pipe', size: 5 },
    ];
    const read: unknown[] = [];
    for await (const entry of Readable.from(writeTar(entries)).pipe(extract())) {
      const { name, type, linkname } = entry.header;
      read.push([name, type, linkname, String(await buffer(entry))]);
    }
    assert.deepEqual(read, [
      ['a', 'file', null, 'abc'],
      ['b', 'link', 'a', ''],
      ['p', 'fifo', null, ''],
    ]);
  });

  it('keeps every owner', async () => {
    for (const uid of [0, 0o777777, 0o1000000, 4_294_967_294]) {
      const entry = { ...PLAIN, name: 'data/', kind: 'folder', uid, gid: uid } as const;
      const owners: unknown[] = [];
      const validator = new TarValidator((header) => owners.push([header.uid, header.gid]));
      for await (const chunk of writeTar([entry])) validator.push(chunk);
      assert.deepEqual([owners, validator.end], [[[uid, uid]], 'whole']);
    }
  });

  it('fails if a file has more or fewer bytes than its size', async () => {
    for (const size of [2, 4]) {
      await assert.rejects(buffer(Readable.from(writeTar([file('a', size, 'abc')]))), /size/i);
    }
  });
});
