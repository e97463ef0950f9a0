import assert from 'node:assert/strict';
import { BuildTrace } from '../../../src/builds/buildTrace.ts';
import type { BuildSpec } from '../../../src/builds/buildRun.ts';
import { Builds } from '../../../src/builds/builds.ts';
import { BuildTranscript } from '../../../src/builds/buildTranscript.ts';
import type { BuildEvent, BuildStep } from '../../../src/engine/builds/model.ts';
import { FakeClock } from '../support/fakeClock.ts';

const IMAGE = `sha256:${'a'.repeat(64)}`;

function step(id: string, fields: Partial<BuildStep> = {}): BuildEvent {
  return {
    kind: 'step',
    step: { id, name: `[stage-1 ${id}/9] RUN make`, inputs: [], state: 'running', ...fields },
  };
}

function output(id: string, text: string | Uint8Array): BuildEvent {
  const data = typeof text === 'string' ? Buffer.from(text) : text;
  return { kind: 'output', output: { step: id, time: 0, stream: 'stdout', data } };
}

function spec(fields: Partial<BuildSpec> = {}): BuildSpec {
  return {
    ref: 'r1',
    engine: 'default',
    title: 'shop',
    request: { context: '/shop', dockerfile: '/shop/Dockerfile', tags: ['shop'] },
    work: () => Promise.resolve({ imageId: IMAGE }),
    rebuild: () => Promise.resolve({ imageId: IMAGE }),
    ...fields,
  };
}

describe('builds/Builds', () => {
  let clock: FakeClock;
  let builds: Builds;
  beforeEach(() => {
    clock = new FakeClock();
    builds = new Builds(clock);
  });
  afterEach(() => builds.dispose());

  it('paints at most ten times a second, and reports without delay', async () => {
    let report: (event: BuildEvent) => void = () => undefined;
    let finish: () => void = () => undefined;
    const run = builds.start(
      spec({
        work: (onEvent) => {
          report = onEvent;
          return new Promise((resolve) => (finish = () => resolve({ imageId: IMAGE })));
        },
      }),
    );
    const joined = run.join();
    await Promise.resolve();
    let painted = 0;
    let reported = 0;
    builds.onDidChange(() => (painted += 1));
    builds.onDidReport(() => (reported += 1));
    for (let at = 0; at < 1000; at += 1) {
      report(step(String(at % 9)));
      clock.pass(1);
    }
    assert.ok(painted >= 8 && painted <= 10, String(painted));
    assert.equal(reported, 1000);
    assert.equal(run.trace.steps.length, 9);
    finish();
    assert.deepEqual(await joined, { imageId: IMAGE });
    assert.equal(run.phase, 'done');
  });

  it('ends a build immediately when it is canceled, and notifies the engine', async () => {
    let signal: AbortSignal | undefined;
    const run = builds.start(
      spec({
        work: (_onEvent, given) => {
          signal = given;
          return new Promise(() => undefined);
        },
      }),
    );
    const joined = run.join();
    await Promise.resolve();
    run.cancel();
    await assert.rejects(joined, { name: 'AbortError' });
    assert.equal(run.phase, 'canceled');
    assert.equal(signal?.aborted, true);
  });

  it('replays a build, and follows it to its end', async () => {
    let report: (event: BuildEvent) => void = () => undefined;
    const ended = Promise.withResolvers<{ readonly imageId: string }>();
    const run = builds.start(
      spec({
        work: (onEvent) => {
          report = onEvent;
          return ended.promise;
        },
      }),
    );
    const joined = run.join();
    await Promise.resolve();
    report(step('1'));
    report(output('1', 'before'));
    const { signal } = new AbortController();
    const seen: string[] = [];
    const note = (event: BuildEvent): void => {
      seen.push(event.kind === 'output' ? Buffer.from(event.output.data).toString() : event.kind);
    };
    const replayed = builds.replay(run, note, signal);
    report(output('1', 'after'));
    ended.resolve({ imageId: IMAGE });
    await Promise.all([replayed, joined]);
    assert.deepEqual(seen, ['step', 'before', 'step', 'after']);
    seen.length = 0;
    await builds.replay(run, note, signal);
    assert.deepEqual(seen, ['step', 'before', 'after', 'step']);
  });

  it('replays every line that the build had live', () => {
    const trace = new BuildTrace();
    const error = 'process did not complete successfully';
    const source = { file: 'Dockerfile', lines: { start: 3, end: 3 } };
    const live: readonly BuildEvent[] = [
      step('1'),
      { kind: 'warning', warning: { message: 'SecretsUsedInArgOrEnv: TOKEN', source } },
      step('2'),
      output('1', 'one\n'),
      output('2', 'two\n'),
      { kind: 'refusal', refusal: { kind: 'secret', name: 'npmrc' } },
      output('1', 'three\n'),
      step('1', { state: 'done' }),
      step('2', { state: 'failed', error }),
    ];
    const lines = (events: Iterable<BuildEvent>): readonly string[] => {
      const transcript = new BuildTranscript();
      const text = [...events].map((event) => transcript.add(event)).join('');
      return [...new Set(text.split('\n'))].toSorted();
    };
    for (const event of live) trace.add(event);
    assert.deepEqual(lines(trace.replay()), lines(live));
    assert(lines(live).some((line) => line.startsWith('Refused: ')));
  });

  it('stops following a build when it is canceled', async () => {
    const run = builds.start(spec({ work: () => new Promise(() => undefined) }));
    const joined = run.join();
    const controller = new AbortController();
    const replayed = builds.replay(run, () => undefined, controller.signal);
    controller.abort();
    await assert.rejects(replayed, { name: 'AbortError' });
    run.cancel();
    await assert.rejects(joined);
  });

  it('keeps the last finished builds, and never removes one that is running', async () => {
    const running = builds.start(spec({ work: () => new Promise(() => undefined) }));
    for (let at = 0; at < 25; at += 1) await builds.start(spec({ ref: `r${at}` })).join();
    builds.remove(running);
    assert.equal(builds.all.length, 21);
    assert.equal(builds.all[0], running);
    assert.equal(builds.get('default', 'r4'), undefined);
    builds.drop('default');
    assert.equal(running.phase, 'canceled');
    assert.deepEqual(builds.all, []);
  });
});

describe('builds/BuildTrace', () => {
  it('keeps ten thousand lines of a step whole and in order', () => {
    const trace = new BuildTrace();
    trace.add(step('1'));
    const lines = Array.from({ length: 10_000 }, (_, at) => `line ${at} é`);
    const bytes = Buffer.from(`${lines.join('\n')}\n`);
    // 997 is no multiple of anything here: pieces end within lines and characters.
    for (let at = 0; at < bytes.length; at += 997) {
      trace.add(output('1', bytes.subarray(at, at + 997)));
    }
    assert.deepEqual(trace.step('1')?.output.lines, lines);
  });

  it('bounds the output of a step, and of all steps', () => {
    const trace = new BuildTrace();
    const noise = Buffer.alloc(1024 * 1024, 'x\n');
    for (let id = 0; id < 12; id += 1) {
      trace.add(step(String(id)));
      for (let count = 0; count < 6; count += 1) trace.add(output(String(id), noise));
    }
    const lengths = trace.steps.map(({ output: kept }) => kept.length);
    assert.ok(Math.max(...lengths) <= 4 * 1024 * 1024);
    assert.ok(lengths.reduce((sum, length) => sum + length) <= 32 * 1024 * 1024);
  });

  it('keeps the newest output of a step after its lines were read', () => {
    const trace = new BuildTrace();
    trace.add(step('1'));
    for (const lines of [1, 2, 3, 4, 3]) {
      trace.add(output('1', `${'x'.repeat(1024 * 1024 - 1)}\n`));
      assert.equal(trace.steps[0]?.output.lines.length, lines);
    }
  });

  it('reads stage and position of a step, and counts the cached ones', () => {
    const trace = new BuildTrace();
    trace.add(step('a', { name: '[linux/arm64 build  2/12] RUN echo "] 3/4"', state: 'cached' }));
    trace.add(step('b', { name: '[1/1] FROM docker.io/library/busybox', state: 'done' }));
    trace.add(step('c', { name: '[internal] load .dockerignore' }));
    assert.deepEqual(
      trace.steps.map(({ stagePosition }) => stagePosition),
      [
        { stage: 'linux/arm64 build', position: 2, all: 12, text: 'RUN echo "] 3/4"' },
        { stage: '', position: 1, all: 1, text: 'FROM docker.io/library/busybox' },
        undefined,
      ],
    );
    // Neither the base image nor the builder's own steps.
    assert.deepEqual(trace.counts, { all: 1, cached: 1, finished: 1 });
    assert.equal(trace.step('2')?.step.id, 'b');
  });
});

describe('builds/BuildTranscript', () => {
  it('writes complete lines with the number of their step, and its name where another was in between', () => {
    const transcript = new BuildTranscript();
    const events: readonly BuildEvent[] = [
      step('1', { state: 'waiting' }),
      step('1'),
      output('1', 'one\ntw'),
      step('2'),
      output('1', 'o\n 10%\r 20%\r\n\x1b[31mred\x1b[0m'),
      step('2', { state: 'cached' }),
      step('1', { state: 'failed', error: 'exit code: 1' }),
      step('1', { state: 'failed', error: 'exit code: 1' }),
    ];
    assert.equal(
      events.map((event) => transcript.add(event)).join(''),
      [
        '#1 [stage-1 1/9] RUN make',
        '#1 one',
        '#2 [stage-1 2/9] RUN make',
        '#1 [stage-1 1/9] RUN make',
        '#1 two',
        '#1  20%',
        '#2 [stage-1 2/9] RUN make',
        '#2 CACHED',
        '#1 [stage-1 1/9] RUN make',
        '#1 red',
        '#1 ERROR: exit code: 1',
        '',
      ].join('\n'),
    );
  });
});
