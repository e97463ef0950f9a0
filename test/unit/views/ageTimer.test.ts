import assert from 'node:assert/strict';
import type { Age } from '../../../src/inventory/age.ts';
import { AgeTimer, type RelativeTimeRows } from '../../../src/views/ageTimer.ts';
import { ContainerNode, type TreeNode } from '../../../src/views/treeNode.ts';
import { FakeClock, turn } from '../support/fakeClock.ts';
import { container } from '../inventory/support/nouns.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const row = (letter: string): ContainerNode =>
  new ContainerNode('default', container(letter), true);
const [a, b, c] = [row('a'), row('b'), row('c')];

describe('views/ageTimer', () => {
  let clock: FakeClock;
  let timer: AgeTimer;
  let painted: TreeNode[][];
  let view: RelativeTimeRows;
  let ages: Map<TreeNode, Age>;

  beforeEach(() => {
    clock = new FakeClock();
    timer = new AgeTimer(clock);
    painted = [];
    ages = new Map();
    view = timer.addView((nodes) => {
      painted.push([...nodes]);
      // As the editor does: it asks for what it was told to paint anew.
      for (const node of nodes) view.note(node, ages.get(node));
    });
    view.setVisible(true);
  });

  /** Says that a row was painted, whose state is `passed` milliseconds old. */
  const paint = (node: TreeNode, passed: number): void => {
    const at = clock.now() - passed;
    ages.set(node, { earliest: at, latest: at });
    view.note(node, ages.get(node));
  };

  const pass = async (milliseconds: number): Promise<void> => {
    clock.pass(milliseconds);
    await turn();
  };

  it('sleeps until the words of a row change, and touches that row alone', async () => {
    paint(a, 5 * SECOND);
    paint(b, 3 * HOUR);
    assert.deepEqual(clock.sleeping, [SECOND]);
    await pass(SECOND);
    assert.deepEqual(painted, [[a]]);
    assert.deepEqual(clock.sleeping, [SECOND]);
  });

  it('paints rows that change at nearly the same time together', async () => {
    paint(a, 1.2 * SECOND);
    paint(b, 4.7 * SECOND);
    paint(c, 9.5 * SECOND);
    await pass(SECOND);
    assert.deepEqual(painted, [[a, b, c]]);
  });

  it('lets rows that say minutes or hours wait for one another longer', async () => {
    paint(a, 5 * MINUTE + 59 * SECOND);
    paint(b, 7 * MINUTE + 56 * SECOND);
    await pass(4 * SECOND);
    assert.deepEqual(painted, []);
    await pass(SECOND);
    assert.deepEqual(painted, [[a, b]]);
  });

  it('never rings twice within a second', async () => {
    paint(a, 0.4 * SECOND);
    await pass(SECOND);
    paint(b, 0.9 * SECOND);
    assert.deepEqual(clock.sleeping, [SECOND]);
  });

  it('has one timer for all views', () => {
    const other = timer.addView(() => undefined);
    other.setVisible(true);
    paint(a, 3 * MINUTE);
    const at = clock.now() - 5 * SECOND;
    other.note(b, { earliest: at, latest: at });
    assert.deepEqual(clock.sleeping, [SECOND]);
  });

  it('stops while the view is hidden and makes up for it when it is seen again', async () => {
    paint(a, 3 * MINUTE);
    view.setVisible(false);
    assert.deepEqual(clock.sleeping, []);
    await pass(HOUR);
    assert.deepEqual(painted, []);
    view.setVisible(true);
    await pass(0);
    assert.deepEqual(painted, [[a]]);
  });

  it('leaves a hidden view alone when it rings for another', async () => {
    const other = timer.addView(() => undefined);
    other.setVisible(true);
    const at = clock.now();
    other.note(b, { earliest: at, latest: at });
    paint(a, 0);
    view.setVisible(false);
    await pass(SECOND);
    assert.deepEqual(painted, []);
  });

  it('is not woken by a row that is painted in a hidden view', () => {
    view.setVisible(false);
    paint(a, SECOND);
    assert.deepEqual(clock.sleeping, []);
  });

  it('forgets rows that went or have no age any more', async () => {
    paint(a, SECOND);
    paint(b, SECOND);
    view.forget([a]);
    view.note(b, undefined);
    await pass(SECOND);
    assert.deepEqual(painted, []);
    assert.deepEqual(clock.sleeping, []);
  });

  it('looks again after a while at the latest, for a machine may have slept', async () => {
    paint(a, 40 * 24 * HOUR);
    assert.deepEqual(clock.sleeping, [10 * MINUTE]);
    await pass(10 * MINUTE);
    assert.deepEqual(painted, []);
    assert.deepEqual(clock.sleeping, [10 * MINUTE]);
  });

  it('ends with its owner', () => {
    paint(a, SECOND);
    timer.dispose();
    assert.deepEqual(clock.sleeping, []);
  });
});
