import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BuildTrace } from '../../../../src/builds/buildTrace.ts';
import { BuildxOutput } from '../../../../src/builds/buildx/buildxOutput.ts';
import { readRawProgress } from '../../../../src/builds/buildx/readRawProgress.ts';
import type { BuildEvent } from '../../../../src/engine/builds/model.ts';
import type { StatusResponse } from '../../../../src/engine/builds/controlMessages.ts';
import { StepYielder } from '../../../../src/base/stepYielder.ts';

/** The output of `docker buildx bake --progress=rawjson`, version 0.29: one target is built, the other one fails. */
const RECORDED = readFileSync(join(import.meta.dirname, 'bake.rawjson'), 'utf8').split('\n');

describe('builds/buildxOutput', () => {
  let events: BuildEvent[];
  let trace: BuildTrace;
  let output: BuildxOutput;
  beforeEach(() => {
    events = [];
    trace = new BuildTrace();
    output = new BuildxOutput((event) => {
      events.push(event);
      trace.add(event);
    }, new StepYielder(new AbortController().signal));
  });
  /** Returns the lines to show. */
  async function take(lines: readonly string[]): Promise<readonly string[]> {
    const shown: string[] = [];
    for (const line of lines) shown.push(...(await output.process(line)));
    return shown;
  }
  const takeAll = (): Promise<readonly string[]> => take(RECORDED);

  it('shows no part of a password at the limit of a line', async () => {
    const [shown = ''] = await take([`${'x'.repeat(9_985)} http://me:hunter2@proxy`]);
    assert.equal(shown.slice(9_985), ' http://me:…@pr');
  });

  it('makes steps, output, and warnings of what was recorded', async () => {
    await takeAll();
    output.end();
    const steps = new Map(trace.steps.map(({ step }) => [step.name, step]));
    assert.equal(steps.get('[tool 2/2] RUN echo start && exit 3')?.state, 'failed');
    assert.equal(steps.get('[app base 2/2] RUN echo "hello x"; echo err >&2')?.state, 'cached');
    assert.equal(steps.get('[app] exporting to image')?.state, 'done');
    assert.deepEqual(
      trace.steps.filter(({ step }) => !['cached', 'done'].includes(step.state)).length,
      1,
    );
    const tool = trace.steps.find(({ step }) => step.state === 'failed') ?? assert.fail();
    assert.deepEqual(tool.output.lines, ['start']);
    assert.deepEqual(
      { ...tool.stagePosition },
      { stage: 'tool', position: 2, all: 2, text: 'RUN echo start && exit 3' },
    );
    const [warning] = trace.warnings;
    assert.match(warning?.message ?? '', /^StageNameCasing: Stage name 'Base'/);
    assert.deepEqual(warning?.source?.lines, { start: 1, end: 1 });
    assert.match(warning.source.text ?? '', /^FROM gantry-test\/busybox:latest AS Base\n/);
    assert.match(warning.url ?? '', /^https:\/\/docs\.docker\.com\//);
  });

  it('knows the target, the message, and the lines of the failure', async () => {
    await takeAll();
    assert.deepEqual(output.failure, {
      target: 'tool',
      message:
        'process "/bin/sh -c echo start && exit 3" did not complete successfully: exit code: 3',
      excerpt: { lines: { start: 2, end: 2 }, text: ['RUN echo start && exit 3'] },
    });
    assert.match(output.failed?.name ?? '', /^\[tool 2\/2\]/);
  });

  it('shows a transcript, and words that are not progress as they are', async () => {
    const lines = await takeAll();
    assert.ok(lines.some((line) => /^#\d+ \[tool 2\/2\] RUN echo start && exit 3$/.test(line)));
    assert.ok(lines.some((line) => /^#\d+ start$/.test(line)));
    assert.ok(lines.includes('   2 | >>> RUN echo start && exit 3'));
    assert.ok(!lines.some((line) => line.startsWith('{')), 'shows raw progress');
  });

  it('hides the passwords of URLs in steps, output, and words', async () => {
    const url = 'http://me:hunter2@proxy:3128';
    const name = `RUN curl ${url}`;
    const data = Buffer.from(`${url}\n`).toString('base64');
    const started = '2026-11-25T16:45:16Z';
    const lines = [
      { vertexes: [{ digest: 'a', name, started }], logs: [{ vertex: 'a', data }] },
      { vertexes: [{ digest: 'a', name, started, completed: started, error: `no ${url}` }] },
    ].map((one) => JSON.stringify(one));
    const shown = await take(lines);
    await take([`ERROR: failed to solve: ${url}`]);
    assert.deepEqual(output.failure, { message: 'http://me:…@proxy:3128' });
    assert.match(trace.steps[0]?.step.error ?? '', /^no http:\/\/me:…@proxy/);
    assert.doesNotMatch(JSON.stringify([shown, trace.steps, events]), /hunter2/);
    assert.ok(shown.some((line) => line.endsWith('http://me:…@proxy:3128')));
  });

  it('takes a line with very many parts in turns, and no more after the abort', async () => {
    const controller = new AbortController();
    const pace = new StepYielder(controller.signal);
    const rest = pace.rest.bind(pace);
    let all = 0;
    let since = 0;
    let longest = 0;
    pace.rest = async () => {
      since = 0;
      await rest();
    };
    const long = new BuildxOutput(() => {
      longest = Math.max(longest, ++since);
      if (++all === 5_001) controller.abort(new Error('enough'));
    }, pace);
    const started = '2026-11-25T16:45:16Z';
    const logs = Array.from({ length: 4_000 }, () => ({ vertex: 'a', data: 'eAo=' }));
    const line = JSON.stringify({ vertexes: [{ digest: 'a', name: 'RUN x', started }], logs });
    assert.equal((await long.process(line)).length, 4_001);
    assert.ok(longest <= 200, String(longest));
    await assert.rejects(long.process(line), /enough/);
    assert.ok(all <= 5_201, String(all));
  });

  it('leaves a step that targets share with the first of them', async () => {
    await takeAll();
    const names = trace.steps.map(({ step }) => step.name).filter((name) => name.includes('FROM'));
    assert.deepEqual(names, ['[tool 1/2] FROM docker.io/gantry-test/busybox:latest']);
  });

  const messages: readonly (readonly [lines: readonly string[], message: string])[] = [
    [
      ['ERROR: failed to build: Not supported.', 'Switch to another.', '', 'Learn more.'],
      'Not supported. Switch to another. Learn more.',
    ],
    [['ERROR: no builder "nope" found'], 'no builder "nope" found'],
    [
      ['ERROR: failed to solve: x', '', 'View build details: docker-desktop://dashboard/build/x'],
      'x',
    ],
    [['exec: docker-buildx: not found'], 'exec: docker-buildx: not found'],
    [[], ''],
  ];
  for (const [lines, message] of messages) {
    it(`reads the reason "${message}"`, async () => {
      await take(lines);
      assert.deepEqual(output.failure, { message });
    });
  }

  it('keeps the last words only', async () => {
    await take(Array.from({ length: 100_000 }, (_, at) => `line ${at}`));
    await take(['ERROR: failed to solve: the end']);
    assert.equal(output.failure.message, 'the end');
  });
});

describe('builds/readRawProgress', () => {
  it('reads what Go writes, whatever it has', () => {
    const random = randomOf(7);
    for (let round = 0; round < 500; round++) {
      const status = statusOf(random);
      assert.deepEqual(readRawProgress(JSON.stringify(wireOf(status))), status);
    }
  });

  it('takes nothing else for progress, and no odd field for the whole line', () => {
    for (const line of ['', 'text', '{', '{}', '{"vertexes":1}', '[]', '{"id":"x"}', 'null'])
      assert.equal(readRawProgress(line), undefined, line);
    const odd = readRawProgress(
      '{"vertexes":[null,{"digest":1,"inputs":"x","started":"never","error":[]}],"logs":[{"data":5}]}',
    );
    const empty = { digest: '', inputs: [], name: '', isCached: false, error: '' };
    const vertex = { ...empty, started: undefined, completed: undefined };
    assert.deepEqual(odd?.vertexes, [vertex, vertex]);
    assert.equal(odd.logs[0]?.data.length, 0);
  });
});

/** Returns whole numbers below a limit, always the same. */
function randomOf(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

function statusOf(random: (limit: number) => number): StatusResponse {
  const some = <T>(one: () => T): readonly T[] => Array.from({ length: random(3) }, one);
  const word = (): string => String.fromCodePoint(...some(() => 32 + random(0xd000)));
  const bytes = (): Buffer => Buffer.from(some(() => random(256)));
  const time = () =>
    random(2) === 0 ? undefined : { seconds: 1 + random(2e9), nanos: random(1000) * 1e6 };
  const position = () => (random(3) === 0 ? undefined : { line: 1 + random(100) });
  const status = {
    vertexes: some(() => ({
      ...{ digest: word(), inputs: some(word), name: word(), isCached: random(2) === 0 },
      ...{ started: time(), completed: time(), error: word() },
    })),
    statuses: some(() => ({
      ...{ id: word(), vertex: word(), name: word(), current: random(1e9), total: random(1e9) },
      completed: time(),
    })),
    logs: some(() => ({
      ...{ vertex: word(), timestamp: time(), stream: 1 + random(2), data: bytes() },
    })),
    warnings: some(() => ({
      ...{ short: bytes(), detail: some(bytes), url: word() },
      info: random(2) === 0 ? undefined : { filename: `f${word()}`, data: bytes() },
      ranges: some(() => ({ start: position(), end: position() })),
    })),
  };
  // Go never writes a line without anything.
  return Object.values(status).some(({ length }) => length > 0) ? status : statusOf(random);
}

/** Writes it as encoding/json does: without empty fields, bytes in base64. */
function wireOf({ vertexes, statuses, logs, warnings }: StatusResponse): object {
  const listOf = <T>(all: readonly T[], wire: (one: T) => object) =>
    all.length > 0 ? all.map((one) => filled(wire(one))) : undefined;
  const time = (at: { readonly seconds: number; readonly nanos: number } | undefined) =>
    at && new Date(at.seconds * 1000 + at.nanos / 1e6).toISOString();
  const base64 = (data: Uint8Array): string => Buffer.from(data).toString('base64');
  return filled({
    vertexes: listOf(vertexes, ({ isCached, started, completed, ...rest }) => ({
      ...{ ...rest, cached: isCached || undefined },
      ...{ started: time(started), completed: time(completed) },
    })),
    statuses: listOf(statuses, ({ completed, ...rest }) => ({
      ...{ ...rest, completed: time(completed), timestamp: '0001-01-01T00:00:00Z' },
    })),
    logs: listOf(logs, ({ timestamp, data, ...rest }) => ({
      ...{ ...rest, data: base64(data), timestamp: time(timestamp) ?? '0001-01-01T00:00:00Z' },
    })),
    warnings: listOf(warnings, ({ short, detail, url, info, ranges }) => ({
      ...{ short: base64(short), detail: detail.map(base64), url, range: ranges },
      ...{ sourceInfo: info && { filename: info.filename, data: base64(info.data) } },
    })),
  });
}

function filled(record: object): object {
  const entries = Object.entries(record).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(entries);
}
