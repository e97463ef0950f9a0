import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CommandHandler } from '../../../src/commands/frame/command.ts';
import { reportInterrupted } from '../../../src/app/reportInterrupted.ts';
import { UnfinishedWork, type WorkNote } from '../../../src/files/unfinishedWork.ts';
import { sightOf } from '../../../src/base/writeAtomically.ts';
import { fakeMemento } from '../support/commandLab.ts';
import { ScriptedUi } from '../support/scriptedUi.ts';

const DEAD = 1;

/** Returns what a window finds after one that did this has ended. */
function leftBy(...notes: readonly WorkNote[]): UnfinishedWork {
  const memory = fakeMemento();
  const earlier = new UnfinishedWork(memory, DEAD);
  for (const note of notes) earlier.begin(note);
  return new UnfinishedWork(memory);
}

const none = {
  handlerOf: () => Promise.reject(new Error('not asked for')),
  execute: () => Promise.reject(new Error('not asked for')),
  isRunning: () => false,
  pause: () => Promise.resolve(),
};

const texts = (ui: ScriptedUi): readonly string[] => ui.of('warn').map(({ text }) => text);

describe('app/reportInterrupted', () => {
  it('says what was interrupted, once, and removes what it left', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gantry-left-'));
    const path = join(folder, 'data.tar.gz');
    const token = '0123456789abcdef';
    writeFileSync(`${path}.${token}.part`, 'half');
    const work = leftBy({ kind: 'export', name: 'data', file: { path, token } });
    const ui = new ScriptedUi();
    await reportInterrupted(work, ui, none);
    await reportInterrupted(work, ui, none);
    assert.deepEqual(texts(ui), ['The export of data was interrupted by a reload.']);
    assert.equal(existsSync(`${path}.${token}.part`), false);
    rmSync(folder, { recursive: true });
  });

  it('says several in one message, and runs them again', async () => {
    const calls: unknown[] = [];
    const handlerOf = (id: string): Promise<CommandHandler> =>
      Promise.resolve((...given: unknown[]) => calls.push([id, ...given]));
    const execute = (...given: readonly unknown[]): Promise<unknown> =>
      Promise.resolve(calls.push(given));
    const build = { dockerfile: '/w/Dockerfile', context: '/w' };
    const pull = { reference: 'busybox' };
    const work = leftBy(
      {
        ...{ kind: 'build', name: 'slowb' },
        again: { command: 'gantry.images.build', argument: build, asks: true },
      },
      {
        ...{ kind: 'task', name: 'long' },
        again: { command: 'workbench.action.tasks.runTask', argument: 'long' },
      },
      {
        ...{ kind: 'pull', name: 'busybox' },
        again: { command: 'gantry.images.pull', argument: pull },
      },
      { kind: 'upload', name: 'web:/srv' },
    );
    const ui = new ScriptedUi();
    await reportInterrupted(work, ui, { ...none, handlerOf, execute });
    await ui.of('warn')[0]?.press?.('Run Again (3)');
    assert.deepEqual(texts(ui), [
      'Interrupted by a reload: build of slowb, task long, pull of busybox, upload to web:/srv.',
    ]);
    assert.deepEqual(calls, [
      ['workbench.action.tasks.runTask', 'long'],
      ['gantry.images.pull', pull],
      ['gantry.images.build', build, []],
    ]);
    assert.deepEqual(
      ui.of('info').map(({ text }) => text),
      ['Finished: pull of busybox.'],
    );
  });

  it('replaces again only the file that the user agreed to replace', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gantry-left-'));
    const path = join(folder, 'data.tar');
    const again = async (change: () => void): Promise<unknown> => {
      rmSync(path, { force: true });
      writeFileSync(path, 'old');
      const replaces = await sightOf(path);
      assert(replaces);
      const argument = { name: 'data', path, overwrite: true };
      const work = leftBy({
        ...{ kind: 'export', name: 'data', file: { path, token: '0123456789abcdef', replaces } },
        again: { command: 'gantry.volumes.export', argument },
      });
      const given: unknown[] = [];
      const ui = new ScriptedUi();
      const handlerOf = (): Promise<CommandHandler> =>
        Promise.resolve((one: unknown) => given.push(one));
      await reportInterrupted(work, ui, { ...none, handlerOf });
      change();
      await ui.of('warn')[0]?.press?.('Run Again');
      return (given[0] as typeof argument).overwrite;
    };
    assert.equal(await again(() => undefined), true);
    assert.equal(await again(() => writeFileSync(path, 'another backup')), false);
    rmSync(folder, { recursive: true });
  });

  it('takes no process of today for one before a restart of the machine', async () => {
    const memory = fakeMemento();
    const earlier = new UnfinishedWork(memory, DEAD, () => 'before');
    earlier.begin({ kind: 'clone', name: 'data' });
    const work = new UnfinishedWork(memory);
    const ui = new ScriptedUi();
    await reportInterrupted(work, ui, { ...none, isRunning: () => true });
    assert.deepEqual(texts(ui), ['The clone of data was interrupted by a reload.']);
  });

  it('leaves alone what a process does that still runs, and asks again later', async () => {
    const work = leftBy({ kind: 'clone', name: 'data' });
    const ui = new ScriptedUi();
    const waits: number[] = [];
    const pause = (milliseconds: number): Promise<void> => {
      waits.push(milliseconds);
      return Promise.resolve();
    };
    await reportInterrupted(work, ui, { ...none, pause, isRunning: () => true });
    assert.deepEqual(texts(ui), []);
    assert.equal(work.left.length, 1);
    const isRunning = (): boolean => waits.length < 9;
    await reportInterrupted(work, ui, { ...none, pause, isRunning });
    assert.deepEqual(texts(ui), ['The clone of data was interrupted by a reload.']);
    assert.equal(work.left.length, 0);
  });
});
