import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import type { Connection } from '../../../../src/engine/http/connection.ts';
import type { WaitCondition } from '../../../../src/engine/containers/waitForContainer.ts';
import { waitAcrossReconnects } from '../../../../src/engine/containers/reconnectingWait.ts';
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

/** An engine with one container, which answers waits as Docker does. */
class Scene {
  state: Readonly<Record<string, unknown>> = RUNNING;
  readonly conditions: (string | null)[] = [];
  readonly waiting = new Set<ServerResponse>();
  /** How many of the next waits are answered with this instead. */
  refusals: (readonly [status: number, message: string])[] = [];
  losses = 0;
  /** How many of the next inspects fail. */
  failedLooks = 0;
  /** Leads to another engine from now on. */
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

describe('engine/lastingWait', () => {
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
    it(`goes on for ${condition} when the connection breaks, however often`, async () => {
      const { scene, exit } = await begin(condition);
      // Of a run that has begun, the end may have been missed: its state is waited for.
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

  it('is told of a run that began and ended while nobody waited', async () => {
    const { scene, exit } = await begin('next-exit', CREATED);
    scene.state = EXITED;
    scene.engine.cut();
    assert.deepEqual(await exit, { exitCode: 4 });
    assert.deepEqual(scene.conditions, ['next-exit', 'next-exit', 'not-running']);
  });

  it('waits on for a run that has not begun', async () => {
    const { scene, exit } = await begin('next-exit', EXITED);
    scene.engine.cut();
    await when(() => scene.conditions.length === 2 && scene.waiting.size === 1);
    scene.exit(1);
    assert.deepEqual(await exit, { exitCode: 1 });
    assert.deepEqual(scene.conditions, ['next-exit', 'next-exit']);
  });

  it('says once that the engine is lost, and tries until it is back', async () => {
    const { scene, exit } = await begin('not-running');
    scene.refusals = [1, 2, 3].map(() => [503, 'starting']);
    scene.engine.cut();
    await when(() => scene.conditions.length === 5 && scene.waiting.size === 1);
    scene.exit(0);
    assert.deepEqual(await exit, { exitCode: 0 });
    assert.equal(scene.losses, 1);
  });

  it('leaves no wait behind whose look at the container failed', async () => {
    const { scene, exit } = await begin('next-exit', EXITED);
    scene.failedLooks = 3;
    scene.engine.cut();
    await when(() => scene.conditions.length === 5 && scene.waiting.size === 1);
    scene.exit(1);
    assert.deepEqual(await exit, { exitCode: 1 });
  });

  it('does not take the end of an earlier run for that of the next', async () => {
    const { scene, exit } = await begin('next-exit', EXITED, { failedLooks: 1 });
    scene.engine.cut();
    await failure(exit, 'cut');
    assert.deepEqual(scene.conditions, ['next-exit', 'next-exit']);
    await when(() => scene.waiting.size === 0);
  });

  it('asks nothing of a new container, whose only run is the one that is waited for', async () => {
    const { scene, exit } = await begin('next-exit', CREATED, { isNew: true });
    assert.equal(scene.engine.seen.length, 1);
    scene.state = EXITED;
    scene.engine.cut();
    assert.deepEqual(await exit, { exitCode: 4 });
  });

  it('asks no other engine, and ends once there is one', async () => {
    const { scene, exit } = await begin('not-running');
    const { engine, connection } = await lab.fake();
    scene.other = connection;
    scene.engine.cut();
    const { endpoint } = await failure(exit, 'engineReplaced');
    assert.equal(endpoint, scene.engine.url);
    assert.equal(engine.seen.length, 0);
  });

  it('ends with a container that is gone', async () => {
    const { scene, exit } = await begin('not-running');
    scene.refusals = [[404, 'No such container']];
    scene.engine.cut();
    await failure(exit, 'notFound');
  });

  it('ends when it is cancelled, also while the engine is lost', async () => {
    const { scene, exit } = await begin('not-running');
    scene.refusals = Array.from({ length: 1000 }, () => [503, 'starting']);
    scene.engine.cut();
    await when(() => scene.conditions.length > 3);
    const why = new Error('enough');
    scene.controller.abort(why);
    await assert.rejects(exit, why);
  });
});
