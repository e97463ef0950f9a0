import assert from 'node:assert/strict';
import { ContainerNode, ProjectNode } from '../../../src/views/containers/containerNode.ts';
import type { TreeNode } from '../../../src/views/treeNode.ts';
import { RefreshQueue, TreeRowsChange } from '../../../src/views/rows.ts';
import { FakeClock, turn } from '../support/fakeClock.ts';
import { container } from '../inventory/support/nouns.ts';

const shop = new ProjectNode('default', 'shop');
const inShop = new ContainerNode('default', container('w'), true, shop);
const a = new ContainerNode('default', container('a'), true);
const b = new ContainerNode('default', container('b'), true);

describe('RefreshQueue', () => {
  let clock: FakeClock;
  let fired: (readonly TreeNode[] | 'all')[];
  let queue: RefreshQueue;

  beforeEach(() => {
    clock = new FakeClock();
    fired = [];
    queue = new RefreshQueue(clock, (refresh) => fired.push(refresh));
  });

  function allMoved(): TreeRowsChange {
    const change = new TreeRowsChange();
    change.resetRoots();
    return change;
  }

  /** Advances the clock and lets pending promises settle. */
  const pass = async (milliseconds: number): Promise<void> => {
    clock.pass(milliseconds);
    await turn();
  };

  it('sends the first refresh immediately', () => {
    queue.repaint([a]);
    assert.deepEqual(fired, [[a]]);
  });

  it('collects later refreshes and sends them 250 ms after the first', async () => {
    queue.repaint([a]);
    await pass(10);
    queue.repaint([b]);
    queue.repaint([a]);
    queue.repaint([b]);
    await pass(239);
    assert.deepEqual(fired, [[a]]);
    await pass(1);
    assert.deepEqual(fired, [[a], [b, a]]);
  });

  it('sends no change that VS Code has read meanwhile for a refresh of all rows', async () => {
    queue.add(allMoved());
    queue.repaint([a]);
    queue.rowsRead();
    await pass(250);
    assert.deepEqual(fired, ['all']);
    queue.repaint([b]);
    await pass(250);
    assert.deepEqual(fired, ['all', [b]]);
  });

  it('sends a change that comes after VS Code has read all rows', async () => {
    queue.add(allMoved());
    queue.rowsRead();
    queue.repaint([a]);
    await pass(250);
    assert.deepEqual(fired, ['all', [a]]);
  });

  it('sends a change although all rows were read, if VS Code was not asked to', async () => {
    queue.repaint([a]);
    queue.repaint([b]);
    queue.rowsRead();
    await pass(250);
    assert.deepEqual(fired, [[a], [b]]);
  });

  it('holds back a refresh that can wait until one arrives that cannot', async () => {
    const change = new TreeRowsChange(true);
    change.repaint(a);
    queue.add(change);
    assert.deepEqual(fired, []);
    await pass(249);
    queue.repaint([b]);
    assert.deepEqual(fired, [[a, b]]);
    assert.deepEqual(clock.sleeping, []);
  });

  it('sends a refresh that can wait after 250 ms if nothing else arrives', async () => {
    const change = new TreeRowsChange(true);
    change.repaint(a);
    queue.add(change);
    await pass(249);
    queue.add(change);
    assert.deepEqual(fired, []);
    await pass(1);
    assert.deepEqual(fired, [[a]]);
  });

  it('does not let a refresh that can wait delay a pending one', async () => {
    queue.repaint([a]);
    await pass(100);
    queue.repaint([b]);
    const change = new TreeRowsChange(true);
    change.repaint(a);
    queue.add(change);
    await pass(150);
    assert.deepEqual(fired, [[a], [b, a]]);
  });

  it('is idle when nothing is left to send, and then sends immediately again', async () => {
    queue.repaint([a]);
    await pass(250);
    assert.equal(fired.length, 1);
    assert.deepEqual(clock.sleeping, []);
    queue.repaint([b]);
    assert.deepEqual(fired, [[a], [b]]);
  });

  it('sends the whole view once, whatever else is stale', async () => {
    queue.repaint([a]);
    const change = new TreeRowsChange();
    change.move(b);
    change.repaint(a);
    queue.add(change);
    await pass(250);
    assert.deepEqual(fired, [[a], 'all']);
    queue.flush();
    assert.equal(fired.length, 2, 'no refresh may be pending');
  });

  it('leaves out rows that are refreshed with their parent', async () => {
    queue.repaint([a]);
    const change = new TreeRowsChange();
    change.repaint(inShop);
    change.move(inShop);
    queue.add(change);
    await pass(250);
    assert.deepEqual(fired, [[a], [shop]]);
  });

  it('leaves out rows that were removed while they waited', async () => {
    queue.repaint([a]);
    queue.repaint([b, inShop]);
    const change = new TreeRowsChange();
    change.remove(inShop);
    queue.add(change);
    await pass(250);
    assert.deepEqual(fired, [[a], [b, shop]]);
  });

  it('sends pending refreshes once when flushed', async () => {
    queue.repaint([a]);
    queue.repaint([b]);
    queue.flush();
    assert.deepEqual(fired, [[a], [b]]);
    assert.deepEqual(clock.sleeping, []);
    await pass(250);
    assert.equal(fired.length, 2);
  });

  it('does not wait longer when the system clock is set back', async () => {
    queue.repaint([a]);
    clock.set(clock.now() - 3_600_000);
    queue.repaint([b]);
    assert.deepEqual(clock.sleeping, [250]);
    await pass(250);
    assert.deepEqual(fired, [[a], [b]]);
  });

  it('sends nothing after disposal, even if a refresh was almost due', async () => {
    queue.repaint([a]);
    queue.repaint([b]);
    clock.pass(249);
    queue.dispose();
    await pass(1);
    assert.deepEqual(fired, [[a]]);
  });

  it('sends nothing after disposal', async () => {
    queue.repaint([a]);
    queue.repaint([b]);
    queue.dispose();
    await pass(250);
    assert.deepEqual(fired, [[a]]);
  });
});
