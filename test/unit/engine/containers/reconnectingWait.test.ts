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
class Scene {
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
  let current: Scene | undefined;
  beforeEach(() => (lab = openLab()));
  afterEach(async () => {
    current?.controller.abort();
    await lab.close();
  });

  const begin = async (
    condition: WaitCondition,
    state: Scene['state'] = RUNNING,
    { failedLooks = 0, isNew = false } = {},
  ): Promise<{ readonly scene: Scene; readonly exit: Promise<unknown> }> => {
    const scene = new Scene();
    current = scene;
    scene.state = state;
    scene.failedLooks = failedLooks;
    const { engine, connection } = await lab.fake(scene.answer);
    scene.engine = engine;
    const { exit } = await waitAcrossReconnects({
      ...{ id: ID, condition, isNew, signal: scene.controller.signal },
      connect: () => Promise.resolve(scene.other ?? connection),
      pause: () => new Promise((resolve) => setImmediate(resolve)),
      onLost: () => scene.losses++,
    });
    return { scene, exit };
  };

  for (const condition of ['not-running', 'next-exit', 'removed'] as const) {
    it(`registers a wait for ${condition} again whenever the connection is lost`, async () => {
      const { scene, exit } = await begin(condition);
      // The exit of a run that has started may have been missed, so its state is awaited, too.
      const each = condition === 'next-exit' ? 2 : 1;
      for (let times = 1; times <= 3; times++) {
        scene.engine.cut();
        await when(() => scene.waiting.size === 1 && scene.conditions.length === 1 + times * each);
      }
      scene.exit(7);
      assert.deepEqual(await exit, { exitCode: 7 });
      assert.equal(scene.losses, 0);
    });
  }

  it('reports a run that started and exited while no wait was registered', async () => {
    const { scene, exit } = await begin('next-exit', CREATED);
    scene.state = EXITED;
    scene.engine.cut();
    assert.deepEqual(await exit, { exitCode: 4 });
    assert.deepEqual(scene.conditions, ['next-exit', 'next-exit', 'not-running']);
  });

  it('keeps waiting for a run that has not started', async () => {
    const { scene, exit } = await begin('next-exit', EXITED);
    scene.engine.cut();
    await when(() => scene.conditions.length === 2 && scene.waiting.size === 1);
    scene.exit(1);
    assert.deepEqual(await exit, { exitCode: 1 });
    assert.deepEqual(scene.conditions, ['next-exit', 'next-exit']);
  });

  it('reports the loss once and retries until the engine is back', async () => {
    const { scene, exit } = await begin('not-running');
    scene.refusals = [1, 2, 3].map(() => [503, 'starting']);
    scene.engine.cut();
    await when(() => scene.conditions.length === 5 && scene.waiting.size === 1);
    scene.exit(0);
    assert.deepEqual(await exit, { exitCode: 0 });
    assert.equal(scene.losses, 1);
  });

  it('closes a wait whose inspect of the container failed', async () => {
    const { scene, exit } = await begin('next-exit', EXITED);
    scene.failedLooks = 3;
    scene.engine.cut();
    await when(() => scene.conditions.length === 5 && scene.waiting.size === 1);
    scene.exit(1);
    assert.deepEqual(await exit, { exitCode: 1 });
  });

  it('does not take the exit of an earlier run for that of the next', async () => {
    const { scene, exit } = await begin('next-exit', EXITED, { failedLooks: 1 });
    scene.engine.cut();
    await failure(exit, 'cut');
    assert.deepEqual(scene.conditions, ['next-exit', 'next-exit']);
    await when(() => scene.waiting.size === 0);
  });

  it('does not inspect a new container, because its first run is the one to wait for', async () => {
    const { scene, exit } = await begin('next-exit', CREATED, { isNew: true });
    assert.equal(scene.engine.seen.length, 1);
    scene.state = EXITED;
    scene.engine.cut();
    assert.deepEqual(await exit, { exitCode: 4 });
  });

  it('rejects with engineReplaced if another engine is in use, and sends it no request', async () => {
    const { scene, exit } = await begin('not-running');
    const { engine, connection } = await lab.fake();
    scene.other = connection;
    scene.engine.cut();
    const { endpoint } = await failure(exit, 'engineReplaced');
    assert.equal(endpoint, scene.engine.url);
    assert.equal(engine.seen.length, 0);
  });

  it('rejects if the container is gone', async () => {
    const { scene, exit } = await begin('not-running');
    scene.refusals = [[404, 'No such container']];
    scene.engine.cut();
    await failure(exit, 'notFound');
  });

  it('rejects with the reason when it is canceled, also while the engine is lost', async () => {
    const { scene, exit } = await begin('not-running');
    scene.refusals = Array.from({ length: 1000 }, () => [503, 'starting']);
    scene.engine.cut();
    await when(() => scene.conditions.length > 3);
    const why = new Error('enough');
    scene.controller.abort(why);
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

  it('rejects a failure that needs the user or is the decision of the engine', () => {
    for (const reason of ['sshRefused', 'badEndpoint', 'notFound', 'engineReplaced'] as const) {
      assert.equal(isOne(reason), false, reason);
    }
    assert.equal(isInterruption(new Error('x')), false);
  });
});
