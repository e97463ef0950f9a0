import assert from 'node:assert/strict';
import { SELECTION, SessionLab } from '../sessionLab.ts';

const SECOND = Date.parse('2026-08-01T00:00:02Z');

describe('log viewer at a time', () => {
  const revealed = (lab: SessionLab): readonly number[] =>
    lab.posted.flatMap((one) => (one.type === 'reveal' ? [one.id] : []));

  /** A session with a line for each of the first seconds. */
  async function opened(): Promise<SessionLab> {
    const lab = new SessionLab();
    await lab.session.open();
    await lab.write('zero', 'one', 'two', 'three');
    return lab;
  }

  it('is shown once the page is there', async () => {
    const lab = await opened();
    lab.session.goTo(SECOND);
    assert.deepEqual(revealed(lab), []);
    await lab.say({ type: 'ready' });
    assert.deepEqual(revealed(lab), [2]);
    lab.session.goTo(SECOND - 1000);
    await lab.say({ type: 'follow', count: 1 });
    assert.deepEqual(revealed(lab), [2, 1]);
  });

  it('is known to other pages, until it follows the end', async () => {
    const lab = await opened();
    await lab.say({ type: 'ready' });
    const moves: (number | undefined)[] = [];
    lab.positions.onDidMove(({ at, engine }) => {
      assert.equal(engine, SELECTION.engine);
      moves.push(at);
    });
    await lab.say({ type: 'current', id: 2 });
    await lab.say({ type: 'current', id: 99 });
    await lab.say({ type: 'current', id: 1 });
    await lab.say({ type: 'follow', count: 20 });
    assert.deepEqual(moves, [SECOND, undefined, SECOND - 1000, undefined]);
  });
});
