import assert from 'node:assert/strict';
import { BuildFailedError } from '../../../../src/engine/builds/buildFailedError.ts';
import { buildError } from '../../../../src/engine/builds/buildError.ts';
import { BuildProgress } from '../../../../src/engine/builds/buildProgress.ts';
import {
  STATUS_RESPONSE,
  type StatusResponse,
} from '../../../../src/engine/builds/controlMessages.ts';
import type { BuildEvent } from '../../../../src/engine/builds/model.ts';
import { StepYielder } from '../../../../src/base/stepYielder.ts';
import type { Draft } from '../../../../src/engine/builds/grpc/protobuf.ts';

const ID = `sha256:${'1'.repeat(64)}`;
const AT = { seconds: 1_700_000_000, nanos: 500_000_000 };

function eventsOf(...responses: readonly Draft<StatusResponse>[]): BuildEvent[] {
  const events: BuildEvent[] = [];
  const progress = new BuildProgress((event) => events.push(event));
  const pace = new StepYielder(new AbortController().signal, Infinity);
  for (const one of responses)
    void progress.reportInTurns(STATUS_RESPONSE.decode(STATUS_RESPONSE.encode(one)), pace);
  progress.end();
  return events;
}

describe('the progress of a build', () => {
  it('has the state of each step as it was last reported', () => {
    const step = { digest: ID, name: 'RUN x', inputs: [ID, ''] };
    const events = eventsOf(
      { vertexes: [step] },
      { vertexes: [{ ...step, started: AT }] },
      { vertexes: [{ ...step, started: AT, completed: AT }] },
      { vertexes: [{ ...step, started: AT, completed: AT, isCached: true }] },
      { vertexes: [{ ...step, completed: AT, error: 'exit code: 1' }] },
      { vertexes: [{ ...step, completed: AT, error: 'exit code: 137: context canceled' }] },
    );
    assert.deepEqual(
      events.map((event) => event.kind === 'step' && event.step.state),
      ['waiting', 'running', 'done', 'cached', 'failed', 'canceled'],
    );
    const [, running] = events;
    assert.deepEqual(running, {
      kind: 'step',
      step: { id: ID, name: 'RUN x', inputs: [ID], state: 'running', startedAt: 1_700_000_000_500 },
    });
  });

  it('ends with canceled steps if they still run', () => {
    const events = eventsOf({ vertexes: [{ digest: ID, started: AT }] });
    const last = events.at(-1);
    assert.equal(last?.kind === 'step' && last.step.state, 'canceled');
  });

  it('ends a step after the output that came with its end', () => {
    const log = { vertex: ID, stream: 1, data: Buffer.from('last') };
    const step = { digest: ID, started: AT, completed: AT, error: 'exit code: 1' };
    const events = eventsOf({ vertexes: [step], logs: [log] });
    assert.deepEqual(
      events.map((event) => (event.kind === 'step' ? event.step.state : event.kind)),
      ['running', 'output', 'failed'],
    );
  });

  it('has transfers and output of known steps only', () => {
    const one = { vertex: ID, id: 'sha256:2', name: 'downloading', current: 5, total: 10 };
    const log = { vertex: ID, timestamp: AT, stream: 2, data: Buffer.from([255, 0]) };
    const known = eventsOf({ vertexes: [{ digest: ID }], statuses: [one], logs: [log] });
    assert.deepEqual(known.slice(1), [
      {
        kind: 'transfer',
        transfer: {
          step: ID,
          id: 'sha256:2',
          name: 'downloading',
          current: 5,
          total: 10,
          isDone: false,
        },
      },
      {
        kind: 'output',
        output: {
          step: ID,
          time: 1_700_000_000_500,
          stream: 'stderr',
          data: Buffer.from([255, 0]),
        },
      },
    ]);
    assert.deepEqual(eventsOf({ statuses: [one], logs: [log] }), []);
  });

  it('has warnings with their lines, and links for browsers only', () => {
    const short = Buffer.from('Rule: \u001b[31mwords\nmore');
    const warning = {
      short,
      detail: [Buffer.from('why')],
      url: 'https://docs.docker.com/x',
      info: { filename: 'Dockerfile', data: Buffer.from('FROM x') },
      ranges: [{ start: { line: 3 }, end: { line: 3 } }, { start: { line: 5 } }],
    };
    assert.deepEqual(eventsOf({ warnings: [warning, { short, url: 'command:x', ranges: [{}] }] }), [
      {
        kind: 'warning',
        warning: {
          message: 'Rule: words more',
          detail: 'why',
          url: 'https://docs.docker.com/x',
          source: { file: 'Dockerfile', text: 'FROM x', lines: { start: 3, end: 5 } },
        },
      },
      { kind: 'warning', warning: { message: 'Rule: words more' } },
    ]);
  });

  it('is bounded, whatever the engine reports', () => {
    const vertexes = Array.from({ length: 10_100 }, (_, at) => ({ digest: `sha256:${at}` }));
    const warnings = vertexes.slice(0, 1_100).map(() => ({ short: Buffer.from('x') }));
    const statuses = vertexes.map((_, at) => ({ vertex: 'sha256:1', id: String(at) }));
    const events = eventsOf({ vertexes }, { warnings }, { statuses });
    const count = (kind: string) => events.filter((event) => event.kind === kind).length;
    assert.deepEqual([count('step'), count('warning'), count('transfer')], [10_000, 1_000, 10_000]);
    const odd = eventsOf({ vertexes: [{ digest: '../x y' }, { digest: '' }] });
    assert.deepEqual(odd, []);
  });
});

describe('a message with very many parts', () => {
  const logs = Array.from({ length: 60_000 }, () => ({ vertex: ID, data: Buffer.from('x') }));
  const response = STATUS_RESPONSE.decode(
    STATUS_RESPONSE.encode({ vertexes: [{ digest: ID, started: AT }], logs }),
  );

  /** Returns how many events there were between two yields at most, and after the abort. */
  function take(abortAfter = Infinity) {
    const seen = { all: 0, longest: 0, afterAbort: 0 };
    const controller = new AbortController();
    let since = 0;
    const progress = new BuildProgress(() => {
      seen.all++;
      seen.longest = Math.max(seen.longest, ++since);
      if (controller.signal.aborted) seen.afterAbort++;
      if (seen.all === abortAfter) controller.abort(new Error('enough'));
    });
    const pace = new StepYielder(controller.signal);
    const rest = pace.rest.bind(pace);
    pace.rest = async () => {
      since = 0;
      await rest();
    };
    const end = progress.reportInTurns(response, pace);
    return { seen, end };
  }

  it('is reported in turns', async () => {
    const { seen, end } = take();
    await end;
    assert.equal(seen.all, 60_001);
    assert.ok(seen.longest <= 200, String(seen.longest));
  });

  it('is no longer reported after the abort', async () => {
    const { seen, end } = take(1000);
    await assert.rejects(end, /enough/);
    assert.ok(seen.afterAbort <= 200, String(seen.afterAbort));
  });
});

describe('the error of a build', () => {
  const where = { endpoint: 'unix:///x', operation: 'POST /grpc' };
  const detail = (type: string, value: unknown) => ({
    type: `github.com/moby/buildkit/${type}`,
    value: Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)),
  });
  const source = {
    info: { filename: 'Dockerfile', data: Buffer.from('FROM x\n').toString('base64') },
    ranges: [
      { start: { line: 5 }, end: { line: 5 } },
      { start: { line: 6 }, end: { line: 7 } },
    ],
  };

  it('has the step, the lines, and the exit code', () => {
    const details = [
      detail('stack.Stack+json', {}),
      detail('errdefs.Source+json', { ranges: [] }),
      detail('errdefs.Source+json', source),
      detail('errdefs.Vertex+json', { digest: ID }),
      detail('gatewayapi.ExitMessage+json', { Code: 3 }),
    ];
    const error = buildError({ code: 2, message: 'exit code: 3', details }, where);
    assert.equal(error.message, 'exit code: 3');
    assert.deepEqual(error.failure, {
      step: ID,
      source: { file: 'Dockerfile', text: 'FROM x\n', lines: { start: 5, end: 7 } },
      exitCode: 3,
    });
  });

  it('stays one, with its failure, when its words are replaced', () => {
    const error = buildError({ code: 2, message: 'no', details: [] }, where, ID);
    const changed = error.with({ reason: 'unauthorized', engineMessage: 'sign in' });
    assert.ok(changed instanceof BuildFailedError);
    assert.deepEqual(
      [changed.reason, changed.message, changed.operation, changed.failure],
      ['unauthorized', 'sign in', where.operation, { step: ID }],
    );
    const placed = changed.withFailure({ registry: 'r.example' });
    assert.deepEqual(
      [placed.message, placed.failure],
      ['sign in', { step: ID, registry: 'r.example' }],
    );
  });

  it('has the step that failed if the engine does not report it', () => {
    assert.deepEqual(buildError({ code: 2, message: '', details: [] }, where, ID).failure, {
      step: ID,
    });
  });

  it('loses no more than an odd detail', () => {
    const details = [
      detail('errdefs.Source+json', 'no json'),
      detail('errdefs.Source+json', {
        ...source,
        ranges: [{ start: { line: -1 } }, { start: 'x' }, null],
      }),
      detail('errdefs.Source+json', { ...source, ranges: 'x' }),
      detail('errdefs.Vertex+json', { digest: { x: 1 } }),
      detail('gatewayapi.ExitMessage+json', { Code: 'x' }),
      detail('x', ''),
    ];
    assert.deepEqual(buildError({ code: 2, message: 'x', details }, where).failure, {});
  });
});
