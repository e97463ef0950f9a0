import assert from 'node:assert/strict';
import { openConnection, type Connection } from '../../../../src/engine/http/connection.ts';
import { LogReader } from '../../../../src/engine/logs/logReader.ts';
import type { LogLine } from '../../../../src/engine/model.ts';
import { startFakeEngine, type FakeEngine } from '../../support/fakeEngine.ts';
import {
  BEHAVIOURS,
  framing,
  logAnswer,
  pingOf,
  type Behaviour,
  type StoredRecord,
} from '../../support/logStore.ts';

const START = 1_785_571_200_000_000_000n;
const PIECE = 16_384;

/** A log that is hard to page: equal stamps, equal texts, long lines, two streams, no line feed at the end. */
function awkwardLog(count: number, spacing: bigint, between = 1n): readonly StoredRecord[] {
  const records: StoredRecord[] = [];
  let at = START;
  for (let index = 0; index < count; index++) {
    if (index % 5 !== 3) at += spacing;
    const kind = index % 3 === 0 ? 2 : 1;
    if (index % 40 === 17) {
      // All pieces of a long line have the stamp of the first one, with a stderr line in between.
      for (let piece = 0; piece < 3; piece++)
        records.push({ kind: 1, at, text: 'a'.repeat(PIECE) });
      records.push(
        { kind: 2, at: at + between, text: 'between\n' },
        { kind: 1, at, text: 'end\n' },
      );
    } else records.push({ kind, at, text: index % 7 < 4 ? 'same\n' : `${index}\n` });
  }
  return [...records, { kind: 1, at: at + 1n, text: 'no end' }];
}

function shown({ source, text }: LogLine): string {
  return `${source} ${text.length > 40 ? `${text.length} ${text.slice(-10)}` : text}`;
}

function of(lines: readonly LogLine[], source: string): readonly string[] {
  return lines.filter((line) => line.source === source).map(shown);
}

describe('a log paged backwards', () => {
  let engine: FakeEngine;
  let connection: Connection;
  let records: readonly StoredRecord[];
  const controller = new AbortController();

  beforeEach(async () => {
    engine = await startFakeEngine();
    connection = openConnection({
      url: engine.url,
      transport: { kind: 'socket', path: engine.socket },
      source: 'setting',
    });
  });

  afterEach(async () => {
    connection.dispose();
    await engine.stop();
  });

  function serve(behaviour: Behaviour): void {
    engine.ping(pingOf(behaviour));
    const frames = framing(behaviour);
    engine.answer((request, response) => {
      response.end(logAnswer(records, behaviour, request, frames));
    });
  }

  async function read(reader: LogReader, onCaughtUp?: () => void): Promise<LogLine[]> {
    const lines: LogLine[] = [];
    const reading = { follow: false, onCaughtUp };
    for await (const batch of await reader.open(connection, reading, controller.signal))
      lines.push(...batch);
    return [...lines, ...reader.flush()];
  }

  for (const behaviour of BEHAVIOURS)
    for (const [name, spacing] of [
      ['a fast log', 100n],
      ['a slow log', 1_300_000_000n],
    ] as const)
      for (const [tail, page] of [
        [1, 9],
        [3, 25],
        [10, 100],
        [0, 30],
        [80, 1000],
      ] as const)
        it(`equals the log read forwards: ${behaviour}, ${name}, tail ${tail} and pages of ${page}`, async () => {
          // In Podman, a single writer writes both streams, so its stamps never decrease.
          records = awkwardLog(150, spacing, behaviour === 'podman5' ? 0n : 1n);
          serve(behaviour);
          const forwards = await read(new LogReader('x', { tail: 'all', hasTty: false }));
          const reader = new LogReader('x', { tail, hasTty: false });
          let lines = await read(reader, () => undefined);
          for (let isStart = false; !isStart;) {
            const older = await reader.older(connection, page, controller.signal);
            assert.ok(older.isStart || older.lines.length >= page, `${older.lines.length}`);
            lines = [...older.lines, ...lines];
            ({ isStart } = older);
          }
          for (const source of ['stdout', 'stderr'])
            assert.deepEqual(of(lines, source), of(forwards, source));
        });

  for (const behaviour of BEHAVIOURS)
    it(`loads many pages per request if many pages are requested: ${behaviour}`, async () => {
      records = awkwardLog(1200, 100n, behaviour === 'podman5' ? 0n : 1n);
      serve(behaviour);
      const forwards = await read(new LogReader('x', { tail: 'all', hasTty: false }));
      const reader = new LogReader('x', { tail: 10, hasTty: false });
      let lines = await read(reader, () => undefined);
      const before = engine.seen.length;
      for (let isStart = false; !isStart;) {
        const older = await reader.older(connection, 30, controller.signal);
        lines = [...older.lines, ...lines];
        ({ isStart } = older);
      }
      assert.ok(engine.seen.length - before < 15, `${engine.seen.length - before}`);
      for (const source of ['stdout', 'stderr'])
        assert.deepEqual(of(lines, source), of(forwards, source));
    });

  it('has no older lines if everything was read first', async () => {
    records = awkwardLog(5, 100n);
    serve('docker24');
    const reader = new LogReader('x', { tail: 'all', hasTty: false });
    await read(reader, () => undefined);
    assert.deepEqual(await reader.older(connection, 10, controller.signal), {
      lines: [],
      isStart: true,
    });
  });

  it('continues correctly if new lines are written in the meantime', async () => {
    records = awkwardLog(200, 100n).slice(0, -1);
    serve('docker20');
    const all = await read(new LogReader('x', { tail: 'all', hasTty: false }));
    const reader = new LogReader('x', { tail: 10, hasTty: false });
    const lines = await read(reader, () => undefined);
    const last = records.at(-1)!.at;
    const more = (_: unknown, index: number): StoredRecord => ({
      kind: 1,
      at: last + 10_000_000_000n + BigInt(index),
      text: 'late\n',
    });
    records = [...records, ...Array.from({ length: 3000 }, more)];
    const { lines: older } = await reader.older(connection, 50, controller.signal);
    const both = [...older, ...lines];
    assert.deepEqual(both.map(shown), all.slice(-both.length).map(shown));
    assert.ok(older.length >= 50);
  });

  it('ends if the engine has discarded the older lines', async () => {
    records = awkwardLog(100, 100n);
    serve('docker24');
    const reader = new LogReader('x', { tail: 10, hasTty: false });
    await read(reader, () => undefined);
    records = awkwardLog(10, 100n).map((one) => ({ ...one, at: one.at + 10n ** 15n }));
    assert.deepEqual(await reader.older(connection, 10, controller.signal), {
      lines: [],
      isStart: true,
    });
  });

  it('can be requested again after a failure', async () => {
    records = awkwardLog(100, 100n);
    serve('docker24');
    const all = await read(new LogReader('x', { tail: 'all', hasTty: false }));
    const reader = new LogReader('x', { tail: 10, hasTty: false });
    const lines = await read(reader, () => undefined);
    engine.answer((_, response) => {
      response.destroy();
    });
    await assert.rejects(reader.older(connection, 10, controller.signal));
    serve('docker24');
    const { lines: older } = await reader.older(connection, 10, controller.signal);
    const both = [...older, ...lines];
    assert.deepEqual(both.map(shown), all.slice(-both.length).map(shown));
  });

  it('is counted from the start for a TTY without stamps', async () => {
    records = [];
    serve('podman4');
    const said = Array.from({ length: 50 }, (_, index) => `${index}\r\n`).join('');
    engine.answer((_, response) => {
      response.end(said);
    });
    const reader = new LogReader('x', { tail: 5, hasTty: true, wantsStamps: false });
    let lines = await read(reader, () => undefined);
    assert.equal(lines[0]?.text, '45');
    const before = engine.seen.length;
    for (let isStart = false; !isStart;) {
      const older = await reader.older(connection, 7, controller.signal);
      lines = [...older.lines, ...lines];
      ({ isStart } = older);
    }
    assert.equal(engine.seen.length - before, 1);
    assert.deepEqual(
      lines.map(({ text }) => text),
      Array.from({ length: 50 }, (_, index) => String(index)),
    );
  });
});
