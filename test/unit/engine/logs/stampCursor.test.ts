import assert from 'node:assert/strict';
import { CountCursor } from '../../../../src/engine/logs/countedPages.ts';
import { LineJoiner, type RecordGate } from '../../../../src/engine/logs/lineJoiner.ts';
import { StampCursor } from '../../../../src/engine/logs/stampCursor.ts';
import { FramedLogDecoder } from '../../../../src/engine/logs/framedLogDecoder.ts';
import { shiftedDate } from '../../../../src/engine/logs/logStamps.ts';
import type { LogLine } from '../../../../src/engine/model.ts';
import { frame } from '../../support/chunks.ts';
import {
  BEHAVIOURS,
  framed,
  framing,
  selectRecords,
  stampOf,
  type Behaviour,
  type StoredRecord,
} from '../../support/logStore.ts';

const START = 1_785_571_200_000_000_000n;

/** A log that is hard to resume, with `spacing` nanoseconds between records. */
function awkwardLog(spacing: bigint, count: number): readonly StoredRecord[] {
  let at = START;
  return Array.from({ length: count }, (_, index): StoredRecord => {
    const kind = index % 3 === 0 ? 2 : 1;
    // Pieces of one line have the same stamp; lines of the two streams can be slightly out of order.
    if (index % 7 !== 1 && index % 7 !== 2) at += spacing;
    const moment = index % 5 === 4 ? at - spacing / 2n - 1n : at;
    const isPiece = index % 7 === 0 || index % 7 === 1;
    return { kind: isPiece ? 1 : kind, at: moment, text: `${index % 4}${isPiece ? '' : '\n'}` };
  });
}

/** Returns `count` lines, about a millisecond apart. The first one is `from` nanoseconds after the start. */
function numbered(name: string, from: bigint, count: number): readonly StoredRecord[] {
  return Array.from({ length: count }, (_, index): StoredRecord => {
    const at = START + from + BigInt(index) * 1_000_003n;
    return { kind: index % 3 === 0 ? 2 : 1, at, text: `${name}${index}\n` };
  });
}

function textsOf(lines: readonly LogLine[]): string[] {
  return lines.map(({ source, text }) => `${source} ${text}`);
}

/** Reads up to byte `cut`, then everything from `since` on. Returns all received lines. */
function readInTwo(
  records: readonly StoredRecord[],
  behaviour: Behaviour,
  tail: string,
  cut: (bytes: number) => number,
  frames = framing(behaviour),
): string[] {
  const cursor = new StampCursor({ isTailed: tail !== 'all' });
  const joiner = new LineJoiner({ hasStamps: true, gate: cursor });
  // The second half is written while the connection is down.
  const known = records.slice(0, records.length / 2);
  const first = frames(selectRecords(known, behaviour, { tail }));
  const lines = [...new FramedLogDecoder(joiner).push(first.subarray(0, cut(first.length)))];
  const again =
    cursor.since === undefined
      ? selectRecords(known, behaviour, { tail }).concat(records.slice(known.length))
      : selectRecords(records, behaviour, { since: asAsked(cursor.since, behaviour) });
  cursor.rewind();
  lines.push(...new FramedLogDecoder(joiner).push(frames(again)), ...joiner.flush());
  return textsOf(lines);
}

/** Returns `since` as `requestLogs` sends it. */
function asAsked(since: string, behaviour: Behaviour): string {
  return behaviour.startsWith('docker') ? since : shiftedDate(since, -1n);
}

function readInOne(records: readonly StoredRecord[], behaviour: Behaviour, tail: string): string[] {
  const joiner = new LineJoiner({ hasStamps: true });
  const known = selectRecords(records.slice(0, records.length / 2), behaviour, { tail });
  const all = known.concat(records.slice(records.length / 2));
  return textsOf([...new FramedLogDecoder(joiner).push(framed(all, behaviour)), ...joiner.flush()]);
}

describe('resuming a log', () => {
  for (const behaviour of BEHAVIOURS) {
    for (const [name, spacing] of [
      ['a fast log', 1000n],
      ['a slow log', 700_000_000n],
    ] as const) {
      it(`neither repeats nor loses a line, whatever byte it was cut at: ${behaviour}, ${name}`, () => {
        const records = awkwardLog(spacing, 48);
        const expected = readInOne(records, behaviour, 'all');
        const frames = framing(behaviour);
        const { length } = frames(records.slice(0, 24));
        for (let cut = 0; cut <= length; cut++) {
          const read = readInTwo(records, behaviour, 'all', () => cut, frames);
          // Comparing thousands of lists line by line takes seconds.
          if (read.join('\n') !== expected.join('\n'))
            assert.deepEqual(read, expected, `cut at ${cut}`);
        }
      });
    }

    it(`works for logs longer than what is remembered: ${behaviour}`, () => {
      const records = awkwardLog(1000n, 3000);
      const expected = readInOne(records, behaviour, 'all');
      const frames = framing(behaviour);
      for (let part = 1; part <= 20; part++)
        assert.deepEqual(
          readInTwo(records, behaviour, 'all', (bytes) => Math.floor((bytes * part) / 20), frames),
          expected,
          `part ${part}`,
        );
    });

    it(`works if the first request read only the last lines: ${behaviour}`, () => {
      // The texts differ, because lines within one second are only distinguished by their text. The lines are in
      // order, because the cursor does not know which ones `tail` omitted.
      const records = awkwardLog(1000n, 60)
        .map((one, index) => ({ ...one, text: `${index} ${one.text}` }))
        .sort((a, b) => Number(a.at - b.at));
      for (const tail of ['1', '2', '3', '5', '10'])
        assert.deepEqual(
          readInTwo(records, behaviour, tail, (bytes) => bytes),
          readInOne(records, behaviour, tail),
          `tail ${tail}`,
        );
    });
  }

  describe('drops the records before a tail that a request returns because the streams are not in order', () => {
    const record = (kind: 1 | 2, nanoseconds: bigint, text: string): StoredRecord => ({
      ...{ kind, at: START + nanoseconds, text: `${text}\n` },
    });

    const logs = {
      'with later times than some in the tail': [
        ...[record(1, 105n, 'before'), record(1, 98n, 'before')],
        ...[record(2, 99n, 'a'), record(2, 101n, 'b'), record(1, 106n, 'c')],
      ],
      'with the time of the only record in the tail': [
        ...[record(1, 99n, 'before'), record(1, 98n, 'before'), record(2, 99n, 'a')],
      ],
    };
    for (const [name, records] of Object.entries(logs))
      it(name, () => {
        const cursor = new StampCursor({ isTailed: true });
        const lines: string[] = [];
        const read = (some: readonly StoredRecord[]): void => {
          const decoder = new FramedLogDecoder(new LineJoiner({ hasStamps: true, gate: cursor }));
          lines.push(...decoder.push(framed(some, 'docker24')).map(({ text }) => text));
        };
        read(selectRecords(records, 'docker24', { tail: String(records.length - 2) }));
        const all = [...records, record(1, 107n, 'd')];
        const again = selectRecords(all, 'docker24', { since: cursor.since });
        assert.equal(again[0], records[0]);
        for (const acceptsGap of [false, true]) {
          cursor.rewind({ acceptsGap });
          read(again);
          assert.equal(cursor.hasGap, false);
        }
        const tail = records.slice(2).map(({ text }) => text.trim());
        assert.deepEqual(lines, [...tail, 'd']);
      });
  });

  it('has no start if nothing was received', () => {
    assert.equal(new StampCursor({ isTailed: false }).since, undefined);
    assert.equal(new StampCursor({ isTailed: true }).since, undefined);
  });

  it('keeps all digits of the time', () => {
    const cursor = new StampCursor({ isTailed: false });
    push(cursor, '2026-08-01T10:00:00.123456789+02:00 x\n');
    assert.equal(cursor.since, '1785571200.123456789');
  });

  it('continues after the clock was set back', () => {
    const cursor = new StampCursor({ isTailed: true });
    push(cursor, '2026-08-01T10:00:00.000000005Z a\n');
    push(cursor, '2026-08-01T09:00:00.000000005Z b\n');
    assert.equal(cursor.since, '1785574800.000000005');
    cursor.rewind();
    assert.deepEqual(push(cursor, '2026-08-01T09:00:00.000000005Z b\n'), []);
    assert.deepEqual(push(cursor, '2026-08-01T09:00:00.000000006Z c\n'), ['c']);
  });

  for (const behaviour of BEHAVIOURS)
    it(`neither repeats nor loses a line after the clock was set back: ${behaviour}`, () => {
      const before = numbered('a', 0n, 600);
      for (const count of [1, 100, 300, 600]) {
        const records = [
          ...before,
          ...numbered('b', -10_000_000_000n, count),
          ...numbered('c', -9_000_000_000n, 600 + count),
        ];
        for (const tail of ['all', `${count + 500}`, `${count + 50}`])
          assert.deepEqual(
            readInTwo(records, behaviour, tail, (bytes) => bytes),
            readInOne(records, behaviour, tail),
            `${count} lines, tail ${tail}`,
          );
      }
    });

  for (const [what, discarded] of [
    ['and nothing was discarded', 0],
    ['and the engine has discarded what was received', 8],
  ] as const)
    it(`loses no line if the clock was set back shortly before a tail, ${what}`, () => {
      for (const back of [1, 2, 3, 4])
        for (const seconds of [1n, 3n, 5n, 8n]) {
          const known = [
            ...numbered('a', 0n, back),
            ...numbered('b', -seconds * 1_000_003n, 8 - back),
          ];
          const added = numbered('c', 1_000_000_000n, 8);
          const cursor = new StampCursor({ isTailed: true });
          const joiner = new LineJoiner({ hasStamps: true, gate: cursor });
          const read = (records: readonly StoredRecord[]): readonly string[] =>
            textsOf(new FramedLogDecoder(joiner).push(framed(records, 'docker24')));
          read(known.slice(-2));
          const log = [...known, ...added].slice(discarded);
          const { since } = cursor;
          cursor.rewind();
          const again = read(selectRecords(log, 'docker24', { since }));
          const from = again.findIndex((line) => line.endsWith('c0'));
          assert.deepEqual(
            again.slice(from),
            added.map(({ kind, text }) => `${kind === 1 ? 'stdout' : 'stderr'} ${text.trim()}`),
          );
        }
    });

  it('detects a gap after the clock was set back, when a record is later than all before', () => {
    const cursor = new StampCursor({ isTailed: false });
    for (const { at, text } of [...numbered('a', 0n, 600), ...numbered('b', -10_000_000_000n, 1)])
      push(cursor, `${stampOf(at, 'docker24')} ${text}`);
    cursor.rewind();
    const [late, later] = numbered('c', 10_000_000_000n, 2).map(({ at }) =>
      stampOf(at, 'docker24'),
    );
    assert.deepEqual(push(cursor, `${late} late\n`), ['late']);
    assert.equal(cursor.hasGap, true);
    assert.deepEqual(push(cursor, `${later} later\n`), ['later']);
  });

  it('starts with the oldest remembered stamp, whatever was received last', () => {
    const cursor = new StampCursor({ isTailed: false });
    push(cursor, '2026-08-01T10:00:00.000000005Z a\n');
    push(cursor, '2026-08-01T10:00:00.000000003Z b\n');
    assert.equal(cursor.since, '1785578400.000000003');
  });

  it('drops the received records of the second in which a tail began', () => {
    const cursor = new StampCursor({ isTailed: true });
    const said = ['a', 'tick', 'tick'].map((text) => `2026-08-01T10:00:00Z ${text}\n`);
    for (const line of said.slice(1)) push(cursor, line);
    cursor.rewind();
    assert.deepEqual(
      said.flatMap((line) => push(cursor, line)),
      [],
    );
    assert.deepEqual(push(cursor, '2026-08-01T10:00:00Z new\n'), ['new']);
  });

  it('can be repeated', () => {
    const cursor = new StampCursor({ isTailed: false });
    const lines = ['1', '2', '3', '4'].map((second) => `2026-08-01T10:00:0${second}Z line\n`);
    for (let known = 1; known <= lines.length; known++) {
      cursor.rewind();
      const texts = lines.slice(0, known).flatMap((line) => push(cursor, line));
      assert.deepEqual(texts, ['line'], `reading ${known}`);
    }
  });
});

describe('resuming a log without stamps', () => {
  it('starts at the same time each time, and drops as many lines as were received', () => {
    const cursor = new CountCursor('12.5');
    const said = ['a', 'a', 'b', 'a', 'a'];
    for (let known = 1; known <= said.length; known++) {
      assert.equal(cursor.since, '12.5');
      cursor.rewind();
      const texts = said.slice(0, known).flatMap((text) => push(cursor, `${text}\n`, false));
      assert.deepEqual(texts, said.slice(known - 1, known), `reading ${known}`);
    }
  });

  it('counts again from where it is moved to', () => {
    const cursor = new CountCursor(undefined);
    push(cursor, 'a\n', false);
    cursor.moveTo('13');
    cursor.rewind();
    assert.deepEqual(push(cursor, 'a\n', false), ['a']);
    assert.equal(cursor.since, '13');
  });
});

function push(cursor: RecordGate, payload: string, hasStamps = true): string[] {
  const joiner = new LineJoiner({ hasStamps, gate: cursor });
  return new FramedLogDecoder(joiner).push(frame(1, payload)).map(({ text }) => text);
}
