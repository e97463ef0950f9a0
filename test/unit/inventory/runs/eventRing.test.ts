import assert from 'node:assert/strict';
import type { EngineEvent } from '../../../../src/engine/model.ts';
import { Activity } from '../../../../src/inventory/activity.ts';
import { Inventory } from '../../../../src/inventory/inventory.ts';
import { EventRing, type RecordedEvent } from '../../../../src/inventory/runs/eventRing.ts';
import { OwnActs } from '../../../../src/inventory/runs/ownActs.ts';
import { Watched } from '../support/watched.ts';
import { container, idOf } from '../support/nouns.ts';

const ID = idOf('a');
/** Unlike 0, a time that an engine may report. */
const NOW = 1_700_000_000_000;

class Ring {
  readonly inventory = new Inventory();
  readonly activity = new Activity();
  now = NOW;
  readonly fired: RecordedEvent[] = [];
  readonly ring = new EventRing({
    inventory: this.inventory,
    acts: new OwnActs({ activity: this.activity, now: () => this.now }),
    now: () => this.now,
  });

  constructor() {
    this.ring.onDidRecord((one) => this.fired.push(one));
  }

  /** @param fields defaults to an event without a time, for the container `a`. */
  see(action: string, fields: Partial<EngineEvent> = {}): void {
    this.inventory.recordEvent({ type: 'container', action, id: ID, ...fields });
  }

  /** Returns the events without their times. */
  get events(): readonly object[] {
    return this.ring.eventsOf(ID).map(({ at: _at, engineAt: _engineAt, ...rest }) => rest);
  }
}

describe('EventRing', () => {
  it("records events under Docker's names and fires them", () => {
    const lab = new Ring();
    lab.see('start');
    lab.see('kill', { signal: '9' });
    lab.see('died', { exitCode: 137 });
    lab.see('exec_start');
    lab.see('remove');
    const expected = [
      { action: 'start' },
      { action: 'kill', signal: '9' },
      { action: 'die', exitCode: 137 },
      { action: 'destroy' },
    ];
    assert.deepEqual(lab.events, expected);
    assert.deepEqual(
      lab.fired.map(({ id, event }) => [id, event]),
      lab.ring.eventsOf(ID).map((event) => [ID, event]),
    );
  });

  it('has the time of this machine, and that of the engine', () => {
    const lab = new Ring();
    for (const at of [NOW - 3000.5, NOW + 1, NOW - 60_000, undefined])
      lab.see('start', at === undefined ? {} : { at });
    assert.deepEqual(
      lab.ring.eventsOf(ID).map(({ at, engineAt }) => [at, engineAt]),
      // A clock that differs is not used: the event has just arrived.
      [
        [NOW - 3000, NOW - 3000.5],
        [NOW, NOW + 1],
        [NOW, NOW - 60_000],
        [NOW, undefined],
      ],
    );
  });

  it('records a replayed event once', () => {
    const lab = new Ring();
    for (let i = 0; i < 2; i++) {
      lab.see('die', { at: NOW });
      lab.see('start', { at: NOW });
    }
    assert.deepEqual(lab.events, [{ action: 'die' }, { action: 'start' }]);
  });

  it('records a health result only if it differs from the one before in the same run', () => {
    const lab = new Ring();
    for (const health of ['healthy', 'healthy', 'unhealthy', 'unhealthy'] as const)
      lab.see('health_status', { health });
    lab.see('start');
    lab.see('health_status', { health: 'unhealthy' });
    const words = lab.ring.eventsOf(ID).map(({ action, health }) => health ?? action);
    assert.deepEqual(words, ['healthy', 'unhealthy', 'start', 'unhealthy']);
  });

  it('takes the health from the list if the event does not say it', () => {
    const lab = new Ring();
    const list = (health: 'healthy' | 'unhealthy'): void =>
      lab.inventory.replaceContainers([ID], [container('a', { health })], lab.now);
    list('healthy');
    assert.deepEqual(lab.events, []);
    lab.see('health_status');
    list('unhealthy');
    list('healthy');
    assert.deepEqual(lab.events, [{ action: 'health_status', health: 'unhealthy' }]);
  });

  it('names the command of Gantry that caused an event', () => {
    const lab = new Ring();
    const verb = lab.activity.begin(ID, 'restarting');
    lab.see('die');
    lab.see('oom');
    lab.see('start');
    verb.dispose();
    lab.see('restart');
    lab.see('die');
    lab.activity.begin(ID, 'killing').dispose();
    lab.now += 4999;
    lab.see('die');
    lab.now += 1;
    lab.see('die');
    lab.activity.begin(ID, 'saving');
    lab.see('die');
    const verbs = lab.ring
      .eventsOf(ID)
      .map(({ action, verb: cause }) => `${action} ${cause ?? '-'}`);
    assert.deepEqual(verbs, [
      ...['die restarting', 'oom -', 'start restarting', 'restart -', 'die -'],
      ...['die killing', 'die -', 'die -'],
    ]);
  });

  it('names the command that ended a run whose start is told late', () => {
    const lab = new Ring();
    lab.activity.begin(ID, 'stopping').dispose();
    lab.see('start', { at: NOW - 100 });
    lab.see('die');
    assert.deepEqual(lab.events, [{ action: 'start' }, { action: 'die', verb: 'stopping' }]);
  });

  it('keeps 50 events of each of 500 containers, also of those that are gone', () => {
    const lab = new Ring();
    for (let exitCode = 0; exitCode < 60; exitCode++) lab.see('die', { exitCode });
    const codes = lab.ring.eventsOf(ID).map(({ exitCode }) => exitCode);
    assert.deepEqual([codes.length, codes[0], codes.at(-1)], [50, 10, 59]);
    const other = (index: number): string => index.toString(16).padStart(64, '0');
    for (let index = 0; index < 499; index++) lab.see('start', { id: other(index) });
    lab.see('destroy');
    lab.see('start', { id: idOf('f') });
    assert.equal(lab.ring.eventsOf(ID).length, 50);
    assert.deepEqual(lab.ring.eventsOf(other(0)), []);
    assert.equal(lab.ring.eventsOf(other(1)).length, 1);
  });

  it('does not record a container that never ran', () => {
    const lab = new Ring();
    lab.see('create');
    lab.see('destroy');
    lab.see('start', { id: '' });
    assert.deepEqual([lab.events, lab.ring.eventsOf(''), lab.fired], [[], [], []]);
  });

  it('is fed by the event stream, without a request', async () => {
    const watched = await Watched.start();
    const acts = new OwnActs({ activity: new Activity(), now: () => NOW });
    const ring = new EventRing({ inventory: watched.inventory, acts, now: () => NOW });
    const recorded = Promise.withResolvers<RecordedEvent>();
    ring.onDidRecord(recorded.resolve);
    watched.watcher.start();
    await watched.world.until(() => watched.world.streams.length > 0);
    watched.world.emit(['container', 'oom', ID]);
    assert.deepEqual(await recorded.promise, { id: ID, event: { at: NOW, action: 'oom' } });
    ring.dispose();
    await watched.stop();
  });
});
