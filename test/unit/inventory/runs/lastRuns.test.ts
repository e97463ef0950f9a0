import assert from 'node:assert/strict';
import type { Container } from '../../../../src/engine/model.ts';
import { Activity } from '../../../../src/inventory/activity.ts';
import { Inventory } from '../../../../src/inventory/inventory.ts';
import { EventRing } from '../../../../src/inventory/runs/eventRing.ts';
import { LastRuns } from '../../../../src/inventory/runs/lastRuns.ts';
import { OwnActs } from '../../../../src/inventory/runs/ownActs.ts';
import {
  runChanges,
  unknownIn,
  type RunChange,
} from '../../../../src/inventory/runs/runChanges.ts';
import { container, idOf } from '../support/nouns.ts';

const NAME = 'shop-web-1';

class Lab {
  readonly inventory = new Inventory();
  readonly activity = new Activity();
  now = 1_700_000_000_000;
  readonly runs: LastRuns;

  constructor() {
    const now = (): number => this.now;
    const { inventory } = this;
    const acts = new OwnActs({ activity: this.activity, now });
    const events = new EventRing({ inventory, acts, now });
    this.runs = new LastRuns({ inventory, now, acts, events });
  }

  list(key: string, fields: Partial<Container> = {}): void {
    const one = container(key, { name: NAME, status: '', ...fields });
    this.inventory.replaceContainers([one.id], [one], this.now);
  }

  see(action: string, key: string): void {
    this.inventory.recordEvent({ type: 'container', action, id: idOf(key) });
  }

  remove(key: string): void {
    this.inventory.replaceContainers([idOf(key)], [], this.now);
  }

  inspect(key: string, memory: number, ...names: readonly string[]): void {
    this.runs.recordDetails(idOf(key), names, { memory, pids: 50 });
  }

  /** Returns what differs from the last good run; undefined without one. */
  changes(key: string): readonly RunChange[] | undefined {
    const run = this.runs.find(idOf(key));
    return run?.before && runChanges(run.before, run.shape);
  }
}

describe('LastRuns', () => {
  it('tells what differs between a container and the one that it replaced', () => {
    const lab = new Lab();
    const mount = { type: 'bind', source: '/a', path: '/data', isReadOnly: false };
    const port = { privatePort: 80, publicPort: 8080, protocol: 'tcp', ip: '0.0.0.0' };
    const network = { name: 'front', networkId: '' };
    lab.list('a', { health: 'healthy', mounts: [mount], ports: [port], networks: [network] });
    lab.inspect('a', 64, 'A', 'B');
    lab.list('a', { state: 'exited', exitCode: 143, mounts: [mount], networks: [network] });
    lab.remove('a');
    lab.list('b', { image: 'web:2', command: 'run', mounts: [{ ...mount, isReadOnly: true }] });
    lab.inspect('b', 16, 'B', 'C');
    lab.list('b', { image: 'web:2', command: 'run', state: 'exited', exitCode: 1 });
    assert.deepEqual(lab.changes('b'), [
      { what: 'image', before: 'web:1', after: 'web:2' },
      { what: 'command', before: 'sleep 9', after: 'run' },
      { what: 'mount', before: '/a:/data' },
      { what: 'mount', after: '/a:/data:ro' },
      { what: 'network', before: 'front' },
      { what: 'port', before: '0.0.0.0:8080:80/tcp' },
      { what: 'environment', before: 'A' },
      { what: 'environment', after: 'C' },
      { what: 'memory', before: '64', after: '16' },
    ]);
  });

  it('does not compare what nobody asked for', () => {
    const lab = new Lab();
    lab.list('a', { health: 'healthy' });
    lab.list('b');
    lab.inspect('b', 16, 'A');
    const run = lab.runs.find(idOf('b'));
    assert.deepEqual(lab.changes('b'), []);
    assert.deepEqual(run?.before && unknownIn(run.before, run.shape), ['environment', 'limits']);
  });

  const ends: [what: string, isGood: boolean, run: (lab: Lab) => void][] = [
    ['exited with 0', true, (lab) => lab.list('a', { state: 'exited', exitCode: 0 })],
    ['exited with 1', false, (lab) => lab.list('a', { state: 'exited', exitCode: 1 })],
    [
      'was stopped',
      true,
      (lab) => {
        lab.list('a', { state: 'exited', exitCode: 137 });
        lab.inventory.recordStop(idOf('a'));
      },
    ],
    [
      'was stopped by Gantry, before any event tells that',
      true,
      (lab) => {
        lab.activity.begin(idOf('a'), 'stopping').dispose();
        lab.list('a', { state: 'exited', exitCode: 137 });
      },
    ],
    [
      'was removed by Gantry while it ran',
      true,
      (lab) => {
        lab.activity.begin(idOf('a'), 'removing').dispose();
        lab.remove('a');
      },
    ],
    [
      'crashed and was removed by Gantry',
      false,
      (lab) => {
        lab.list('a', { state: 'exited', exitCode: 1 });
        lab.activity.begin(idOf('a'), 'removing').dispose();
        lab.list('a', { state: 'exited', exitCode: 1, names: ['other'] });
        lab.remove('a');
      },
    ],
    [
      'lasted a minute and then crashed',
      true,
      (lab) => {
        lab.now += 60_000;
        lab.list('a', { state: 'exited', exitCode: 1 });
        lab.now += 60_000;
      },
    ],
    [
      'crashed before a minute',
      false,
      (lab) => {
        lab.now += 59_999;
        lab.list('a', { state: 'exited', exitCode: 1 });
        lab.now += 60_000;
      },
    ],
    [
      'was never healthy',
      false,
      (lab) => {
        lab.list('a', { health: 'unhealthy' });
        lab.now += 600_000;
      },
    ],
    [
      'crashed before a minute and is listed again later',
      false,
      (lab) => {
        lab.list('a', { state: 'exited', exitCode: 1 });
        lab.now += 60_000;
        lab.list('a', { state: 'exited', exitCode: 1, names: ['other'] });
      },
    ],
    [
      'was healthy once',
      true,
      (lab) => {
        lab.list('a', { health: 'healthy' });
        lab.list('a', { health: 'unhealthy' });
        lab.list('a', { health: 'unhealthy', state: 'exited', exitCode: 1 });
      },
    ],
    ['is gone and was not good', false, (lab) => lab.remove('a')],
  ];
  for (const [what, isGood, run] of ends) {
    it(`takes a run that ${what} for ${isGood ? 'a good' : 'no good'} one`, () => {
      const lab = new Lab();
      lab.list('a');
      run(lab);
      lab.list('b', { command: 'other' });
      assert.equal(lab.changes('b') !== undefined, isGood);
    });
  }

  it('compares a crash loop with the run before it', () => {
    const lab = new Lab();
    lab.list('a', { health: 'healthy' });
    lab.inspect('a', 64);
    for (let run = 0; run < 5; run++) {
      lab.list('b', { command: 'wrong' });
      lab.list('b', { command: 'wrong', state: 'restarting', exitCode: 1 });
    }
    assert.deepEqual(lab.changes('b'), [{ what: 'command', before: 'sleep 9', after: 'wrong' }]);
  });

  it('notices a restart that no list shows, and an update of the limits', () => {
    const lab = new Lab();
    lab.list('a');
    lab.inspect('a', 64);
    lab.now += 60_000;
    lab.see('update', 'a');
    lab.see('start', 'a');
    assert.deepEqual(lab.changes('a'), []);
    lab.inspect('a', 16);
    // The limits of the run before are not known: they were changed while it ran.
    assert.deepEqual(lab.changes('a'), []);
    assert.deepEqual(lab.runs.find(NAME)?.before?.limits, undefined);
  });

  it('keeps the limits of a run that is over when they are changed for the next one', () => {
    const end = (lab: Lab): void => lab.list('a', { state: 'exited', exitCode: 0 });
    const orders: readonly ((lab: Lab) => void)[] = [
      (lab) => {
        end(lab);
        lab.see('update', 'a');
      },
      // The list is later than the events.
      (lab) => {
        lab.see('die', 'a');
        lab.see('update', 'a');
        end(lab);
      },
    ];
    for (const change of orders) {
      const lab = new Lab();
      lab.list('a');
      lab.inspect('a', 64);
      change(lab);
      // A page that is open asks again.
      lab.inspect('a', 16, 'A');
      lab.list('a');
      assert.deepEqual(lab.changes('a'), []);
      assert.deepEqual(lab.runs.find(NAME)?.shape.limits, undefined);
      lab.list('a', { state: 'exited', exitCode: 137 });
      lab.inspect('a', 16, 'A');
      assert.deepEqual(lab.changes('a'), [{ what: 'memory', before: '64', after: '16' }]);
    }
  });

  it('does not know the limits of a run that begins after they were changed, also without a list', () => {
    const lab = new Lab();
    lab.list('a');
    lab.inspect('a', 64);
    lab.now += 60_000;
    for (const action of ['die', 'update', 'start']) lab.see(action, 'a');
    const { shape, before } = lab.runs.find(NAME) ?? assert.fail('no run');
    assert.deepEqual([shape.limits, before?.limits], [undefined, { memory: 64, pids: 50 }]);
    lab.see('update', 'a');
    lab.inspect('a', 16);
    assert.deepEqual(lab.changes('a'), [{ what: 'memory', before: '64', after: '16' }]);
  });

  it('keeps containers that are gone, by ID and name, 500 at most', () => {
    const lab = new Lab();
    lab.list('a');
    lab.remove('a');
    const run = lab.runs.find(idOf('a'));
    assert.deepEqual([run?.name, run?.hasEnded, lab.runs.find(NAME)?.id], [NAME, true, idOf('a')]);
    for (let index = 0; index < 500; index++) {
      const id = index.toString(16).padStart(64, '0');
      lab.list('c', { id, name: `n${index}` });
    }
    assert.deepEqual([lab.runs.find(idOf('a')), lab.runs.find(NAME)], [undefined, undefined]);
    assert.equal(lab.runs.find('n0')?.name, 'n0');
  });

  it('ignores what was never seen running', () => {
    const lab = new Lab();
    lab.inspect('z', 64);
    lab.list('a', { state: 'created' });
    lab.see('start', 'z');
    lab.remove('z');
    assert.deepEqual([lab.runs.find(idOf('z')), lab.runs.find(NAME)], [undefined, undefined]);
  });
});
