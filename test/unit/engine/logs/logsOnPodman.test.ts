import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { OVERDUE } from '../../support/fakeClock.ts';
import { LogReader } from '../../../../src/engine/logs/logReader.ts';
import type { LogLine } from '../../../../src/engine/model.ts';
import { frame } from '../../support/chunks.ts';
import { json } from '../../support/fakeEngine.ts';
import { when } from '../../support/lab.ts';
import {
  BEHAVIOURS,
  framed,
  logAnswer,
  pingOf,
  type StoredRecord,
} from '../../support/logStore.ts';
import { LogReaderLab, textsOf } from './support/logReaderLab.ts';

const T1 = '2026-08-01T10:00:00.000000001Z';
const T2 = '2026-08-01T10:00:00.100000002Z';

describe('a container log on Podman', () => {
  let lab: LogReaderLab;

  beforeEach(async () => {
    lab = await LogReaderLab.open();
    lab.engine.ping(pingOf('podman4'));
  });
  afterEach(() => lab.close());

  it('yields existing lines although the engine does not respond until the container writes', async () => {
    const followed = new Promise<ServerResponse>((resolve) => {
      lab.engine.answer(({ query }, response) => {
        if (query.get('follow') === '1') resolve(response);
        else response.end(frame(1, `${T1} before\n`));
      });
    });
    const reader = new LogReader('x', { tail: 3, hasTty: false }, OVERDUE);
    const batches = await reader.open(lab.connection, { follow: true }, lab.controller.signal);
    const iterator = batches[Symbol.asyncIterator]();
    assert.equal((await next(iterator))?.[0]?.text, 'before');
    const later = next(iterator);
    (await followed).write(frame(1, `${T2} later\n`));
    assert.equal((await later)?.[0]?.text, 'later');
    const { query } = lab.engine.seen.find((one) => one.query.get('follow') === '1')!;
    assert.deepEqual(
      [query.get('since'), query.get('tail')],
      ['2026-08-01T10:00:00.000000000Z', null],
    );
  });

  it('throws a late error response while iterating', async () => {
    lab.engine.answer(({ query }, response) => {
      if (query.get('follow') === '1') json(response, 500, { message: 'no such driver' });
      else response.end();
    });
    const reader = new LogReader('x', { tail: 'all', hasTty: false });
    const batches = await reader.open(lab.connection, { follow: true }, lab.controller.signal);
    await assert.rejects(textsOf(batches), { reason: 'failed', engineMessage: 'no such driver' });
  });

  it('yields the uncertain end of a followed log only after another request', async () => {
    lab.answerWith(
      '',
      Buffer.concat([frame(1, `${T1} one\n`), frame(1, `${T2} three\n`)]),
      Buffer.concat([frame(1, `${T1} one\n`), frame(1, `${T1} two\n`), frame(1, `${T2} three\n`)]),
    );
    const reader = new LogReader('x', { tail: 'all', hasTty: false });
    assert.deepEqual(await lab.read(reader, true), []);
    assert.deepEqual(await lab.read(reader), ['one', 'two', 'three']);
    assert.deepEqual(reader.flush(), []);
  });

  it('yields the uncertain end on flush if there is no other request', async () => {
    lab.answerWith('', Buffer.concat([frame(1, `${T1} one\n`), frame(1, `${T2} thr`)]));
    const reader = new LogReader('x', { tail: 'all', hasTty: false });
    assert.deepEqual(await lab.read(reader, true), []);
    assert.deepEqual(
      reader.flush().map(({ text }) => text),
      ['one', 'thr'],
    );
  });

  describe('in which Podman 5.8.6 cut a record while it was written', () => {
    const STAMP = '2026-11-23T19:54:01.718848211Z';
    const LATER = '2026-11-23T19:54:03.718848211Z';
    const sent = (lines: readonly string[], stamp = STAMP): Buffer =>
      Buffer.concat(lines.map((line) => frame(1, `${stamp} ${line}\n`)));
    const written = Array.from({ length: 1500 }, (_, index) => String(501 + index));
    /** Lines after the burst, with a genuine empty line and a genuine repeated one. */
    const later = ['', '2000', '2000', ''];

    for (const [name, followed] of [
      ['its text', [...written.slice(0, 554), '', ...written.slice(555)]],
      ['its stamp', [...written.slice(0, 341), ...written.slice(342)]],
      ['also what was written meanwhile', [...written.slice(0, 554), '', ...written.slice(900)]],
    ] as const)
      it(`yields each line once if this lost ${name}`, async () => {
        let follows = 0;
        lab.engine.answer(({ query }, response) => {
          if (query.get('follow') !== '1') response.end(follows === 0 ? '' : sent(written));
          else if (follows++ === 0) response.write(sent(followed));
          else response.write(Buffer.concat([sent(written), sent(later, LATER)]));
        });
        const reader = new LogReader('x', { tail: 'all', hasTty: false }, OVERDUE);
        const batches = await reader.open(lab.connection, { follow: true }, lab.controller.signal);
        const lines: string[] = [];
        for await (const batch of batches) {
          lines.push(...batch.map(({ text }) => text));
          if (lines.length >= written.length + later.length) break;
        }
        assert.deepEqual(lines, [...written, ...later]);
      });

    it('is read from its end again if Podman refuses that, at most five times', async () => {
      let refusals = 4;
      lab.engine.answer(({ query }, response) => {
        const isRefused = query.has('tail') && refusals-- > 0;
        // The time stamp of the last record was not completely written.
        const message = `'${STAMP.slice(0, -1)}+00:00 stdout' is not a valid container log line`;
        if (isRefused) json(response, 500, { message });
        else response.end(sent(written));
      });
      const reader = (): LogReader => new LogReader('x', { tail: 20, hasTty: false }, OVERDUE);
      assert.deepEqual(await lab.read(reader()), written.slice(-20));
      refusals = 5;
      await assert.rejects(lab.read(reader()), { reason: 'failed' });
    });

    it('yields a burst that can no longer be read otherwise', async () => {
      lab.engine.answer(({ query }, response) => {
        response.end(query.get('follow') === '1' ? sent(written) : undefined);
      });
      const reader = new LogReader('x', { tail: 'all', hasTty: false }, OVERDUE);
      assert.deepEqual(await lab.read(reader, true), written);
      assert.deepEqual(lab.engine.seen.filter(({ path }) => path.endsWith('/logs')).length, 4);
    });
  });

  describe('with many lines of the same stamp', () => {
    // Two groups of lines with the same stamp. Parsed as floating-point numbers, both times become a little
    // later.
    const records = Array.from({ length: 40 }, (_, index): StoredRecord => ({
      kind: 1,
      at: index < 20 ? 1_785_578_400_000_000_150n : 1_785_578_400_391_098_700n,
      text: `${index}\n`,
    }));
    const all = records.map((_, index) => String(index));

    /** Responds with the first `count` records, and breaks the connection if the log is followed. */
    function breakAfter(count: number): void {
      lab.engine.answer((request, response) => {
        response.write(logAnswer(records.slice(0, count), 'podman5', request), () => {
          if (request.query.get('follow') === '1') response.destroy();
          else response.end();
        });
      });
    }

    for (const count of [5, 20, 21, 33, 40])
      it(`continues after a broken connection without a lost line or a gap after ${count} lines`, async () => {
        const reader = new LogReader('x', { tail: 'all', hasTty: false }, OVERDUE);
        const lines: string[] = [];
        breakAfter(count);
        await assert.rejects(
          async () => {
            const options = { follow: true };
            for await (const batch of await reader.open(
              lab.connection,
              options,
              lab.controller.signal,
            ))
              lines.push(...batch.map(({ text }) => text));
          },
          { reason: 'cut' },
        );
        assert.equal(lines.length, count);
        breakAfter(records.length);
        lines.push(...(await lab.read(reader)));
        assert.deepEqual(lines, all);
        assert.equal(reader.consumeGap(), undefined);
      });

    it('begins with all lines of the requested time', async () => {
      breakAfter(records.length);
      const since = '1785578400.391098700';
      const reader = new LogReader('x', { tail: 'all', since, hasTty: false });
      assert.deepEqual(await lab.read(reader), all.slice(20));
    });
  });

  describe('with a clock that is set back to before the start of reading', () => {
    const START = 1_785_578_400_000_000_000n;
    const MILLISECOND = 1_000_000n;
    const written = (name: string, from: bigint, count: number): StoredRecord[] =>
      Array.from({ length: count }, (_, index) => ({
        kind: 1,
        at: START + (from + 20n * BigInt(index)) * MILLISECOND + 7n,
        text: `${name}${index}\n`,
      }));
    const plain = (records: readonly StoredRecord[]): string[] =>
      records.map(({ text }) => text.trimEnd());

    for (const behaviour of BEHAVIOURS)
      for (const [name, options] of [
        ['from a tail', { tail: 10 }],
        ['from a start time', { tail: 'all', since: '1785578402.980000007' }],
      ] as const)
        for (const isPaged of [true, false])
          it(`neither loses nor repeats a line after a broken connection: ${behaviour}, ${name}, ${isPaged ? 'paged' : 'not paged'}`, async () => {
            lab.engine.ping(pingOf(behaviour));
            const before = written('a', 0n, 150);
            const records = [...before, ...written('b', 3000n, 10)];
            const follower = Promise.withResolvers<ServerResponse>();
            lab.engine.answer((request, response) => {
              response.flushHeaders();
              response.write(logAnswer(records, behaviour, request));
              if (request.query.get('follow') === '1') follower.resolve(response);
              else response.end();
            });
            const reader = new LogReader('x', { ...options, hasTty: false }, OVERDUE);
            const lines: string[] = [];
            const onCaughtUp = isPaged ? () => undefined : undefined;
            const reading = { follow: true, onCaughtUp };
            const ended = assert.rejects(
              async () => {
                for await (const batch of await reader.open(
                  lab.connection,
                  reading,
                  lab.controller.signal,
                ))
                  lines.push(...batch.map(({ text }) => text));
              },
              { reason: 'cut' },
            );
            const response = await follower.promise;
            // Lines within a whole second are only distinguished by their number, so none may be in an omitted
            // second.
            const to = behaviour === 'podman4' ? -9000n : 1010n;
            const setBack = written('c', to, 20);
            records.push(...setBack);
            response.write(framed(setBack, behaviour));
            await when(() => lines.at(-1) === 'c19');
            response.destroy();
            await ended;
            records.push(...written('d', to + 490n, 5));
            lines.push(...(await lab.read(reader)));
            const first = name === 'from a tail' ? 150 : 149;
            assert.deepEqual(lines, plain(records.slice(first)));
            assert.equal(reader.consumeGap(), undefined);
          });
  });

  describe('paged backwards', () => {
    const records = Array.from({ length: 400 }, (_, index): StoredRecord => ({
      kind: 1,
      at: 1_785_578_400_000_000_000n + BigInt(index) * 1_000_000n,
      text: `${index}\n`,
    }));
    const all = records.map((_, index) => String(index));

    /** Reads the end of the log, and returns a reader that can page backwards from there. */
    async function lastTen(): Promise<LogReader> {
      lab.engine.answer((request, response) => {
        response.end(logAnswer(records, 'podman5', request));
      });
      const reader = new LogReader('x', { tail: 10, hasTty: false });
      const reading = { follow: false, onCaughtUp: () => undefined };
      const last = await textsOf(await reader.open(lab.connection, reading, lab.controller.signal));
      assert.deepEqual(last, all.slice(-10));
      return reader;
    }

    it('reads again if a response ended early without an error', async () => {
      const reader = await lastTen();
      let readings = 0;
      lab.engine.answer((request, response) => {
        const isFirstWhole = !request.query.has('since') && readings++ === 0;
        const known = isFirstWhole ? records.slice(0, 100) : records;
        response.end(logAnswer(known, 'podman5', request));
      });
      const { lines } = await reader.older(lab.connection, 1000, lab.controller.signal);
      const older = lines.map(({ text }) => text);
      assert.deepEqual(older, all.slice(0, -10));
      assert.equal(readings, 2);
    });

    it('sends no "until", at which the engine would end its response early', async () => {
      const reader = await lastTen();
      await reader.older(lab.connection, 1000, lab.controller.signal);
      assert.ok(lab.engine.seen.every(({ query }) => !query.has('until')));
    });

    it('fails if each response ends at a different position, and can be requested again', async () => {
      const reader = await lastTen();
      let readings = 0;
      lab.engine.answer((request, response) => {
        const known = records.slice(0, 100 + readings++);
        response.end(logAnswer(known, 'podman5', request));
      });
      await assert.rejects(reader.older(lab.connection, 1000, lab.controller.signal), {
        reason: 'cut',
      });
      lab.engine.answer((request, response) => {
        response.end(logAnswer(records, 'podman5', request));
      });
      const { lines } = await reader.older(lab.connection, 1000, lab.controller.signal);
      const older = lines.map(({ text }) => text);
      assert.deepEqual(older, all.slice(0, -10));
    });

    it('ends if the engine has discarded the older lines', async () => {
      const reader = await lastTen();
      lab.engine.answer((_, response) => {
        response.end();
      });
      const page = await reader.older(lab.connection, 1000, lab.controller.signal);
      assert.deepEqual(page, { lines: [], isStart: true });
    });
  });

  describe('of a TTY, where Podman writes stamps into the text', () => {
    const options = { tail: 'all', hasTty: true, wantsStamps: false } as const;

    it('is requested without stamps', async () => {
      lab.answerWith(`${T1} own\r\n`);
      assert.deepEqual(await lab.read(new LogReader('x', options)), [`${T1} own`]);
      assert.equal(lab.engine.seen[0]?.query.get('timestamps'), '0');
    });

    it('is requested with stamps if they are to be shown', async () => {
      lab.answerWith(`${T1} text\r\n`);
      assert.deepEqual(await lab.read(new LogReader('x', { ...options, wantsStamps: true })), [
        'text',
      ]);
    });

    it('yields as many lines from its end as requested', async () => {
      lab.answerWith('a\r\nb\r\nc\r\n', '', 'a\r\n');
      assert.deepEqual(await lab.read(new LogReader('x', { ...options, tail: 2 })), ['b', 'c']);
      assert.deepEqual(await lab.read(new LogReader('x', { ...options, tail: 2 })), []);
      assert.deepEqual(await lab.read(new LogReader('x', { ...options, tail: 0 })), []);
      for (const { query } of lab.engine.seen) assert.equal(query.get('tail'), null);
    });

    it('continues from the start of the next run', async () => {
      lab.answerWith('a\r\n', 'a\r\n');
      const reader = new LogReader('x', options);
      await lab.read(reader);
      assert.deepEqual(await lab.read(reader, false, T2), ['a']);
      assert.equal(lab.engine.seen[1]?.query.get('since'), '2026-08-01T10:00:00.100000001Z');
    });

    it('yields an unterminated last line once, when it is complete', async () => {
      lab.answerWith('a\r\nbe', 'a\r\nbegun\r\nlast');
      const reader = new LogReader('x', options);
      assert.deepEqual(await lab.read(reader), ['a']);
      assert.deepEqual(await lab.read(reader), ['begun']);
      const last = { source: 'stdout', timestamp: '', text: 'last' };
      assert.deepEqual(reader.flush(), [last]);
      assert.deepEqual(reader.flush(), []);
    });
  });
});

async function next(
  iterator: AsyncIterator<readonly LogLine[]>,
): Promise<readonly LogLine[] | undefined> {
  const result = await iterator.next();
  return result.done ? undefined : result.value;
}
