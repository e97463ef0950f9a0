import assert from 'node:assert/strict';
import { LogWriter } from '../../../src/output/logRuns.ts';
import { FakeClock, turn } from '../support/fakeClock.ts';

describe('LogWriter', () => {
  let clock: FakeClock;
  let appended: string[];
  let writer: LogWriter;

  beforeEach(() => {
    clock = new FakeClock();
    appended = [];
    writer = new LogWriter((text) => appended.push(text), clock);
  });

  it('appends immediately after a pause', async () => {
    await writer.write('one\n');
    assert.deepEqual(appended, ['one\n']);
  });

  it('appends a trickle every 50 ms, in order', async () => {
    for (const text of ['one\n', 'two\n', 'three\n']) await writer.write(text);
    clock.pass(49);
    await writer.write('four\n');
    assert.deepEqual(appended, ['one\n']);
    clock.pass(1);
    assert.deepEqual(appended, ['one\n', 'two\nthree\nfour\n']);
    clock.pass(1000);
    assert.equal(appended.length, 2);
  });

  it('pauses after each 64 KiB of a flood, and loses nothing', async () => {
    const line = 'x'.repeat(1023) + '\n';
    const progress = { written: 0, isThrough: false };
    const flood = (async () => {
      for (; progress.written < 200; progress.written++) await writer.write(line);
      progress.isThrough = true;
    })();
    while (!progress.isThrough) {
      await turn();
      clock.pass(5);
    }
    await flood;
    writer.flush();
    assert.equal(appended.join(''), line.repeat(200));
    assert.ok(appended.length >= 4 && appended.length <= 6, String(appended.length));
  });

  it('accepts no more of a flood before that pause is over', async () => {
    let isTaken = false;
    const write = writer.write('x'.repeat(64 * 1024)).then(() => (isTaken = true));
    clock.pass(4);
    await turn();
    assert.equal(appended.length, 1);
    assert.equal(isTaken, false);
    clock.pass(1);
    await write;
  });

  it('appends pending text on flush', async () => {
    await writer.write('one\n');
    await writer.write('two\n');
    writer.flush();
    assert.deepEqual(appended, ['one\n', 'two\n']);
    clock.pass(1000);
    assert.equal(appended.length, 2);
  });

  it('appends nothing after disposal, not even pending text', async () => {
    await writer.write('one\n');
    await writer.write('two\n');
    writer.dispose();
    await writer.write('three\n');
    clock.pass(1000);
    writer.flush();
    assert.deepEqual(appended, ['one\n']);
  });
});
