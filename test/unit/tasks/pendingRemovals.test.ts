import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import type { Connection } from '../../../src/engine/http/connection.ts';
import type { Container } from '../../../src/engine/model.ts';
import type { KnownEngines } from '../../../src/inventory/knownEngine.ts';
import { Emitter } from '../../../src/base/lifetime.ts';
import { PendingRemovals, sweepPendingRemovals } from '../../../src/tasks/pendingRemovals.ts';
import { json, type SeenRequest } from '../support/fakeEngine.ts';
import { openLab, settle, when, type Lab } from '../support/lab.ts';

const ID = 'a'.repeat(64);
const LOOK = `GET /containers/${ID}/json?`;
const REMOVAL = `DELETE /containers/${ID}?v=1`;
const NEVER = '0001-01-01T00:00:00Z';
const CREATED = { Status: 'created', Running: false, StartedAt: NEVER, FinishedAt: NEVER };
const RUNNING = { ...CREATED, Status: 'running', Running: true, StartedAt: '2026-11-22T10:00:00Z' };
const EXITED = { ...RUNNING, Status: 'exited', Running: false, FinishedAt: '2026-11-22T10:00:09Z' };
const FAILED = { ...EXITED, ExitCode: 3 };
const DETAILS = { Id: ID, Name: '/web', Created: '2026-11-22T09:59:59.5Z', Config: {} };

/** Returns storage that survives windows. */
function newMemory(): {
  kept: unknown;
  get(): unknown;
  update(_key: string, value: unknown): Promise<void>;
} {
  return {
    kept: undefined,
    get() {
      return this.kept;
    },
    update(_key, value) {
      this.kept = structuredClone(value);
      return Promise.resolve();
    },
  };
}

describe('tasks/pendingRemovals', () => {
  let lab: Lab;
  let memory: ReturnType<typeof newMemory>;
  let details: object;
  let requests: string[];
  let connection: Connection;
  let removalStatus: number;
  /** The number of inspects that will fail. */
  let failures: number;
  /** Resolves before each removal is answered. */
  let removal: Promise<unknown>;

  const answer = async (
    { method, path, query }: SeenRequest,
    response: ServerResponse,
  ): Promise<void> => {
    requests.push(`${method} ${path}?${query.toString()}`);
    if (method === 'DELETE') {
      await removal;
      json(response, removalStatus, { message: 'no' });
    } else if (failures > 0) json(response, 500, { message: `${failures--} to come` });
    else if ('Id' in details) json(response, 200, details);
    else json(response, 404, { message: 'No such container' });
  };

  beforeEach(async () => {
    lab = openLab();
    memory = newMemory();
    details = { ...DETAILS, State: CREATED };
    removalStatus = 200;
    failures = 0;
    removal = Promise.resolve();
    requests = [];
    ({ connection } = await lab.fake(answer));
  });
  afterEach(() => lab.close());

  /** Simulates a window that notes a container and closes. Returns the removals of the next window. */
  const leave = async (
    remove: true | 'onSuccess' = true,
    started: object = RUNNING,
  ): Promise<PendingRemovals> => {
    const own = new PendingRemovals(memory);
    await own.add(connection, ID, remove);
    details = { ...DETAILS, State: started };
    await own.recordStart(() => Promise.resolve(connection), ID);
    details = { ...DETAILS, State: CREATED };
    requests = [];
    return new PendingRemovals(memory);
  };
  const sweep = (removals: PendingRemovals): Promise<void> =>
    removals.sweep(connection.endpoint.url, () => Promise.resolve(connection));
  /**
   * Returns the requests of the next window if the container is in this state, and whether it is still
   * remembered.
   */
  const found = async (
    changes: object,
    remove: true | 'onSuccess' = true,
    started: object = RUNNING,
  ): Promise<[requests: string[], isKept: boolean]> => {
    const next = await leave(remove, started);
    details = { ...DETAILS, ...changes };
    await sweep(next);
    return [requests, new PendingRemovals(memory).hasLeft];
  };

  it('removes an exited container in the next window, once, without force', async () => {
    const next = await leave();
    details = { ...DETAILS, State: FAILED };
    await Promise.all([sweep(next), sweep(next)]);
    await sweep(next);
    assert.deepEqual(requests, [LOOK, REMOVAL]);
    assert.equal(new PendingRemovals(memory).hasLeft, false);
  });

  it('removes a container that was never started', async () => {
    assert.deepEqual(await found({ State: CREATED }, true, CREATED), [[LOOK, REMOVAL], false]);
  });

  it('does not stop a running container, and remembers it', async () => {
    assert.deepEqual(await found({ State: RUNNING }), [[LOOK], true]);
  });

  it('removes a container as soon as its run has ended', async () => {
    const next = await leave();
    details = { ...DETAILS, State: RUNNING };
    await sweep(next);
    details = { ...DETAILS, State: EXITED };
    await sweep(next);
    assert.deepEqual(requests, [LOOK, LOOK, REMOVAL]);
  });

  it('keeps a container that was started again', async () => {
    const next = await leave();
    details = { ...DETAILS, State: RUNNING };
    await sweep(next);
    details = { ...DETAILS, State: { ...EXITED, StartedAt: '2026-11-22T10:00:05Z' } };
    await sweep(next);
    assert.deepEqual([requests, next.hasLeft], [[LOOK, LOOK], false]);
    // Started again before there was another window, or after a start that was not noted.
    details = { ...DETAILS, State: CREATED };
    assert.deepEqual(await found({ State: { ...EXITED, StartedAt: '2026-11-22T10:00:05Z' } }), [
      [LOOK],
      false,
    ]);
    details = { ...DETAILS, State: CREATED };
    assert.deepEqual(await found({ State: EXITED }, true, CREATED), [[LOOK], false]);
  });

  it('notes a start even if the engine fails at first', async () => {
    const own = new PendingRemovals(memory);
    await own.add(connection, ID, true);
    details = { ...DETAILS, State: RUNNING };
    failures = 3;
    const pauses: number[] = [];
    const pause = (milliseconds: number): Promise<void> =>
      Promise.resolve(void pauses.push(milliseconds));
    await own.recordStart(() => Promise.resolve(connection), ID, { pause });
    assert.deepEqual(pauses, [250, 500, 1000]);
    details = { ...DETAILS, State: EXITED };
    await sweep(new PendingRemovals(memory));
    assert.deepEqual(memory.kept, []);
  });

  it('stops trying to note a start when the run has ended or the container is gone', async () => {
    const own = new PendingRemovals(memory);
    await own.add(connection, ID, true);
    const over = new AbortController();
    const pause = (): Promise<void> => {
      over.abort();
      return Promise.resolve();
    };
    requests = [];
    failures = 2;
    await own.recordStart(() => Promise.resolve(connection), ID, { signal: over.signal, pause });
    assert.deepEqual(requests, [LOOK]);
    failures = 0;
    details = {};
    await own.recordStart(() => Promise.resolve(connection), ID);
    assert.deepEqual(requests, [LOOK, LOOK]);
  });

  it('waits in a second sweep for the removal of the first', async () => {
    const next = await leave();
    details = { ...DETAILS, State: EXITED };
    const { promise, resolve } = Promise.withResolvers<undefined>();
    removal = promise;
    const first = sweep(next);
    await when(() => requests.includes(REMOVAL));
    let isOver = false;
    const second = next
      .sweepName('web', connection.endpoint.url, () => Promise.resolve(connection))
      .then(() => (isOver = true));
    await settle();
    assert.equal(isOver, false);
    resolve(undefined);
    await Promise.all([first, second]);
    assert.deepEqual([requests, memory.kept], [[LOOK, REMOVAL], []]);
  });

  it('removes only the container whose name a new container needs', async () => {
    const own = new PendingRemovals(memory);
    await own.add(connection, 'b', true);
    details = { ...DETAILS, Name: '/db' };
    await own.add(connection, ID, true);
    details = { ...DETAILS, Name: '/db', State: CREATED };
    requests = [];
    const next = new PendingRemovals(memory);
    for (const name of ['other', undefined, 'db'])
      await next.sweepName(name, connection.endpoint.url, () => Promise.resolve(connection));
    assert.deepEqual(requests, [LOOK, REMOVAL]);
  });

  it('does not note a start of a container that was dropped in the meantime', async () => {
    const own = new PendingRemovals(memory);
    const connect = (): Promise<Connection> => Promise.resolve(connection);
    await own.recordStart(connect, ID);
    assert.deepEqual(requests, []);
    await own.add(connection, ID, true);
    const noting = own.recordStart(connect, ID);
    own.drop(ID);
    await noting;
    assert.deepEqual(memory.kept, []);
  });

  for (const [what, changes] of Object.entries({
    'has another name': { Name: '/mine' },
    'was created at another time': { Created: '2026-11-22T09:00:00Z' },
  })) {
    it(`keeps a container that ${what}, and deletes its note`, async () => {
      assert.deepEqual(await found({ ...changes, State: EXITED }), [[LOOK], false]);
    });
  }

  it('keeps a container whose exit code is unknown', async () => {
    for (const State of [
      { ...EXITED, FinishedAt: NEVER },
      { ...EXITED, Status: 'removing' },
      { ...EXITED, Status: 'paused' },
    ]) {
      requests = [];
      assert.deepEqual(await found({ State }), [[LOOK], true]);
      memory.kept = undefined;
    }
  });

  it('removes a container later if an inspect fails or the exit code is not known yet', async () => {
    const next = await leave();
    details = { ...DETAILS, State: EXITED };
    failures = 1;
    await sweep(next);
    details = { ...DETAILS, State: { ...EXITED, FinishedAt: NEVER } };
    await sweep(next);
    assert.deepEqual([requests, next.hasLeft], [[LOOK, LOOK], true]);
    details = { ...DETAILS, State: EXITED };
    await sweep(next);
    assert.deepEqual(requests, [LOOK, LOOK, LOOK, REMOVAL]);
  });

  it('forgets a dead container', async () => {
    assert.deepEqual(await found({ State: { ...EXITED, Status: 'dead' } }), [[LOOK], false]);
  });

  it('removes a container only after success if the policy requires it', async () => {
    const succeeded = { ...EXITED, ExitCode: 0 };
    assert.deepEqual(await found({ State: succeeded }, 'onSuccess'), [[LOOK, REMOVAL], false]);
    // Without an exit code, it is not known.
    assert.deepEqual(await found({ State: EXITED }, 'onSuccess'), [[LOOK], false]);
    assert.deepEqual(await found({ State: FAILED }, 'onSuccess'), [[LOOK], false]);
    details = { ...DETAILS, State: CREATED };
    assert.deepEqual(await found({ State: CREATED }, 'onSuccess', CREATED), [[LOOK], false]);
  });

  it('forgets a container that is gone', async () => {
    const next = await leave();
    details = {};
    await sweep(next);
    assert.deepEqual([requests, memory.kept], [[LOOK], []]);
  });

  it('leaves a rejected removal to the next window', async () => {
    const next = await leave();
    removalStatus = 409;
    details = { ...DETAILS, State: EXITED };
    await sweep(next);
    await sweep(next);
    assert.deepEqual(
      requests.filter((one) => one === REMOVAL),
      [REMOVAL],
    );
    assert.equal(new PendingRemovals(memory).hasLeft, true);
  });

  it('sends no request to other engines', async () => {
    const next = await leave();
    const { engine, connection: other } = await lab.fake();
    await next.sweep(other.endpoint.url, () => Promise.resolve(other));
    await next.sweep(connection.endpoint.url, () => Promise.resolve(other));
    assert.deepEqual([engine.seen, requests, next.hasLeft], [[], [], true]);
  });

  it('does not touch containers of its own window', async () => {
    const own = new PendingRemovals(memory);
    await own.add(connection, ID, true);
    requests = [];
    details = { ...DETAILS, State: EXITED };
    await sweep(own);
    assert.deepEqual([requests, own.hasLeft], [[], false]);
  });

  it('does not note a container to be kept, and forgets one that was removed', async () => {
    const own = new PendingRemovals(memory);
    await own.add(connection, ID, false);
    assert.deepEqual([requests, memory.kept], [[], undefined]);
    await own.add(connection, ID, true);
    own.drop(ID);
    assert.deepEqual(memory.kept, []);
  });

  it('remembers a limited number of the newest, and ignores invalid entries', async () => {
    const own = new PendingRemovals(memory);
    for (let index = 0; index < 60; index++) await own.add(connection, `${index}`, true);
    const all = memory.kept as { id: string }[];
    assert.deepEqual([all.length, all.at(-1)?.id], [50, '59']);
    for (const odd of [{}, 'x', [1, null, {}, { ...all[0], name: 1 }, { ...all[0], id: '' }]]) {
      memory.kept = odd;
      assert.equal(new PendingRemovals(memory).hasLeft, false);
    }
  });

  describe('while engines are watched', () => {
    const row = { state: 'running' } as Container;

    /** Simulates the next window, whose engine has not listed its containers yet. */
    const watch = (
      removals: PendingRemovals,
      kind = 'connecting',
    ): {
      containers: Map<string, Container>;
      change: (kind?: string) => void;
      listeners: () => number;
    } => {
      const changes = new Emitter<unknown>();
      const inventory = { phase: { kind }, containers: new Map([[ID, row]]) };
      const engine = { endpoint: connection.endpoint, connect: () => Promise.resolve(connection) };
      let listeners = 0;
      const onDidChangeInventory: typeof changes.event = (listener) => {
        listeners++;
        const subscription = changes.event(listener);
        return {
          dispose: () => {
            listeners--;
            subscription.dispose();
          },
        };
      };
      const engines = { all: [{ inventory, engine }], onDidChangeInventory };
      sweepPendingRemovals(engines as unknown as KnownEngines, removals);
      const change = (next = 'live'): void => {
        inventory.phase = { kind: next };
        changes.fire(undefined);
      };
      return { containers: inventory.containers, change, listeners: () => listeners };
    };

    it('adds no listener if no containers were left behind', () => {
      assert.equal(watch(new PendingRemovals(memory)).listeners(), 0);
    });

    it('inspects a container at once if the engine has already listed it', async () => {
      watch(await leave(), 'live');
      await when(() => requests.length === 1);
      assert.deepEqual(requests, [LOOK]);
    });

    it('inspects a container when the engine has listed it, and again when it has exited', async () => {
      const { containers, change, listeners } = watch(await leave());
      details = { ...DETAILS, State: RUNNING };
      change('connecting');
      await settle();
      assert.deepEqual(requests, []);
      change();
      await when(() => requests.length === 1);
      await settle();
      change();
      change();
      await settle();
      assert.deepEqual(requests, [LOOK]);
      details = { ...DETAILS, State: EXITED };
      containers.set(ID, { ...row, state: 'exited' });
      change();
      await when(() => requests.length === 3);
      assert.deepEqual(requests, [LOOK, LOOK, REMOVAL]);
      await when(() => memory.kept instanceof Array && memory.kept.length === 0);
      change();
      assert.equal(listeners(), 0);
    });
  });
});
