import assert from 'node:assert/strict';
import type { LogLine } from '../../../../src/engine/model.ts';
import { TimeMerge } from '../../../../src/logs/follow/timeMerge.ts';
import { seen } from '../../support/logLab.ts';

function line(second: number, text: string): LogLine {
  return {
    source: 'stdout',
    timestamp: `2026-08-01T10:00:${String(second).padStart(2, '0')}.000000000Z`,
    text,
  };
}

describe('TimeMerge', () => {
  it('writes an older line that comes slightly later first, and keeps the order within each log', async () => {
    const said: string[] = [];
    const merge = new TimeMerge({
      lines: (_, lines) => {
        said.push(...lines.map(({ text }) => text));
        return Promise.resolve();
      },
      marker: (_, marker) => {
        said.push(marker.kind);
        return Promise.resolve();
      },
    });
    merge.add(0);
    merge.add(1);
    await merge.open();
    void merge.lines(0, [line(2, 'b'), line(1, 'after b'), line(6, 'e')]);
    void merge.lines(1, [line(1, 'a')]);
    void merge.marker(1, { kind: 'started' }, line(3, '').timestamp);
    void merge.lines(1, [line(4, 'd')]);
    await seen(() => said.length === 6);
    assert.deepEqual(said, ['a', 'b', 'after b', 'started', 'd', 'e']);
    merge.dispose();
  });

  it('is open once the lines so far are written, even if more keep coming', async () => {
    const said: string[] = [];
    let isOpen = false;
    let left = 50;
    const merge = new TimeMerge({
      lines: (member, lines) => {
        said.push(...lines.map(({ text }) => text));
        if (!isOpen && left-- > 0) void merge.lines(1 - member, [line(3, 'live')]);
        return Promise.resolve();
      },
      marker: () => Promise.resolve(),
    });
    await merge.lines(0, [line(2, 'b')]);
    await merge.lines(1, [line(1, 'a')]);
    await merge.open();
    isOpen = true;
    assert.deepEqual(said.slice(0, 2), ['a', 'b']);
    assert(left > 0);
    merge.dispose();
  });

  it('makes all members wait while the sink is slow, and loses nothing', async () => {
    let took = 0;
    let letGo: (() => void) | undefined;
    const gate = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const merge = new TimeMerge({
      lines: async (_, lines) => {
        await gate;
        took += lines.length;
      },
      marker: () => Promise.resolve(),
    });
    await merge.open();
    const batch = Array.from({ length: 1000 }, () => line(1, 'x'));
    let taken = 0;
    let isOver = false;
    const sending = [0, 1].map(async (member) => {
      for (let round = 0; round < 100; round++) {
        await merge.lines(member, batch);
        taken += batch.length;
      }
    });
    const all = Promise.all(sending).then(() => (isOver = true));
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
    assert.equal(isOver, false);
    assert.ok(taken < 20_000, String(taken));
    letGo?.();
    await all;
    await seen(() => took === 200_000);
    merge.dispose();
  });

  it('gives away what is from before a time, but no messages, and nothing that is too much to keep', async () => {
    const said: string[] = [];
    const merge = new TimeMerge({
      lines: (_, lines) => {
        for (const { text } of lines) said.push(text);
        return Promise.resolve();
      },
      marker: (_, marker) => {
        said.push(marker.kind);
        return Promise.resolve();
      },
    });
    const first = line(1, '').timestamp;
    const third = line(3, '').timestamp;
    await merge.lines(0, [line(1, 'a'), line(2, 'b'), line(3, 'c'), line(1, 'after c')]);
    await merge.marker(1, { kind: 'exited', exitCode: 0 }, first);
    await merge.marker(1, { kind: 'lost' }, first);
    const many = Array.from({ length: 50_000 }, () => line(2, 'x'));
    for (const member of [2, 3]) await merge.lines(member, many);
    const taken = [0, 1].map((member) => merge.removeBefore(member, third));
    assert.deepEqual(taken, [
      [{ line: line(1, 'a') }, { line: line(2, 'b') }],
      [{ marker: { kind: 'exited', exitCode: 0 }, at: first }],
    ]);
    const counts = [2, 3].map((member) => merge.removeBefore(member, third).length);
    assert.deepEqual(counts, [50_000, 0]);
    await merge.open();
    assert.deepEqual([said[0], said.length, ...said.slice(-2)], ['lost', 50_003, 'c', 'after c']);
    merge.dispose();
  });

  it('makes a member that floods wait until all are open, but none with its tail', async () => {
    let took = 0;
    const merge = new TimeMerge({
      lines: (_, lines) => {
        took += lines.length;
        return Promise.resolve();
      },
      marker: () => Promise.resolve(),
    });
    merge.add(1);
    const batch = Array.from({ length: 1000 }, () => line(1, 'x'));
    let taken = 0;
    const flood = async (): Promise<void> => {
      for (; taken < 200_000; taken += batch.length) await merge.lines(0, batch);
    };
    const flooding = flood();
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
    assert.ok(taken < 100_000, String(taken));
    await merge.lines(1, batch);
    await merge.marker(1, { kind: 'exited', exitCode: 0 }, line(2, '').timestamp);
    assert.equal(took, 0);
    await merge.open();
    await flooding;
    await seen(() => took === 201_000);
    merge.dispose();
  });

  it('releases waiting members when it is disposed', async () => {
    const merge = new TimeMerge({
      lines: () => new Promise(() => undefined),
      marker: () => Promise.resolve(),
    });
    await merge.open();
    const waiting = merge.lines(
      0,
      Array.from({ length: 30_000 }, () => line(1, 'x')),
    );
    merge.dispose();
    await waiting;
  });
});
