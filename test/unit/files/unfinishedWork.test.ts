import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeParts } from '../../../src/files/removeParts.ts';
import { UnfinishedWork } from '../../../src/files/unfinishedWork.ts';
import { fakeMemento } from '../support/commandLab.ts';

describe('files/unfinishedWork', () => {
  it('remembers work while it runs, and forgets it after it, however it ends', () => {
    const memory = fakeMemento();
    const work = new UnfinishedWork(memory);
    const leftNow = (): readonly string[] =>
      new UnfinishedWork(memory).left.map(({ kind, name }) => `${kind} ${name}`);
    const note = { kind: 'export', name: 'data' } as const;
    const failing = (): void => {
      using _note = work.begin(note);
      assert.deepEqual(leftNow(), ['export data']);
      throw new Error('cut');
    };
    assert.throws(failing, /cut/);
    assert.deepEqual(leftNow(), []);
  });

  it('remembers what ends because the window closes', () => {
    const memory = fakeMemento();
    const work = new UnfinishedWork(memory, 42, () => 'here');
    const file = { path: '/tmp/x.tar', token: '0123456789abcdef' };
    const again = { command: 'gantry.volumes.export', argument: { name: 'x' }, asks: false };
    const note = work.begin({ kind: 'export', name: 'x', file, again });
    const other = work.begin({ kind: 'pull', name: 'done' });
    other[Symbol.dispose]();
    work.close();
    note[Symbol.dispose]();
    const { left } = new UnfinishedWork(memory);
    assert.deepEqual(left, [
      { kind: 'export', name: 'x', processId: 42, origin: 'here', file, again, key: left[0]?.key },
    ]);
  });

  it('keeps in mind which builds were interrupted', () => {
    const memory = fakeMemento();
    const earlier = new UnfinishedWork(memory);
    earlier.begin({ kind: 'build', name: 'slowb', ref: 'abc' });
    const work = new UnfinishedWork(memory);
    assert.equal(work.isInterruptedBuild('abc'), true);
    work.settle(work.left);
    assert.deepEqual(work.left, []);
    const later = new UnfinishedWork(memory);
    assert.deepEqual(later.left, []);
    assert.equal(later.isInterruptedBuild('abc'), true);
    assert.equal(later.isInterruptedBuild('other'), false);
  });

  it('survives any stored value', () => {
    const memory = fakeMemento();
    const odd = [null, 7, {}, { kind: 'other', key: 'k', name: 'n', processId: 1 }];
    for (const value of [undefined, 'text', odd]) {
      void memory.update('gantry.unfinishedWork', value);
      assert.deepEqual(new UnfinishedWork(memory).left, []);
    }
  });
});

describe('files/removeParts', () => {
  const token = '0123456789abcdef';
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'gantry-parts-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  it('removes the parts of one write next to a file and in a folder, and nothing else', async () => {
    const others = ['x.tar', 'x.tar.fedcba9876543210.part', `.${token}.part.kept`];
    for (const name of [...others, `x.tar.${token}.part`]) writeFileSync(join(folder, name), '');
    assert.equal(await removeParts(join(folder, 'x.tar'), token), 1);
    assert.deepEqual(readdirSync(folder).sort(), others.toSorted());

    const outside = mkdtempSync(join(tmpdir(), 'gantry-parts-'));
    mkdirSync(join(folder, 'd', 'e'), { recursive: true });
    writeFileSync(join(folder, 'd', 'e', `big.${token}.part`), 'half');
    writeFileSync(join(folder, 'd', 'e', 'whole'), '');
    writeFileSync(join(outside, `mine.${token}.part`), '');
    symlinkSync(outside, join(folder, 'd', 'link'));
    assert.equal(await removeParts(join(folder, 'd'), token), 1);
    assert.deepEqual(readdirSync(join(folder, 'd', 'e')), ['whole']);
    assert.equal(await removeParts(join(folder, 'd', 'link'), token), 0);
    assert.deepEqual(readdirSync(outside), [`mine.${token}.part`]);
    rmSync(outside, { recursive: true });
  });

  it('removes nothing for what is not a token, or not absolute', async () => {
    writeFileSync(join(folder, 'x..part'), '');
    assert.equal(await removeParts(join(folder, 'x'), ''), 0);
    assert.equal(await removeParts('x', token), 0);
    assert.equal(await removeParts(join(folder, 'gone', 'x'), token), 0);
    assert.deepEqual(readdirSync(folder), ['x..part']);
  });
});
