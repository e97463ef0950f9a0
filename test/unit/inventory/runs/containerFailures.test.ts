import assert from 'node:assert/strict';
import type { Container, EngineEvent } from '../../../../src/engine/model.ts';
import { Activity } from '../../../../src/inventory/activity.ts';
import {
  ContainerFailures,
  type ContainerFailure,
} from '../../../../src/inventory/runs/containerFailures.ts';
import type { RunEnd } from '../../../../src/engine/containers/inspectEnd.ts';
import { EventRing } from '../../../../src/inventory/runs/eventRing.ts';
import { OwnActs } from '../../../../src/inventory/runs/ownActs.ts';
import { Inventory } from '../../../../src/inventory/inventory.ts';
import type { Disposable } from '../../../../src/base/lifetime.ts';
import { settle } from '../../support/lab.ts';

const ID = 'a'.repeat(64);

function container(state: Container['state'], exitCode?: number): Container {
  return {
    ...{ id: ID, name: 'web', names: ['web'], image: 'x', imageId: 'y', state },
    ...{
      status: '',
      createdAt: '2026-08-01T00:00:00Z',
      ports: [],
      labels: {},
      mounts: [],
      networks: [],
      command: '',
    },
    ...(exitCode !== undefined && { exitCode }),
  };
}

class Lab {
  readonly inventory = new Inventory();
  readonly activity = new Activity();
  readonly told: ContainerFailure[] = [];
  /** The containers that the engine was asked about. */
  readonly asked: string[] = [];
  readonly stopped: string[] = [];
  readonly timers = new Set<{ readonly at: number; readonly run: () => void }>();
  memory: 'enough' | 'too little' | 'unknown' = 'enough';
  /** Whether the engine may not send an event for a stop. */
  hidesStops = false;
  wasStopped = false;
  now = 0;
  readonly exits: ContainerFailures;

  /** @param before the container's state when it is first seen. */
  constructor(before?: Container['state']) {
    if (before) this.is(before);
    const now = (): number => this.now;
    const { inventory, activity } = this;
    const parts = { inventory, now, acts: new OwnActs({ activity, now }) };
    this.exits = new ContainerFailures({
      ...parts,
      events: new EventRing(parts),
      endOf: (id) => this.#ask(id),
      hidesStops: () => this.hidesStops,
      after: (ms, run) => this.#after(ms, run),
      onStopped: (id) => this.stopped.push(id),
    });
    this.exits.onDidFail((exit) => this.told.push(exit));
  }

  is(state: Container['state'], exitCode?: number): void {
    this.inventory.replaceContainers([ID], [container(state, exitCode)], this.now);
  }

  #ask(id: string): Promise<RunEnd> {
    this.asked.push(id);
    if (this.memory === 'unknown') return Promise.reject(new Error('no'));
    const kill = this.memory === 'too little' ? { memoryKill: { limitBytes: 16e6 } } : {};
    return Promise.resolve({ wasStopped: this.wasStopped, ...kill });
  }

  #after(ms: number, run: () => void): Disposable {
    const timer = { at: this.now + ms, run };
    this.timers.add(timer);
    return { dispose: () => void this.timers.delete(timer) };
  }

  /** Lets time pass. */
  pass(ms: number): void {
    this.now += ms;
    for (const timer of this.timers) {
      if (timer.at > this.now || !this.timers.delete(timer)) continue;
      timer.run();
    }
  }

  see(action: string, fields: Partial<EngineEvent> = {}): void {
    this.inventory.recordEvent({ type: 'container', action, id: ID, ...fields });
  }

  /** Crashes again and again, as the events and lists of an engine report it. */
  crash(times: number, exitCode = 1): void {
    for (let run = 0; run < times; run++) {
      this.see('start');
      this.is('running');
      this.now += 1000;
      this.see('die', { exitCode });
      this.is('restarting', exitCode);
    }
  }

  /** The kinds of what was reported. */
  get kinds(): readonly string[] {
    return this.told.map(({ kind }) => kind);
  }

  /** Runs the container once until it exits with this code. */
  run(exitCode: number, end: Container['state'] = 'exited'): void {
    this.is('running');
    this.is(end, exitCode);
  }
}

describe('ContainerFailures', () => {
  it('reports a running container that exits with a failure code', () => {
    const lab = new Lab();
    lab.run(3);
    assert.deepEqual(lab.told, [{ id: ID, name: 'web', kind: 'exited', exitCode: 3 }]);
  });

  it('reports a container that was running at first, but not one that was not', () => {
    for (const [before, count] of [
      ['running', 1],
      ['created', 0],
    ] as const) {
      const lab = new Lab(before);
      lab.is('exited', 3);
      assert.equal(lab.told.length, count, before);
    }
  });

  it('reports an exit before the engine restarts the container', () => {
    const lab = new Lab();
    lab.run(1, 'restarting');
    assert.equal(lab.told.length, 1);
  });

  it('does not report exit code 0 or a stop signal', () => {
    const lab = new Lab();
    for (const status of [0, 137, 143, 130]) lab.run(status);
    assert.deepEqual(lab.told, []);
  });

  it('reports a container that is out of memory, once, but not one that was killed', async () => {
    const lab = new Lab();
    for (const memory of ['enough', 'unknown', 'too little', 'too little'] as const) {
      lab.memory = memory;
      lab.run(137);
      await settle();
      assert.equal(lab.told.length, memory === 'too little' ? 1 : 0, memory);
    }
    const failure = { kind: 'outOfMemory', exitCode: 137, limitBytes: 16e6 };
    assert.deepEqual(lab.told, [{ id: ID, name: 'web', ...failure }]);
    assert.equal(lab.asked.length, 3);
  });

  it('leaves no rejection behind if the engine does not know', async () => {
    const left: unknown[] = [];
    const note = (reason: unknown): unknown => left.push(reason);
    process.on('unhandledRejection', note);
    try {
      const lab = new Lab();
      lab.memory = 'unknown';
      lab.run(137);
      await settle();
    } finally {
      process.off('unhandledRejection', note);
    }
    assert.deepEqual(left, []);
  });

  it('does not report what another client has stopped', () => {
    const lab = new Lab();
    lab.is('running');
    lab.inventory.recordStop(ID);
    lab.is('exited', 3);
    assert.deepEqual(lab.told, []);
    lab.run(3);
    assert.deepEqual(lab.kinds, ['exited']);
  });

  it('asks an engine that hides stops whether a client stopped the container', async () => {
    const lab = new Lab();
    lab.hidesStops = true;
    lab.wasStopped = true;
    for (const code of [3, 137]) {
      lab.see('start');
      lab.run(code);
    }
    await settle();
    assert.deepEqual([lab.told, lab.stopped, lab.asked.length], [[], [ID, ID], 2]);
    lab.run(0);
    lab.run(143);
    // Another signal before is taken for a stop, too, and may be of a run that was not seen from its start.
    lab.see('kill');
    lab.run(3);
    await settle();
    assert.deepEqual([lab.kinds, lab.stopped.length, lab.asked.length], [['exited'], 2, 3]);
    lab.now += 60_000;
    lab.wasStopped = false;
    lab.see('start');
    lab.run(3);
    await settle();
    assert.deepEqual([lab.kinds, lab.asked.length], [['exited', 'exited'], 4]);
    lab.now += 60_000;
    lab.memory = 'unknown';
    lab.run(4);
    await settle();
    assert.deepEqual(lab.kinds, ['exited', 'exited', 'exited']);
    const other = new Lab();
    Object.assign(other, { hidesStops: true, wasStopped: true });
    other.run(3);
    await settle();
    assert.deepEqual(other.kinds, ['exited']);
  });

  it('does not report a kill by Gantry, and does not ask the engine about it', async () => {
    const lab = new Lab();
    lab.memory = 'too little';
    lab.is('running');
    lab.activity.begin(ID, 'killing').dispose();
    lab.is('exited', 137);
    await settle();
    assert.deepEqual([lab.told, lab.asked], [[], []]);
  });

  it('does not report a container that was never seen running', () => {
    const lab = new Lab();
    lab.is('exited', 1);
    lab.is('exited', 2);
    assert.deepEqual(lab.told, []);
  });

  it('does not report an exit during a stop by Gantry or just after it', () => {
    const lab = new Lab();
    lab.is('running');
    const stopping = lab.activity.begin(ID, 'stopping');
    stopping.dispose();
    lab.is('exited', 1);
    assert.deepEqual(lab.told, []);
    lab.now += 60_000;
    lab.run(1);
    assert.equal(lab.told.length, 1);
  });

  it('does not report an exit at the end of a stop that takes minutes', () => {
    for (const isOver of [false, true]) {
      const lab = new Lab();
      lab.is('running');
      const stopping = lab.activity.begin(ID, 'stopping');
      lab.now += 120_000;
      if (isOver) stopping.dispose();
      lab.now += 30_000;
      lab.is('exited', 1);
      assert.deepEqual(lab.told, [], String(isOver));
    }
  });

  it('reports an exit during another command of Gantry', () => {
    const lab = new Lab();
    lab.is('running');
    lab.activity.begin(ID, 'committing').dispose();
    lab.activity.begin(ID, 'starting').dispose();
    lab.is('exited', 1);
    assert.equal(lab.told.length, 1);
  });

  it('reports a container once a minute, however often it exits', () => {
    const lab = new Lab();
    for (let run = 0; run < 100; run++) {
      lab.run(1, 'restarting');
      lab.now += 1000;
    }
    assert.equal(lab.told.length, 2);
  });

  it('reports a crash loop once, with its count, and none of its exits after that', () => {
    const lab = new Lab();
    lab.crash(100);
    lab.now += 200_000;
    lab.crash(2);
    const loop = { kind: 'crashLoop', exitCode: 1, count: 3 };
    assert.deepEqual(lab.told, [
      { id: ID, name: 'web', kind: 'exited', exitCode: 1 },
      { id: ID, name: 'web', ...loop },
    ]);
    // After a long run, it is another loop.
    lab.now += 300_001;
    lab.crash(3);
    assert.deepEqual(lab.kinds, ['exited', 'crashLoop', 'exited', 'crashLoop']);
  });

  it('does not take stops, kills, or what Gantry does for a crash loop', () => {
    const lab = new Lab();
    lab.crash(5, 143);
    lab.crash(5, 0);
    for (let run = 0; run < 5; run++) {
      lab.see('start');
      lab.see('kill', { signal: '9' });
      lab.see('die', { exitCode: 137 });
      // A program may have its own code for a stop.
      lab.see('start');
      lab.see('kill', { signal: '15' });
      lab.see('die', { exitCode: 1 });
    }
    for (let run = 0; run < 5; run++) {
      const restarting = lab.activity.begin(ID, 'restarting');
      lab.see('die', { exitCode: 1 });
      lab.see('start');
      restarting.dispose();
    }
    assert.deepEqual(lab.told, []);
    lab.crash(2);
    lab.activity.begin(ID, 'starting');
    lab.crash(1);
    assert(!lab.kinds.includes('crashLoop'), lab.kinds.join());
  });

  it('reports kills without a kill event as a loop, and exits without a code not at all', () => {
    const lab = new Lab();
    lab.is('running');
    // A client killed a run before.
    for (const action of ['start', 'kill', 'die', 'start']) lab.see(action);
    for (let run = 0; run < 5; run++) lab.see('die');
    assert.deepEqual(lab.told, []);
    for (let run = 0; run < 3; run++) lab.see('die', { exitCode: 137 });
    assert.deepEqual(lab.kinds, ['crashLoop']);
    const other = new Lab('running');
    for (let run = 0; run < 3; run++)
      for (const action of ['start', 'kill', 'die'])
        other.see(action, { signal: '10', exitCode: 1 });
    assert.deepEqual(other.kinds, ['crashLoop']);
  });

  it('reports a process that was killed for lack of memory if the container survives it', () => {
    const lab = new Lab('running');
    lab.see('start');
    for (let kill = 0; kill < 10; kill++) lab.see('oom');
    assert.equal(lab.timers.size, 1);
    lab.pass(2999);
    assert.deepEqual(lab.told, []);
    lab.pass(1);
    assert.deepEqual(lab.told, [{ id: ID, name: 'web', kind: 'processKilled' }]);
    for (const next of ['die', 'start', 'gone'] as const) {
      lab.now += 60_000;
      lab.see('oom');
      if (next === 'gone') lab.inventory.replaceContainers([ID], [], lab.now);
      else lab.see(next, next === 'die' ? { exitCode: 137 } : {});
      lab.pass(3000);
      assert.equal(lab.told.length, 1, next);
    }
    lab.see('oom');
    lab.is('running');
    lab.see('oom');
    lab.exits.dispose();
    assert.equal(lab.timers.size, 0);
  });

  it('reports an unhealthy container once a minute', () => {
    const lab = new Lab();
    lab.see('health_status', { health: 'unhealthy' });
    assert.deepEqual(lab.told, []);
    lab.is('running');
    for (let minute = 0; minute < 2; minute++) {
      for (const health of ['healthy', 'unhealthy', 'healthy', 'unhealthy'] as const)
        lab.see('health_status', { health });
      lab.now += 60_000;
    }
    const unhealthy = { id: ID, name: 'web', kind: 'unhealthy' };
    assert.deepEqual(lab.told, [unhealthy, unhealthy]);
  });

  it('forgets a container that is gone', () => {
    const lab = new Lab();
    lab.run(1);
    lab.inventory.replaceContainers([ID], [], lab.now);
    lab.run(1);
    assert.deepEqual(lab.kinds, ['exited', 'exited']);
  });

  it('reports a crash shortly after a restart by Gantry', () => {
    const lab = new Lab();
    lab.is('running');
    const restarting = lab.activity.begin(ID, 'restarting');
    lab.see('die', { exitCode: 143 });
    lab.see('start');
    restarting.dispose();
    lab.run(1);
    assert.deepEqual(lab.kinds, ['exited']);
  });
});
