import assert from 'node:assert/strict';
import { Activity } from '../../../../src/inventory/activity.ts';
import { OwnActs } from '../../../../src/inventory/runs/ownActs.ts';

describe('OwnActs', () => {
  it('remember the last command on each of 1000 containers, and forget one by its ID', () => {
    const activity = new Activity();
    const acts = new OwnActs({ activity, now: () => 0 });
    const act = (id: string): void => activity.begin(id, 'stopping').dispose();
    for (let number = 0; number < 1000; number += 1) act(`c${number}`);
    const isKnown = (id: string): boolean => acts.endingOf(id, 1) !== undefined;
    assert.deepEqual([isKnown('c0'), isKnown('c1')], [true, true]);
    act('c0');
    act('other');
    // The one whose command is the oldest.
    assert.deepEqual([isKnown('c0'), isKnown('c1'), isKnown('other')], [true, false, true]);
    acts.forget('c0', -1);
    assert.equal(isKnown('c0'), true);
    acts.forget('c0', 0);
    assert.equal(isKnown('c0'), false);
  });
});
