import assert from 'node:assert/strict';
import { Activity } from '../../../src/inventory/activity.ts';

describe('inventory/activity', () => {
  let activity: Activity;
  let fired: string[][];

  beforeEach(() => {
    activity = new Activity();
    fired = [];
    activity.onDidChange((ids) => fired.push([...ids]));
  });

  it('returns the running verb of a container from begin to end', () => {
    const stopping = activity.begin('a', 'stopping');
    assert.equal(activity.verbOf('a'), 'stopping');
    assert.equal(activity.verbOf('b'), undefined);
    stopping.dispose();
    assert.equal(activity.verbOf('a'), undefined);
    assert.deepEqual(fired, [['a'], ['a']]);
  });

  it('returns the verb that was begun last, and the earlier one after that has ended', () => {
    activity.begin('a', 'stopping');
    const killing = activity.begin('a', 'killing');
    assert.equal(activity.verbOf('a'), 'killing');
    killing.dispose();
    assert.equal(activity.verbOf('a'), 'stopping');
  });

  it('does not fire when an earlier command ends or the same verb begins twice', () => {
    const first = activity.begin('a', 'stopping');
    const second = activity.begin('a', 'stopping');
    first.dispose();
    first.dispose();
    assert.deepEqual(fired, [['a']]);
    assert.equal(activity.verbOf('a'), 'stopping');
    second.dispose();
    assert.deepEqual(fired, [['a'], ['a']]);
  });

  it('returns what the command begun last waits for, and fires when that changes', () => {
    const [db, job] = [
      { service: 'db', condition: 'healthy' },
      { service: 'job', condition: 'completed' },
    ] as const;
    activity.begin('a', 'waiting', db);
    const second = activity.begin('a', 'waiting', job);
    assert.deepEqual([activity.verbOf('a'), activity.waitOf('a')], ['waiting', job]);
    second.dispose();
    assert.deepEqual(activity.waitOf('a'), db);
    assert.deepEqual(fired, [['a'], ['a'], ['a']]);
  });
});
