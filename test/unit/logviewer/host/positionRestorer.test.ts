import assert from 'node:assert/strict';
import { EMPTY_FILTER, type LogExtent } from '../../../../src/logviewer/protocol.ts';
import { SELECTION, SessionLab } from '../sessionLab.ts';

const KEPT = {
  ...{ selection: SELECTION, title: 'web', styleName: 'web' },
  ...{ filter: EMPTY_FILTER, clearedAt: '' },
};
const POSITION = { id: 77, moment: '2026-08-01T00:00:02Z' };

/** Lets the page follow the end, as it does until the session goes back. */
const follow = (lab: SessionLab): Promise<void> => lab.say({ type: 'follow', count: 20 });

/** A session after a reload of the window, while the engine cannot be reached. */
async function restored(): Promise<SessionLab> {
  const lab = new SessionLab(KEPT);
  await lab.session.open();
  await lab.feed?.marker(0, { kind: 'lost' }, '2026-08-01T00:01:00Z');
  lab.rows.settle();
  await lab.say({ type: 'ready', position: POSITION });
  await follow(lab);
  return lab;
}

/** Writes lines from the first second on, whose IDs are their seconds. */
async function write(lab: SessionLab, ...texts: readonly string[]): Promise<void> {
  await lab.write(...texts);
  await follow(lab);
}

/** Hides the page. The session does not respond until the next one is ready. */
function hide(lab: SessionLab): void {
  lab.isVisible = false;
  lab.visibility.fire();
}

const revealed = (lab: SessionLab): readonly number[] =>
  lab.posted.flatMap((one) => (one.type === 'reveal' ? [one.id] : []));

/** The rows that pages were told to keep in view. */
const anchors = (lab: SessionLab): readonly LogExtent['anchor'][] =>
  lab.posted.flatMap((one) => (one.type === 'shape' ? (one.shape.anchor ?? []) : []));

describe('position before a reload', () => {
  it('is gone back to when its lines arrive, even if the engine comes late', async () => {
    const lab = await restored();
    await write(lab, 'one');
    assert.deepEqual(revealed(lab), []);
    await write(lab, 'two', 'three');
    assert.deepEqual(revealed(lab), [2]);
    await write(lab, 'four');
    assert.deepEqual(revealed(lab), [2]);
    assert.ok(!lab.posted.some(({ type }) => type === 'notice'), 'the marker is no earlier line');
  });

  it('is gone back to in the next page if this one is hidden', async () => {
    const lab = await restored();
    hide(lab);
    await write(lab, 'one', 'two', 'three');
    assert.deepEqual(revealed(lab), []);
    await lab.say({ type: 'ready', position: POSITION });
    assert.deepEqual(revealed(lab), [2]);
    assert.deepEqual(anchors(lab), [], 'its ID is from an earlier session');
  });

  it('is gone back to in the next page if this one is hidden while older lines are read', async () => {
    const lab = new SessionLab(KEPT);
    await lab.session.open();
    await lab.write('zero');
    const { older } = lab;
    Object.defineProperty(lab, 'older', { get: () => (hide(lab), older) });
    const position = { id: 77, moment: '2026-07-31T00:00:00Z' };
    await lab.say({ type: 'ready', position });
    assert.deepEqual(revealed(lab), []);
    await lab.say({ type: 'ready', position });
    assert.deepEqual([revealed(lab), anchors(lab)], [[0], []]);
  });

  it('is left after the user has scrolled', async () => {
    const lab = await restored();
    const { generation } = lab.last('shape').shape;
    await lab.say({ type: 'want', generation, from: 0, to: 1, anchor: 0 });
    await write(lab, 'one', 'two', 'three');
    assert.deepEqual(revealed(lab), []);
    await lab.say({ type: 'ready', position: { id: 3, moment: '' } });
    assert.deepEqual(anchors(lab), [{ id: 3, row: 3 }]);
  });

  it('is left if the user scrolls while older lines are read', async () => {
    const lab = new SessionLab(KEPT);
    await lab.session.open();
    await lab.write('zero');
    const { older } = lab;
    const scroll = (): void => {
      lab.messages.fire({ type: 'want', generation: 0, from: 0, to: 1, anchor: 0 });
    };
    Object.defineProperty(lab, 'older', { get: () => (scroll(), older) });
    await lab.say({ type: 'ready', position: { id: 77, moment: '2026-07-31T00:00:00Z' } });
    assert.deepEqual(revealed(lab), []);
    assert.ok(!lab.posted.some(({ type }) => type === 'notice'));
  });

  it('is left if no lines arrive for an hour, or the viewer is closed', async () => {
    const lab = await restored();
    lab.clock.pass(3_600_000);
    await write(lab, 'one', 'two', 'three');
    assert.deepEqual(revealed(lab), []);
    const closed = await restored();
    closed.session.dispose();
    assert.deepEqual(closed.clock.sleeping, []);
  });

  it('is the last line if the log was read, and has only older lines', async () => {
    const lab = new SessionLab(KEPT);
    await lab.session.open();
    await lab.write('zero', 'one');
    await lab.say({ type: 'ready', position: POSITION });
    assert.deepEqual(revealed(lab), [1]);
    assert.match(lab.last('notice').text, /No lines are that recent/);
  });
});
