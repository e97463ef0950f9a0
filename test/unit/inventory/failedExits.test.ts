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
    ...{ status: '', createdAt: '2026-08-01T00:00:00Z', ports: [], labels: {}, command: '' },
    ...(exitCode !== undefined && { exitCode }),
  };
}

class Lab {
  readonly inventory = new Inventory();
  readonly activity = new Activity();
  readonly told: FailedExit[] = [];
  /** Which containers the engine was asked about. */
  readonly asked: string[] = [];
  memory: 'enough' | 'too little' | 'unknown' = 'enough';
  now = 0;
  readonly exits = new FailedExits({
    inventory: this.inventory,
    activity: this.activity,
    wasOutOfMemory: (id) => this.#ask(id),
    now: () => this.now,
  });

  constructor() {
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

  /** One run that ends so. */
  run(exitCode: number, end: Container['state'] = 'exited'): void {
    this.is('running');
    this.is(end, exitCode);
  }
}

describe('an unexpected exit', () => {
  it('is one of a container that ran and failed', () => {
    const lab = new Lab();
    lab.run(3);
    assert.deepEqual(lab.told, [{ id: ID, name: 'web', exitCode: 3, isOutOfMemory: false }]);
  });

  it('is also one before a restart by the engine', () => {
    const lab = new Lab();
    lab.run(1, 'restarting');
    assert.equal(lab.told.length, 1);
  });

  it('is none that went well, or was asked for by a signal', () => {
    const lab = new Lab();
    for (const status of [0, 137, 143, 130]) lab.run(status);
    assert.deepEqual(lab.told, []);
  });

  it('is one for want of memory, told once; a kill that was meant is none', async () => {
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

  it('is none of a kill of ours, and nobody is asked', async () => {
    const lab = new Lab();
    lab.memory = 'too little';
    lab.is('running');
    lab.activity.begin(ID, 'killing').dispose();
    lab.is('exited', 137);
    await settle();
    assert.deepEqual([lab.told, lab.asked], [[], []]);
  });

  it('is none that happened before anybody looked', () => {
    const lab = new Lab();
    lab.is('exited', 1);
    lab.is('exited', 2);
    assert.deepEqual(lab.told, []);
  });

  it('is none while we stop it, nor just after', () => {
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

  it('is one though we are doing something else to it', () => {
    const lab = new Lab();
    lab.is('running');
    lab.activity.begin(ID, 'committing').dispose();
    lab.activity.begin(ID, 'starting').dispose();
    lab.is('exited', 1);
    assert.equal(lab.told.length, 1);
  });

  it('is told once in a minute, however often it dies', () => {
    const lab = new Lab();
    for (let run = 0; run < 100; run++) {
      lab.run(1, 'restarting');
      lab.now += 1000;
    }
    assert.equal(lab.told.length, 2);
  });
});
