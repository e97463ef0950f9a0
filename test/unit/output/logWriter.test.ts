import assert from 'node:assert/strict';
import { LogWriter, type WriterClock } from '../../../src/output/logWriter.ts';

/** A clock that stands until it is told to go on. */
class HandClock implements WriterClock {
  #now = 0;
  #due: { readonly at: number; readonly action: () => void }[] = [];
  readonly breaths: (() => void)[] = [];

  now = (): number => this.#now;

  after = (milliseconds: number, action: () => void): { dispose: () => void } => {
    const entry = { at: this.#now + milliseconds, action };
    this.#due.push(entry);
    return {
      dispose: () => {
        this.#due = this.#due.filter((one) => one !== entry);
      },
    };
  };

  breathe = (): Promise<void> => new Promise((resolve) => this.breaths.push(resolve));

  goOn(milliseconds: number): void {
    this.#now += milliseconds;
    const due = this.#due.filter(({ at }) => at <= this.#now);
    this.#due = this.#due.filter(({ at }) => at > this.#now);
    for (const { action } of due) action();
  }
}

describe('a log writer', () => {
  let clock: HandClock;
  let appended: string[];
  let writer: LogWriter;

  beforeEach(() => {
    clock = new HandClock();
    appended = [];
    writer = new LogWriter((text) => appended.push(text), clock);
  });

  it('appends at once what comes after silence', async () => {
    await writer.write('one\n');
    assert.deepEqual(appended, ['one\n']);
  });

  it('appends what trickles once in 50 ms, in order', async () => {
    for (const text of ['one\n', 'two\n', 'three\n']) await writer.write(text);
    clock.goOn(49);
    await writer.write('four\n');
    assert.deepEqual(appended, ['one\n']);
    clock.goOn(1);
    assert.deepEqual(appended, ['one\n', 'two\nthree\nfour\n']);
    clock.goOn(1000);
    assert.equal(appended.length, 2);
  });

  it('lets the host breathe after each 64 KiB of a flood, and loses nothing', async () => {
    const line = 'x'.repeat(1023) + '\n';
    let [written, isThrough] = [0, false];
    const flood = (async () => {
      for (; written < 200; written++) await writer.write(line);
      isThrough = true;
    })();
    while (!isThrough) {
      await new Promise(setImmediate);
      clock.breaths.shift()?.();
    }
    await flood;
    writer.flush();
    assert.equal(appended.join(''), line.repeat(200));
    assert.ok(appended.length >= 4 && appended.length <= 6, String(appended.length));
  });

  it('does not take more of a flood before that breath is over', async () => {
    let isTaken = false;
    const write = writer.write('x'.repeat(64 * 1024)).then(() => (isTaken = true));
    await new Promise(setImmediate);
    assert.equal(appended.length, 1);
    assert.equal(isTaken, false);
    clock.breaths.shift()?.();
    await write;
  });

  it('appends what waits when told to', async () => {
    await writer.write('one\n');
    await writer.write('two\n');
    writer.flush();
    assert.deepEqual(appended, ['one\n', 'two\n']);
    clock.goOn(1000);
    assert.equal(appended.length, 2);
  });

  it('appends nothing after its end, not even what waited', async () => {
    await writer.write('one\n');
    await writer.write('two\n');
    writer.dispose();
    await writer.write('three\n');
    clock.goOn(1000);
    writer.flush();
    assert.deepEqual(appended, ['one\n']);
  });
});
