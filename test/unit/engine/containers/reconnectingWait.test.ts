import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import type { Connection } from '../../../../src/engine/http/connection.ts';
import { EngineError, type FailureReason } from '../../../../src/engine/errors.ts';
import type { WaitCondition } from '../../../../src/engine/containers/waitForContainer.ts';
import {
  isInterruption,
  waitAcrossReconnects,
} from '../../../../src/engine/containers/reconnectingWait.ts';
import { json, type FakeEngine, type SeenRequest } from '../../support/fakeEngine.ts';
import { failure, openLab, when, type Lab } from '../../support/lab.ts';

const ID = '0123456789abcdef'.repeat(4);
const NEVER = '0001-01-01T00:00:00Z';
const CREATED = { Status: 'created', Running: false, StartedAt: NEVER, FinishedAt: NEVER };
const RUNNING = { ...CREATED, Status: 'running', Running: true, StartedAt: '2026-11-22T10:00:00Z' };
const EXITED = {
  ...RUNNING,
  ...{ Status: 'exited', Running: false, ExitCode: 4, FinishedAt: '2026-11-22T10:00:09Z' },
};

/** An engine with one container that responds to waits like Docker. */
class WaitFixture {
  state: Readonly<Record<string, unknown>> = RUNNING;
  readonly conditions: (string | null)[] = [];
  readonly waiting = new Set<ServerResponse>();
  /** The error responses to the next waits. */
  refusals: (readonly [status: number, message: string])[] = [];
  losses = 0;
  /** How many of the next inspects fail. */
  failedLooks = 0;
  /** Another engine to connect to from now on. */
  other: Connection | undefined;
  readonly controller = new AbortController();
  engine!: FakeEngine;

  readonly answer = ({ path, query }: SeenRequest, response: ServerResponse): void => {
    if (!path.endsWith('/wait')) {
      if (this.failedLooks-- > 0) json(response, 500, { message: 'busy' });
      else json(response, 200, { Id: ID, State: this.state });
      return;
    }
    this.conditions.push(query.get('condition'));
    const refusal = this.refusals.shift();
    if (refusal) json(response, refusal[0], { message: refusal[1] });
    else if (query.get('condition') === 'not-running' && this.state['Running'] === false)
      json(response, 200, { StatusCode: this.state['ExitCode'] ?? 0 });
    else {
      response.writeHead(200).flushHeaders();
      this.waiting.add(response);
      response.on('close', () => this.waiting.delete(response));
    }
  };

  exit(code: number): void {
    for (const response of this.waiting) response.end(JSON.stringify({ StatusCode: code }));
  }
}

describe('waitAcrossReconnects', () => {
  let lab: Lab;
  let current: WaitFixture | undefined;
  beforeEach(() => (lab = openLab()));
  afterEach(async () => {
    current?.controller.abort();
    await lab.close();
  });

  const begin = async (
    condition: WaitCondition,
    state: WaitFixture['state'] = RUNNING,
    { failedLooks = 0, isNew = false } = {},
  ): Promise<{ readonly fixture: WaitFixture; readonly exit: Promise<unknown> }> => {
    const fixture = new WaitFixture();
    current = fixture;
    fixture.state = state;
    fixture.failedLooks = failedLooks;
    const { engine, connection } = await lab.fake(fixture.answer);
    fixture.engine = engine;
    const { exit } = await waitAcrossReconnects({
      ...{ id: ID, condition, isNew, signal: fixture.controller.signal },
      connect: () => Promise.resolve(fixture.other ?? connection),
      pause: () => new Promise((resolve) => setImmediate(resolve)),
      onLost: () => fixture.losses++,
    });
    return { fixture, exit };
  };

  for (const condition of ['not-running', 'next-exit', 'removed'] as const) {
    it(`registers a wait for ${condition} again whenever the connection is lost`, async () => {
      const { fixture, exit } = await begin(condition);
      // The exit of a run that has started may have been missed, so its state is awaited, too.
      const each = condition === 'next-exit' ? 2 : 1;
      for (let times = 1; times <= 3; times++) {
        fixture.engine.cut();
        await when(
          () => fixture.waiting.size === 1 && fixture.conditions.length === 1 + times * each,
        );
      }
      fixture.exit(7);
      assert.deepEqual(await exit, { exitCode: 7 });
      assert.equal(fixture.losses, 0);
    });
  }

  it('reports a run that started and exited while no wait was registered', async () => {
    const { fixture, exit } = await begin('next-exit', CREATED);
    fixture.state = EXITED;
    fixture.engine.cut();
    assert.deepEqual(await exit, { exitCode: 4 });
    assert.deepEqual(fixture.conditions, ['next-exit', 'next-exit', 'not-running']);
  });

  it('keeps waiting for a run that has not started', async () => {
    const { fixture, exit } = await begin('next-exit', EXITED);
    fixture.engine.cut();
    await when(() => fixture.conditions.length === 2 && fixture.waiting.size === 1);
    fixture.exit(1);
    assert.deepEqual(await exit, { exitCode: 1 });
    assert.deepEqual(fixture.conditions, ['next-exit', 'next-exit']);
  });

  it('reports the loss once and retries until the engine is back', async () => {
    const { fixture, exit } = await begin('not-running');
    fixture.refusals = [1, 2, 3].map(() => [503, 'starting']);
    fixture.engine.cut();
    await when(() => fixture.conditions.length === 5 && fixture.waiting.size === 1);
    fixture.exit(0);
    assert.deepEqual(await exit, { exitCode: 0 });
    assert.equal(fixture.losses, 1);
  });

  it('closes a wait whose inspect of the container failed', async () => {
    const { fixture, exit } = await begin('next-exit', EXITED);
    fixture.failedLooks = 3;
    fixture.engine.cut();
    await when(() => fixture.conditions.length === 5 && fixture.waiting.size === 1);
    fixture.exit(1);
    assert.deepEqual(await exit, { exitCode: 1 });
  });

  it('does not take the exit of an earlier run for that of the next', async () => {
    const { fixture, exit } = await begin('next-exit', EXITED, { failedLooks: 1 });
    fixture.engine.cut();
    await failure(exit, 'cut');
    assert.deepEqual(fixture.conditions, ['next-exit', 'next-exit']);
    await when(() => fixture.waiting.size === 0);
  });

  it('does not inspect a new container, because its first run is the one to wait for', async () => {
    const { fixture, exit } = await begin('next-exit', CREATED, { isNew: true });
    assert.equal(fixture.engine.seen.length, 1);
    fixture.state = EXITED;
    fixture.engine.cut();
    assert.deepEqual(await exit, { exitCode: 4 });
  });

  it('rejects with engineReplaced if another engine is in use, and sends it no request', async () => {
    const { fixture, exit } = await begin('not-running');
    const { engine, connection } = await lab.fake();
    fixture.other = connection;
    fixture.engine.cut();
    const { endpoint } = await failure(exit, 'engineReplaced');
    assert.equal(endpoint, fixture.engine.url);
    assert.equal(engine.seen.length, 0);
  });

  it('rejects if the container is gone', async () => {
    const { fixture, exit } = await begin('not-running');
    fixture.refusals = [[404, 'No such container']];
    fixture.engine.cut();
    await failure(exit, 'notFound');
  });

  it('rejects with the reason when it is canceled, also while the engine is lost', async () => {
    const { fixture, exit } = await begin('not-running');
    fixture.refusals = Array.from({ length: 1000 }, () => [503, 'starting']);
    fixture.engine.cut();
    await when(() => fixture.conditions.length > 3);
    const why = new Error('enough');
    fixture.controller.abort(why);
    await assert.rejects(exit, why);
  });
});

describe('isInterruption', () => {
  const isOne = (reason: FailureReason): boolean => isInterruption(new EngineError(reason));

  it('accepts a failure that may end without the user', () => {
    for (const reason of ['refused', 'socketAbsent', 'sshFailed', 'cut', 'timeout'] as const) {
      assert.equal(isOne(reason), true, reason);
    }
  });

  it('accepts a final failure, unless its reason needs the user', () => {
    for (const reason of ['refused', 'connectTimeout', 'sshFailed'] as const) {
      assert.equal(isInterruption(new EngineError(reason, { isFinal: true })), true, reason);
    }
    assert.equal(isInterruption(new EngineError('sshRefused', { isFinal: true })), false);
  });

  it('rejects a failure that needs the user or is the decision of the engine', () => {
    for (const reason of ['sshRefused', 'badEndpoint', 'notFound', 'engineReplaced'] as const) {
      assert.equal(isOne(reason), false, reason);
    }
    assert.equal(isInterruption(new Error('x')), false);
  });
});
