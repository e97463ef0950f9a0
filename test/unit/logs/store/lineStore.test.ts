import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { LineStore } from '../../../../src/logs/store/lineStore.ts';
import type { NewLine } from '../../../../src/logs/store/storedLine.ts';
import { removeLeftSpillFiles } from '../../../../src/logs/store/spillFile.ts';
import { StampPacker, type Stamp } from '../../../../src/logs/store/stampPacker.ts';
import { holds } from '../../properties/holds.ts';
import { given, line, someLines, someText, stamp, withFolder } from '../../support/lines.ts';

const stamps = new StampPacker();

/** Returns a line as the store returns it: an invalid timestamp becomes part of the text. */
function kept(added: NewLine): NewLine {
  const text = added.text.toWellFormed();
  if (stamps.isStamp(added.timestamp)) return { ...added, text };
  return { ...added, timestamp: '', text: `${added.timestamp} ${text}` };
}

type Action =
  | { readonly kind: 'append' | 'prepend'; readonly lines: readonly NewLine[] }
  | { readonly kind: 'clear' };

const someActions = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('append' as const), lines: someLines }) },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant('prepend' as const), lines: someLines }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('clear' as const) }) },
  ),
  { maxLength: 12 },
);

/** The expected behavior of a store, with an array. */
class Model {
  firstId = 0;
  endId = 0;
  lines: NewLine[] = [];

  apply(action: Action): void {
    if (action.kind === 'clear') {
      this.lines = [];
      this.firstId = this.endId;
    } else if (action.kind === 'append') {
      this.lines.push(...action.lines.map(kept));
      this.endId += action.lines.length;
    } else {
      this.lines.unshift(...action.lines.map(kept));
      this.firstId -= action.lines.length;
    }
  }

  read(from: number, to: number): readonly NewLine[] {
    return this.lines.slice(Math.max(0, from - this.firstId), Math.max(0, to - this.firstId));
  }
}

function apply(store: LineStore, action: Action): void {
  if (action.kind === 'clear') store.clear();
  else if (action.kind === 'append') store.append(action.lines);
  else store.prepend(action.lines);
}

describe('LineStore', function () {
  // Millions of lines, on any machine.
  this.timeout(30_000);
  const folder = withFolder();
  const open = (budgetBytes: number, maxSpillBytes?: number): LineStore =>
    new LineStore({
      budgetBytes,
      spillFolder: join(folder.path(), 'spill'),
      ...(maxSpillBytes !== undefined && { maxSpillBytes }),
    });

  for (const budget of [0, 200_000, 1e9])
    it(`returns every line as it was added, with a budget of ${budget} bytes`, () => {
      holds(
        fc.property(someActions, fc.nat(200), fc.nat(200), (actions, skip, count) => {
          const store = open(budget);
          const model = new Model();
          for (const action of actions) {
            apply(store, action);
            model.apply(action);
          }
          assert.deepEqual([store.firstId, store.endId], [model.firstId, model.endId]);
          const from = model.firstId + skip;
          const lines = store.read(from, from + count);
          assert.deepEqual(lines.map(given), model.read(from, from + count));
          assert.deepEqual(
            lines.map(({ id }) => id),
            lines.map((_, index) => from + index),
          );
          store.dispose();
        }),
        60,
      );
    });

  it('keeps IDs while the oldest lines are spilled, then dropped and counted', () => {
    const store = open(150_000, 300_000);
    const text = 'x'.repeat(1000);
    for (let id = 0; id < 3000; id++) store.append([line(`${id} ${text}`, stamp(id))]);
    assert.equal(store.endId, 3000);
    assert.ok(store.bytes <= 150_000, `${store.bytes}`);
    assert.ok(store.spilledBytes > 0 && store.spilledBytes <= 300_000, `${store.spilledBytes}`);
    assert.equal(store.droppedCount, store.firstId);
    assert.ok(store.firstId > 0);
    for (const { id, text: read } of store.read(0, 3000)) assert.equal(read, `${id} ${text}`);
    assert.equal(store.read(0, 3000).length, 3000 - store.firstId);
    store.prepend([line('older')]);
    assert.equal(
      store.droppedCount,
      store.firstId + 1,
      'an older line is dropped, because it would leave a gap',
    );
    store.dispose();
  });

  it('respects the budget for all its memory, and reuses space in the file', () => {
    const store = open(4_000_000, 8_000_000);
    const lines = Array.from({ length: 1000 }, (_, id) => line('y'.repeat(200), stamp(id)));
    for (let turn = 0; turn < 100; turn++) store.append(lines);
    assert.ok(store.bytes <= 4_000_000, `${store.bytes}`);
    const [name = ''] = readdirSync(join(folder.path(), 'spill'));
    const { size } = statSync(join(folder.path(), 'spill', name));
    assert.ok(size <= 9_000_000, `${size}`);
    store.dispose();
  });

  it('stores a line of ten megabytes without losing the thousands around it', () => {
    const store = open(1_000_000);
    const long = 'é'.repeat(5_000_000);
    const lines = Array.from({ length: 1000 }, (_, id) => line(String(id)));
    store.append([...lines, line(long), ...lines]);
    assert.equal(store.read(1000, 1001)[0]?.text, long);
    assert.deepEqual(
      store.read(990, 1010).map(({ text }) => text.length),
      [...Array<number>(10).fill(3), long.length, ...Array<number>(9).fill(1)],
    );
    store.dispose();
  });

  it('stores a million empty lines in 18 bytes each', () => {
    const store = open(1e9);
    const lines = Array.from({ length: 10_000 }, () => line(''));
    for (let turn = 0; turn < 100; turn++) store.append(lines);
    assert.ok(store.bytes < 18e6 + 1e6, `${store.bytes}`);
    assert.equal(store.read(999_999, 1_000_000)[0]?.timestamp, stamp(1));
    store.dispose();
  });

  it('packs lines as the log reader returns them, with their source', () => {
    const store = open(1e9);
    store.appendLines(7, [
      { source: 'stdout', timestamp: stamp(1), text: 'out' },
      { source: 'stderr', timestamp: stamp(2), text: 'ERROR err' },
    ]);
    assert.deepEqual(store.read(0, 2), [
      { id: 0, member: 7, kind: 'stdout', level: 'none', timestamp: stamp(1), text: 'out' },
      { id: 1, member: 7, kind: 'stderr', level: 'error', timestamp: stamp(2), text: 'ERROR err' },
    ]);
    store.dispose();
  });

  it('reads at most 10,000 lines at a time, fewer if they are long', () => {
    const store = open(1e9);
    store.append(Array.from({ length: 10_001 }, () => line('x')));
    assert.equal(store.read(0, 20_000).length, 10_000);
    assert.equal(store.read(-50, 1).length, 1);
    assert.equal(store.read(10_001, 10_002).length, 0);
    store.append(Array.from({ length: 10 }, () => line('z'.repeat(4 * 1024 * 1024))));
    assert.ok(store.read(10_001, 10_011).length < 10);
    store.dispose();
  });

  it('finds the first line at a time, whatever the time zone of its timestamp', () => {
    const store = open(0);
    store.append([
      line('a', '2026-08-01T10:00:00Z'),
      line('b', '2026-08-01T13:00:00.5+02:00'),
      line('c', '2026-08-01T12:00:00.000000001Z'),
    ]);
    const at = (moment: string): number => store.idAt(Date.parse(moment));
    assert.deepEqual(
      [at('2026-08-01T09:00:00Z'), at('2026-08-01T10:30:00Z'), at('2026-08-01T11:00:01Z')],
      [0, 1, 2],
    );
    assert.equal(at('2026-08-02T00:00:00Z'), 3);
    store.prepend([line('before', '2026-08-01T08:00:00Z')]);
    assert.deepEqual([at('2026-08-01T07:00:00Z'), at('2026-08-01T09:00:00Z')], [-1, 0]);
    store.dispose();
  });

  it('fires once for many changes', async () => {
    const store = open(1e9);
    let events = 0;
    const changed = new Promise<void>((resolve) => {
      store.onDidChange(() => {
        events += 1;
        resolve();
      });
    });
    for (let turn = 0; turn < 10; turn++) store.append([line('x')]);
    await changed;
    assert.equal(events, 1);
    store.dispose();
  });

  it('keeps as many lines as fit in memory and in the file', () => {
    const store = open(150_000, 300_000);
    for (let id = 0; id < 3000; id++) store.append([line('x'.repeat(1000), stamp(id))]);
    // Four pieces of the file, and at least one page.
    assert.equal(store.spilledBytes, 4 * 64 * 1024);
    assert.ok(store.endId - store.firstId > 4 * 60, `${store.firstId}`);
    store.dispose();
  });

  it('has nothing left after it was cleared, and says so', async () => {
    const store = open(150_000, 300_000);
    for (let id = 0; id < 1000; id++) store.append([line('x'.repeat(1000), stamp(id))]);
    await once(changesOf(store), 'change');
    const changed = once(changesOf(store), 'change');
    store.clear();
    await changed;
    const { bytes, spilledBytes, droppedCount, generation, firstId, endId } = store;
    assert.deepEqual(
      { bytes, spilledBytes, droppedCount, generation, firstId, endId },
      { bytes: 0, spilledBytes: 0, droppedCount: 0, generation: 1, firstId: 1000, endId: 1000 },
    );
    const { blocks, file, ...rest } = store.snapshot();
    assert.deepEqual([blocks, file], [[], undefined]);
    assert.deepEqual(rest, { generation: 1, firstId: 1000, endId: 1000 });
    store.prepend([line('older')]);
    assert.deepEqual([store.firstId, store.droppedCount], [999, 0]);
    store.dispose();
  });

  it('makes the file private, and deletes it when disposed', () => {
    const store = open(0);
    for (let turn = 0; turn < 10; turn++) store.append([line('x'.repeat(60_000))]);
    const file = store.snapshot().file ?? '';
    if (process.platform !== 'win32') {
      assert.equal(statSync(file).mode & 0o777, 0o600);
      assert.equal(statSync(join(folder.path(), 'spill')).mode & 0o777, 0o700);
    }
    assert.equal(readdirSync(join(folder.path(), 'spill')).length, 1);
    store.dispose();
    assert.equal(existsSync(file), false);
  });

  it('takes no lines, and writes no file, after it was disposed', () => {
    const store = open(0);
    store.dispose();
    for (let turn = 0; turn < 10; turn++) {
      store.append([line('x'.repeat(60_000))]);
      store.prepend([line('x'.repeat(60_000))]);
    }
    assert.deepEqual([store.firstId, store.endId, store.bytes], [0, 0, 0]);
    assert.equal(existsSync(join(folder.path(), 'spill')), false);
  });

  it('drops and counts lines that do not fit on a full disk', () => {
    const blocked = join(folder.path(), 'blocked');
    writeFileSync(blocked, 'a file where a folder should be');
    const store = new LineStore({ budgetBytes: 100_000, spillFolder: blocked });
    for (let id = 0; id < 100; id++) store.append([line('x'.repeat(10_000))]);
    assert.equal(store.endId, 100);
    assert.ok(store.firstId > 0);
    assert.equal(store.droppedCount, store.firstId);
    assert.equal(store.read(0, 100).length, 100 - store.firstId);
    store.dispose();
  });

  it('deletes the files of killed processes, and nothing else', async () => {
    const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
    await once(child, 'exit');
    const uuid = '00000000-0000-4000-8000-000000000000';
    const names = ['mine', `log-lines-${child.pid}-${uuid}`, `log-lines-${process.pid}-${uuid}`];
    for (const name of names) writeFileSync(join(folder.path(), name), '');
    removeLeftSpillFiles(folder.path());
    assert.deepEqual(readdirSync(folder.path()).sort(), [names[2], 'mine'].sort());
    removeLeftSpillFiles(join(folder.path(), 'absent'));
  });
});

describe('timestamps', () => {
  it('are unpacked exactly as they were packed', () => {
    const texts = fc.array(someText, { maxLength: 5 });
    holds(
      fc.property(
        fc.date({ min: new Date(0), max: new Date('2106-01-01') }),
        texts,
        (date, odd) => {
          if (Number.isNaN(date.getTime())) return;
          const moment = date.toISOString().slice(0, 19);
          const all = ['', '.1', '.12345', '.999999999'].flatMap((fraction) =>
            ['Z', '+05:45', '-11:00'].map((zone) => moment + fraction + zone),
          );
          for (const timestamp of [...all, ...odd.filter((text) => stamps.isStamp(text))])
            assert.equal(stamps.unpack(packedOf(timestamp)), timestamp);
        },
      ),
      100,
    );
  });

  for (const timestamp of [
    '2026-08-01T10:00:00Z',
    '2026-08-01T10:00:00.25+05:45',
    '2026-08-01T10:00:00.999-03:30',
    '2026-08-01T23:30:00.001-11:00',
  ])
    it(`have the time of ${timestamp}`, () => {
      assert.equal(stamps.milliseconds(packedOf(timestamp)), Date.parse(timestamp));
    });

  it('have no time if they are empty, and are refused if they are no dates', () => {
    assert.equal(stamps.milliseconds(packedOf('')), NaN);
    assert.equal(stamps.isStamp(''), true);
    for (const odd of ['2026-02-30T10:00:00Z', '2026-08-01 10:00:00Z', '1969-12-31T23:59:59Z'])
      assert.equal(stamps.isStamp(odd), false, odd);
    assert.equal(stamps.isStamp('2106-02-07T06:28:15Z'), true);
    assert.equal(stamps.isStamp('2106-02-07T06:28:16Z'), false);
  });

  it('have at most 25 time zones in one store', () => {
    const fresh = new StampPacker();
    const zoned = (hour: number, minute: string) =>
      fresh.isStamp(`2026-08-01T10:00:00+${String(hour).padStart(2, '0')}:${minute}`);
    assert(Array.from({ length: 24 }, (_, hour) => zoned(hour, '00')).every(Boolean));
    assert.deepEqual([zoned(1, '30'), zoned(1, '00')], [false, true]);
  });
});

/** Emits "change" for each change of a store. */
function changesOf(store: LineStore): EventEmitter {
  const emitter = new EventEmitter();
  store.onDidChange(() => emitter.emit('change'));
  return emitter;
}

function packedOf(timestamp: string): Stamp {
  const packed = {
    seconds: new Uint32Array(1),
    nanoseconds: new Uint32Array(1),
    forms: new Uint8Array(1),
  };
  assert.equal(stamps.pack([{ timestamp }], 0, 1, packed), true);
  return {
    seconds: packed.seconds[0]!,
    nanoseconds: packed.nanoseconds[0]!,
    form: packed.forms[0]!,
  };
}
