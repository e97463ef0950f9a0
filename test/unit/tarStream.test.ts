import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { forNode } from '../../scripts/bundles.mjs';
import * as source from '../../src/engine/archive/readTar.ts';
import * as written from '../../src/engine/archive/writeTar.ts';
import type { NewEntry } from '../../src/engine/archive/writeTar.ts';
import { filesOf } from './support/bundled.ts';

const ROOT = join(import.meta.dirname, '../..');
const PLAIN = { permissions: 0o640, modifiedAt: 5000 };
const LONG = `${'n'.repeat(300)}/日本`;

/** A short and a long name each, an owner whose number is too large for the field, and a link. */
const entries = (): readonly NewEntry[] => [
  { ...PLAIN, name: 'folder', kind: 'folder', uid: 3_000_000, gid: 7 },
  ...['folder/a', LONG, `${'d/'.repeat(70)}nöne`].map((name): NewEntry => {
    const open = () => Readable.from([Buffer.from('abc'), Buffer.from(name)]);
    return { ...PLAIN, name, kind: 'file', size: 3 + Buffer.byteLength(name), open };
  }),
  { ...PLAIN, name: 'link', kind: 'link', linkTarget: LONG },
];

describe('tar-stream', () => {
  it('needs of the packages that are replaced only what these have', () => {
    const read = (file: string): string => readFileSync(join(ROOT, 'node_modules', file), 'utf8');
    const files = ['extract', 'headers', 'pack'].map((name) => read(`tar-stream/${name}.js`));
    const names = [...files.join('').matchAll(/\bb4a\.(\w+)/g)].map(([, name]) => name);
    assert.deepEqual([...new Set(names)].toSorted(), [
      ...['alloc', 'byteLength', 'concat', 'copy', 'equals', 'from', 'isBuffer'],
      ...['toString', 'write'],
    ]);
    const decoders = read('streamx/index.js').match(/new TextDecoder/g);
    assert.equal(decoders?.length, 1);
    assert.doesNotMatch(files.join(''), /setEncoding/);
  });

  it('writes and reads the same in the bundle', async function () {
    // Takes seconds on a busy machine.
    this.timeout(60_000);
    const folder = mkdtempSync(join(tmpdir(), 'gantry-tar-'));
    try {
      const entry = join(folder, 'entry.ts');
      const from = (name: string): string =>
        `export * from '${join(ROOT, 'src/engine/archive', name)}';`;
      writeFileSync(entry, from('readTar.ts') + from('writeTar.ts'));
      mkdirSync(join(folder, 'parts'));
      for (const { name, code } of await filesOf(forNode({ entry })))
        writeFileSync(join(folder, name), code);
      const built = (await import(join(folder, 'entry.js'))) as typeof source & typeof written;
      const bytes = await buffer(Readable.from(written.writeTar(entries())));
      assert.deepEqual(await buffer(Readable.from(built.writeTar(entries()))), bytes);
      const listed = async ({ readTar }: Pick<typeof source, 'readTar'>): Promise<unknown[]> => {
        const all: unknown[] = [];
        for await (const { contents, ...fields } of readTar(Readable.from([bytes])))
          all.push([fields, String(await buffer(contents))]);
        return all;
      };
      const read = await listed(source);
      assert.equal(read.length, 5);
      assert.deepEqual(await listed(built), read);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
