import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import type { Connection } from '../../../src/engine/http/connection.ts';
import type { Sample } from '../../../src/engine/statistics/readSample.ts';
import { delay, wallClock } from '../../../src/base/time.ts';
import { readOnce } from '../../../src/statistics/readOnce.ts';
import { openSampler, type Sampler } from '../../../src/statistics/sampler.ts';
import { until } from '../../bed/until.ts';
import { idOf } from '../inventory/support/nouns.ts';
import { json, type Answer, type FakeEngine } from '../support/fakeEngine.ts';
import { failure, openLab, type Lab } from '../support/lab.ts';

const A = idOf('a');
const B = idOf('b');

describe('statistics/sampler', () => {
  let lab: Lab;
  let engine: FakeEngine;
  let connection: Connection;
  let sampler: Sampler;
  let samples: Map<string, Sample>;
  let engineAt = Date.now();
  const { signal } = new AbortController();

  /** By the clock of the engine, on which a second passes between two samples. */
  const later = (): string => new Date((engineAt += 1000)).toISOString();
  const record = (cpuMs = 1, read = later()) => ({
    read,
    cpu_stats: { cpu_usage: { total_usage: cpuMs * 1_000_000 } },
    memory_stats: { usage: 1000, limit: 4000 },
  });
  const ping =
    (server: string, api: string): Answer =>
    (_, response) => {
      response.writeHead(200, { 'api-version': api, server, 'content-type': 'text/plain' });
      response.end('OK');
    };
  const start = async (server: string, api: string, answer: Answer): Promise<void> => {
    ({ engine, connection } = await lab.fake(answer));
    engine.ping(ping(server, api));
    sampler = await openSampler(connection, signal);
  };
  const sample = async (due: readonly string[], watched = due): Promise<void> =>
    sampler.sample(due, new Set(watched), (id, one) => samples.set(id, one), signal);

  beforeEach(() => {
    lab = openLab();
    samples = new Map();
  });

  afterEach(async () => {
    sampler.dispose();
    await lab.close();
  });

  describe('of Docker', () => {
    const startDocker = (answer: Answer) => start('Docker/28.5.2 (linux)', '1.51', answer);

    it('asks for one sample of each container, and takes it for the one that was asked for', async () => {
      await startDocker(({ path }, response) =>
        json(response, 200, record(path.includes(A) ? 1 : 2)),
      );
      await sample([A, B]);
      const [first] = engine.seen;
      assert.equal(
        `${first?.path}?${String(first?.query)}`,
        `/containers/${A}/stats?stream=0&one-shot=1`,
      );
      assert.deepEqual([samples.get(A)?.cpuMs, samples.get(B)?.cpuMs], [1, 2]);
    });

    it('asks two at a time: other calls need connections, too', async () => {
      const responses: ServerResponse[] = [];
      await startDocker((_, response) => {
        responses.push(response);
      });
      const sampling = sample(['a', 'b', 'c', 'd', 'e'].map(idOf));
      for (let answered = 0; answered < 5; answered++) {
        await until(() => responses.length > answered, 'a request');
        assert.ok(responses.length - answered <= 2);
        json(responses[answered] ?? assert.fail(), 200, record());
      }
      await sampling;
    });

    it('goes on with the others if one is gone or is refused', async () => {
      const answers = new Map([
        [A, 404],
        [B, 500],
      ]);
      await startDocker(({ path }, response) => {
        const [, , id = ''] = path.split('/');
        json(response, answers.get(id) ?? 200, record());
      });
      await sample([A, B, idOf('c')]);
      assert.deepEqual([...samples.keys()], [idOf('c')]);
    });

    it('fails if the connection is lost', async () => {
      await startDocker((_, response) => {
        response.destroy();
      });
      await failure(sample([A]), 'cut');
    });

    it('is not noted in the log unless it fails', async () => {
      await startDocker(({ path }, response) =>
        json(response, path.includes(B) ? 500 : 200, record()),
      );
      await sample([A, B]);
      const records = lab.records.filter(({ path }) => path.includes('stats'));
      assert.deepEqual(records.map(({ outcome, isRoutine }) => [outcome, isRoutine]).sort(), [
        [200, true],
        [500, false],
      ]);
    });

    it('goes on with the others if one does not answer: the engine is not lost', async () => {
      await startDocker(({ path }, response) => {
        if (!path.includes(A)) json(response, 200, record());
      });
      sampler = await openSampler(connection, signal, 100);
      await sample([A, B, idOf('c')]);
      assert.deepEqual([...samples.keys()], [B, idOf('c')]);
      const slow = lab.records.filter(({ path }) => path.includes(A));
      assert.deepEqual(
        slow.map(({ isLoss }) => isLoss),
        [false],
      );
    });

    it('reads once what began anew meanwhile without a negative rate', async () => {
      const counters = [5000, 10, 20];
      await startDocker((_, response) => json(response, 200, record(counters.shift() ?? 30)));
      const clock = { ...wallClock, delay: () => Promise.resolve() };
      const all = await readOnce(connection, [A], clock, signal);
      assert.equal(all.get(A)?.cpuPercent, 1);
    });

    it('reads once with the rate, without containers that do not run', async () => {
      let cpuMs = 0;
      await startDocker(({ path }, response) =>
        json(response, 200, path.includes(B) ? record(0, '0001-01-01T00:00:00Z') : record(++cpuMs)),
      );
      // Time passes as soon as it is waited for.
      const clock = { ...wallClock, delay: () => Promise.resolve() };
      const all = await readOnce(connection, [A, B], clock, signal);
      assert.deepEqual([...all.keys()], [A]);
      assert.equal(all.get(A)?.memoryLimitBytes, 4000);
      assert.equal(all.get(A)?.cpuPercent, 0.1);
    });
  });

  describe('of an older Docker', () => {
    let streams: ServerResponse[];

    beforeEach(async () => {
      streams = [];
      await start('Docker/20.10.24 (linux)', '1.41', (_, response) => {
        streams.push(response);
        response.writeHead(200, { 'content-type': 'application/json' });
        response.flushHeaders();
      });
    });

    it('follows one stream for each container, until nobody watches it', async () => {
      await sample([A, B]);
      await until(() => streams.length === 2, 'two streams');
      for (const stream of streams)
        stream.write(`${JSON.stringify(record(1))}\n${JSON.stringify(record(2))}\n`);
      await until(async () => {
        await sample([A, B]);
        return samples.size === 2;
      }, 'two samples');
      // The last that has arrived, and each only once.
      assert.equal(samples.get(A)?.cpuMs, 2);
      samples.clear();
      await sample([A, B]);
      assert.equal(samples.size, 0);
      await sample([], [B]);
      await until(() => streams.filter(({ closed }) => closed).length === 1, 'one is closed');
      sampler.dispose();
      await until(() => streams.every(({ closed }) => closed), 'all are closed');
      assert.equal(engine.seen.length, 2);
      const records = lab.records.filter(({ path }) => path.includes('stats'));
      assert.deepEqual(
        records.map(({ isRoutine }) => isRoutine),
        [true, true],
      );
    });

    it('follows a stream again that has ended', async () => {
      await sample([A]);
      await until(() => streams.length === 1, 'a stream');
      streams[0]?.end();
      await until(async () => {
        await sample([A]);
        return streams.length === 2;
      }, 'another stream');
    });

    it('does not follow a stream again that has ended before it is due', async () => {
      await sample([A]);
      await until(() => streams.length === 1, 'a stream');
      streams[0]?.end();
      for (let round = 0; round < 20; round++) {
        await sample([], [A]);
        await delay(10);
      }
      assert.equal(streams.length, 1);
    });
  });

  describe('of Podman', () => {
    const entry = (id: string) => ({
      ContainerID: id,
      CPUNano: 1_000_000,
      SystemNano: Date.now() * 1_000_000,
      MemUsage: 100,
    });
    const startPodman = (answer: Answer) => start('Libpod/5.8.6 (linux)', '1.44', answer);

    it('asks once for all', async () => {
      await startPodman((_, response) =>
        json(response, 200, { Error: null, Stats: [entry(A), entry(B)] }),
      );
      await sample([A, B]);
      const [first, ...more] = engine.seen;
      assert.deepEqual(first?.query.getAll('containers'), [A, B]);
      assert.equal(more.length, 0);
      assert.deepEqual([...samples.keys()], [A, B]);
    });

    it('asks nothing if none is due: without names, Podman samples all that run', async () => {
      await startPodman((_, response) => json(response, 200, { Error: null, Stats: [entry(A)] }));
      await sample([], [A]);
      assert.equal(engine.seen.length, 0);
    });

    for (const [version, status, body] of [
      ['4', 200, { Error: {}, Stats: null }],
      ['5', 404, { cause: 'no such container', message: 'no', response: 404 }],
    ] as const)
      it(`asks for all that run if one is gone (as Podman ${version} reports it)`, async () => {
        await startPodman(({ query }, response) => {
          if (query.has('containers')) json(response, status, body);
          else json(response, 200, { Error: null, Stats: [entry(A), entry(idOf('c'))] });
        });
        await sample([A, B]);
        assert.deepEqual([...samples.keys()], [A]);
      });

    it('fails if Podman has no statistics: without root and cgroup v2', async () => {
      await startPodman((_, response) => json(response, 500, { message: 'not supported' }));
      await failure(sample([A]), 'failed');
      assert.equal(engine.seen.length, 2);
    });
  });
});
