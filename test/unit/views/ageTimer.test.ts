import assert from 'node:assert/strict';
import type { Age } from '../../../src/inventory/age.ts';
import { AgeTimer } from '../../../src/views/ageTimer.ts';
import { ContainerNode } from '../../../src/views/containers/containerNode.ts';
import type { TreeNode } from '../../../src/views/treeNode.ts';
import { FakeClock, turn } from '../support/fakeClock.ts';
import { container } from '../inventory/support/nouns.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const row = (letter: string): ContainerNode =>
  new ContainerNode('default', container(letter), true);
const a = row('a');
const b = row('b');
const c = row('c');

describe('AgeTimer', () => {
  let clock: FakeClock;
  let timer: AgeTimer;
  let painted: TreeNode[][];
  let ages: Map<TreeNode, Age>;

  beforeEach(() => {
    clock = new FakeClock();
    painted = [];
    ages = new Map();
    timer = new AgeTimer(clock, (nodes) => {
      painted.push([...nodes]);
      // Like VS Code, which requests the rows after a refresh event.
      for (const node of nodes) timer.record(node, ages.get(node));
    });
    timer.setVisible(true);
  });

  /** Notes that a row was painted whose state is `passed` milliseconds old. */
  const paint = (node: TreeNode, passed: number): void => {
    const at = clock.now() - passed;
    ages.set(node, { earliest: at, latest: at });
    timer.record(node, ages.get(node));
  };

  const pass = async (milliseconds: number): Promise<void> => {
    clock.pass(milliseconds);
    await turn();
  };

  it('sleeps until the text of a row changes, and repaints only that row', async () => {
    paint(a, 2 * MINUTE);
    paint(b, 3 * HOUR);
    assert.deepEqual(clock.sleeping, [MINUTE]);
    await pass(MINUTE);
    assert.deepEqual(painted, [[a]]);
    assert.deepEqual(clock.sleeping, [MINUTE]);
  });

  it('repaints rows that change at nearly the same time together', async () => {
    paint(a, 1.2 * SECOND);
    paint(b, 4.7 * SECOND);
    paint(c, 9.5 * SECOND);
    await pass(5 * SECOND);
    assert.deepEqual(painted, [[a, b, c]]);
  });

  it('delays rows that show minutes or hours longer, to repaint them together', async () => {
    paint(a, 5 * MINUTE + 59 * SECOND);
    paint(b, 7 * MINUTE + 56 * SECOND);
    await pass(14 * SECOND);
    assert.deepEqual(painted, []);
    await pass(SECOND);
    assert.deepEqual(painted, [[a, b]]);
  });

  it('never fires twice within 5 seconds, so that a tooltip can be read', async () => {
    paint(a, 0.4 * SECOND);
    await pass(5 * SECOND);
    paint(b, 0.9 * SECOND);
    assert.deepEqual(clock.sleeping, [5 * SECOND]);
  });

  it('is set to the earliest change of all rows', () => {
    paint(a, 3 * MINUTE);
    paint(b, 5 * SECOND);
    assert.deepEqual(clock.sleeping, [5 * SECOND]);
  });

  it('stops while the view is hidden and catches up when it is shown again', async () => {
    paint(a, 3 * MINUTE);
    timer.setVisible(false);
    assert.deepEqual(clock.sleeping, []);
    await pass(HOUR);
    assert.deepEqual(painted, []);
    timer.setVisible(true);
    await pass(0);
    assert.deepEqual(painted, [[a]]);
  });

  it('is not started by a row that is painted in a hidden view', () => {
    timer.setVisible(false);
    paint(a, SECOND);
    assert.deepEqual(clock.sleeping, []);
  });

  it('forgets rows that were removed or no longer have an age', async () => {
    paint(a, SECOND);
    paint(b, SECOND);
    timer.forget([a]);
    timer.record(b, undefined);
    await pass(5 * SECOND);
    assert.deepEqual(painted, []);
    assert.deepEqual(clock.sleeping, []);
  });

  it('checks again after 10 minutes at the latest, because the computer may have slept', async () => {
    paint(a, 40 * 24 * HOUR);
    assert.deepEqual(clock.sleeping, [10 * MINUTE]);
    await pass(10 * MINUTE);
    assert.deepEqual(painted, []);
    assert.deepEqual(clock.sleeping, [10 * MINUTE]);
  });

  it('stops when disposed', () => {
    paint(a, SECOND);
    timer.dispose();
    assert.deepEqual(clock.sleeping, []);
  });
});
