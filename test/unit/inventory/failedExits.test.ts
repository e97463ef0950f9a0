import assert from 'node:assert/strict';
import type { Container } from '../../../src/engine/model.ts';
import { Activity } from '../../../src/inventory/activity.ts';
import { FailedExits, type FailedExit } from '../../../src/inventory/failedExits.ts';
import { Inventory } from '../../../src/inventory/inventory.ts';
import { settle } from '../support/lab.ts';

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
  readonly told: FailedExit[] = [];
  /** The containers that the engine was asked about. */
  readonly asked: string[] = [];
  memory: 'enough' | 'too little' | 'unknown' = 'enough';
  now = 0;
  readonly exits: FailedExits;

  /** @param before the container's state when it is first seen. */
  constructor(before?: Container['state']) {
    if (before) this.is(before);
    this.exits = new FailedExits({
      inventory: this.inventory,
      activity: this.activity,
      wasOutOfMemory: (id) => this.#ask(id),
      now: () => this.now,
    });
    this.exits.onDidFail((exit) => this.told.push(exit));
  }

  is(state: Container['state'], exitCode?: number): void {
    this.inventory.replaceContainers([ID], [container(state, exitCode)], this.now);
  }

  #ask(id: string): Promise<boolean> {
    this.asked.push(id);
    if (this.memory === 'unknown') return Promise.reject(new Error('no'));
    return Promise.resolve(this.memory === 'too little');
  }

  /** Runs the container once until it exits with this code. */
  run(exitCode: number, end: Container['state'] = 'exited'): void {
    this.is('running');
    this.is(end, exitCode);
  }
}

describe('FailedExits', () => {
  it('reports a running container that exits with a failure code', () => {
    const lab = new Lab();
    lab.run(3);
    assert.deepEqual(lab.told, [{ id: ID, name: 'web', exitCode: 3, isOutOfMemory: false }]);
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
    assert.deepEqual(lab.told, [{ id: ID, name: 'web', exitCode: 137, isOutOfMemory: true }]);
    assert.equal(lab.asked.length, 3);
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
});
