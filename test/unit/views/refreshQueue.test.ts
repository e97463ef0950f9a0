import assert from 'node:assert/strict';
import { ContainerNode, ProjectNode, type TreeNode } from '../../../src/views/treeNode.ts';
import { RefreshQueue } from '../../../src/views/refreshQueue.ts';
import { ChangeBuilder } from '../../../src/views/rows.ts';
import { naturalOrder } from '../../../src/views/sortedSet.ts';
import { FakeClock, turn } from '../support/fakeClock.ts';
import { container } from '../inventory/support/nouns.ts';

const shop = new ProjectNode('default', 'shop', naturalOrder());
const inShop = new ContainerNode('default', container('w'), true, shop);
const [a, b] = [
  new ContainerNode('default', container('a'), true),
  new ContainerNode('default', container('b'), true),
];

describe('views/refresh', () => {
  let clock: FakeClock;
  let fired: (readonly TreeNode[] | 'all')[];
  let queue: RefreshQueue;

  beforeEach(() => {
    clock = new FakeClock();
    fired = [];
    queue = new RefreshQueue(clock, (refresh) => fired.push(refresh));
  });

  /** Lets time pass, and those that it woke go on. */
  const pass = async (milliseconds: number): Promise<void> => {
    clock.pass(milliseconds);
    await turn();
  };

  it('sends the first at once', () => {
    queue.repaint([a]);
    assert.deepEqual(fired, [[a]]);
  });

  it('gathers what comes soon after and sends it a quarter of a second after the first', async () => {
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

  it('holds back what can wait until something comes that cannot', async () => {
    const change = new ChangeBuilder(true);
    change.repaint(a);
    queue.add(change);
    assert.deepEqual(fired, []);
    await pass(249);
    queue.repaint([b]);
    assert.deepEqual(fired, [[a, b]]);
    assert.deepEqual(clock.sleeping, []);
  });

  it('sends what can wait a quarter of a second later, if nothing else comes', async () => {
    const change = new ChangeBuilder(true);
    change.repaint(a);
    queue.add(change);
    await pass(249);
    queue.add(change);
    assert.deepEqual(fired, []);
    await pass(1);
    assert.deepEqual(fired, [[a]]);
  });

  it('lets what can wait delay nothing that is on its way', async () => {
    queue.repaint([a]);
    await pass(100);
    queue.repaint([b]);
    const change = new ChangeBuilder(true);
    change.repaint(a);
    queue.add(change);
    await pass(150);
    assert.deepEqual(fired, [[a], [b, a]]);
  });

  it('is quiet where nothing is left to send, and sends at once again afterwards', async () => {
    queue.repaint([a]);
    await pass(250);
    assert.equal(fired.length, 1);
    assert.deepEqual(clock.sleeping, []);
    queue.repaint([b]);
    assert.deepEqual(fired, [[a], [b]]);
  });

  it('sends the whole view once, whatever else is stale', async () => {
    queue.repaint([a]);
    const change = new ChangeBuilder();
    change.move(b);
    change.repaint(a);
    queue.add(change);
    await pass(250);
    assert.deepEqual(fired, [[a], 'all']);
    queue.flush();
    assert.equal(fired.length, 2, 'nothing is left');
  });

  it('leaves out rows that are painted with their parent', async () => {
    queue.repaint([a]);
    const change = new ChangeBuilder();
    change.repaint(inShop);
    change.move(inShop);
    queue.add(change);
    await pass(250);
    assert.deepEqual(fired, [[a], [shop]]);
  });

  it('leaves out rows that went while they waited', async () => {
    queue.repaint([a]);
    queue.repaint([b, inShop]);
    const change = new ChangeBuilder();
    change.remove(inShop);
    queue.add(change);
    await pass(250);
    assert.deepEqual(fired, [[a], [b, shop]]);
  });

  it('sends what waits when it is asked to, and only once', async () => {
    queue.repaint([a]);
    queue.repaint([b]);
    queue.flush();
    assert.deepEqual(fired, [[a], [b]]);
    assert.deepEqual(clock.sleeping, []);
    await pass(250);
    assert.equal(fired.length, 2);
  });

  it('waits no longer when somebody sets the clock back', async () => {
    queue.repaint([a]);
    clock.set(clock.now() - 3_600_000);
    queue.repaint([b]);
    assert.deepEqual(clock.sleeping, [250]);
    await pass(250);
    assert.deepEqual(fired, [[a], [b]]);
  });

  it('sends nothing more after its end', async () => {
    queue.repaint([a]);
    queue.repaint([b]);
    clock.pass(249);
    queue.dispose();
    await pass(1);
    assert.deepEqual(fired, [[a]]);
  });

  it('sends nothing after its end', async () => {
    queue.repaint([a]);
    queue.repaint([b]);
    queue.dispose();
    await pass(250);
    assert.deepEqual(fired, [[a]]);
  });
});
