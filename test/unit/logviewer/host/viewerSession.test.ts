import assert from 'node:assert/strict';
import type { LogLine } from '../../../../src/engine/model.ts';
import type { ViewerState } from '../../../../src/logviewer/host/viewerState.ts';
import { EMPTY_FILTER, type LogExtent } from '../../../../src/logviewer/protocol.ts';
import { DEFAULT_STYLE } from '../../../../src/logviewer/host/keptStyle.ts';
import { turn } from '../../support/fakeClock.ts';
import { SELECTION, SessionLab } from '../sessionLab.ts';
import { memoryStore } from '../support.ts';

describe('log viewer', () => {
  it('sends nothing before the page is ready, then everything', async () => {
    const lab = new SessionLab();
    await lab.session.open();
    await lab.write('one', 'two');
    lab.clock.pass(1000);
    assert.deepEqual(lab.posted, []);
    await lab.say({ type: 'ready' });
    assert.deepEqual(
      lab.posted.slice(0, 4).map(({ type }) => type),
      [...['init', 'keep', 'members', 'shape']],
    );
    assert.equal(lab.last('shape').shape.rowCount, 2);
    assert.deepEqual(await lab.rowTexts(), ['one', 'two']);
  });

  it('passes a command of a key or a menu to the page', async () => {
    const lab = new SessionLab();
    await lab.say({ type: 'ready' });
    lab.session.ask('copyWithColors');
    assert.equal(lab.last('ask').what, 'copyWithColors');
  });

  it('sends at most 20 extents per second', async () => {
    const lab = new SessionLab();
    await lab.say({ type: 'ready' });
    const shapes = (): number => lab.posted.filter(({ type }) => type === 'shape').length;
    const before = shapes();
    for (let at = 0; at < 500; at++) {
      await lab.write(`line ${at}`);
      lab.clock.pass(2);
    }
    assert.ok(shapes() - before <= 21, String(shapes() - before));
    assert.equal(lab.last('shape').shape.rowCount, 500);
  });

  it('sends extents half as often during a flood, and returns to the normal rate for single lines', async () => {
    const lab = new SessionLab();
    await lab.say({ type: 'ready' });
    const shapes = (): number => lab.posted.filter(({ type }) => type === 'shape').length;
    const before = shapes();
    for (let at = 0; at < 100; at++) {
      await lab.write(...Array<string>(10).fill('line'));
      lab.clock.pass(10);
    }
    assert.ok(shapes() - before <= 12, String(shapes() - before));
    await lab.write('one');
    lab.clock.pass(100);
    await lab.write('more');
    const last = shapes();
    lab.clock.pass(50);
    await lab.write('again');
    assert.ok(shapes() > last);
  });

  it('sends nothing to a hidden page, and everything to the next one', async () => {
    const lab = new SessionLab();
    await lab.say({ type: 'ready' });
    lab.isVisible = false;
    lab.visibility.fire();
    lab.posted.length = 0;
    await lab.write('meanwhile');
    lab.clock.pass(1000);
    assert.deepEqual(lab.posted, []);
    lab.isVisible = true;
    lab.visibility.fire();
    await lab.say({ type: 'ready' });
    assert.deepEqual(await lab.rowTexts(), ['meanwhile']);
  });

  it('returns a page that was hidden to its position, even if rows have moved', async () => {
    // Room for the lines and one large line, but not for the line that was read back.
    const lab = new SessionLab(undefined, memoryStore(150_000));
    await lab.say({ type: 'ready' });
    await lab.write('one', 'two', 'three');
    lab.clock.pass(100);
    lab.isVisible = false;
    lab.visibility.fire();
    lab.posted.length = 0;
    const line: LogLine = { source: 'stdout', timestamp: '', text: 'then' };
    lab.older = { lines: [{ member: 0, line }], isStart: true, horizon: '' };
    await lab.say({ type: 'older' });
    lab.rows.settle();
    await lab.say({ type: 'ready', position: { id: 1, moment: '' } });
    const { shape } = lab.posted.find(({ type }) => type === 'shape') as { shape: LogExtent };
    assert.deepEqual([shape.rowCount, shape.anchor], [4, { id: 1, row: 2 }]);
    lab.clock.pass(1000);
    const told = lab.posted.map(({ type }) => type);
    assert.ok(!told.includes('shifted'), 'rows that the page never received must not be shifted');
    assert.ok(!told.includes('reveal'));
    // If rows move before the page has requested any, the anchor moves with them.
    lab.posted.length = 0;
    await lab.write('x'.repeat(70_000));
    assert.equal(lab.store.droppedCount, 1);
    assert.deepEqual(lab.last('shape').shape.anchor, { id: 1, row: 1 });
  });

  it('continues the search without revealing a match when a page comes back', async () => {
    const lab = new SessionLab();
    await lab.say({ type: 'ready' });
    await lab.write('one', 'two', 'one');
    const query = { pattern: 'one', isRegex: false, matchCase: false, wholeWord: false };
    await lab.say({ type: 'find', query, fromRow: 1 });
    assert.deepEqual(lab.last('reveal'), { type: 'reveal', row: 2, id: 2 });
    lab.posted.length = 0;
    await lab.say({ type: 'ready', position: { id: 0, moment: '' } });
    await lab.say({ type: 'find', query });
    const { count, current } = lab.last('find').find;
    assert.deepEqual([count, current, lab.search.searches], [2, 2, 1]);
    assert.ok(!lab.posted.some(({ type }) => type === 'reveal'));
    await lab.say({ type: 'find', query: { ...query, pattern: 'two' } });
    assert.deepEqual([lab.last('find').find.count, lab.search.searches], [1, 2]);
    assert.ok(!lab.posted.some(({ type }) => type === 'reveal'));
  });

  it('sends the rows in view again with the matches of a new search', async () => {
    const lab = new SessionLab();
    await lab.say({ type: 'ready' });
    await lab.write('one', 'two');
    await lab.rowTexts();
    lab.clock.pass(1000);
    lab.posted.length = 0;
    const query = { pattern: 'two', isRegex: false, matchCase: false, wholeWord: false };
    await lab.say({ type: 'find', query, fromRow: 0 });
    lab.clock.pass(1000);
    const { rows } = lab.last('rows');
    assert.deepEqual(
      rows.map(({ runs }) => runs.some(({ isMatch }) => isMatch)),
      [false, true],
    );
  });

  it('responds to a page that is ready before VS Code reports its panel as visible', async () => {
    const lab = new SessionLab();
    lab.isVisible = false;
    await lab.say({ type: 'ready' });
    assert.equal(lab.posted[0]?.type, 'init');
  });

  it('clears the log and keeps it cleared after a reload', async () => {
    const lab = new SessionLab();
    await lab.session.open();
    await lab.say({ type: 'ready' });
    await lab.write('secret', 'plan');
    await lab.say({ type: 'command', name: 'clear' });
    lab.rows.settle();
    assert.deepEqual(await lab.rowTexts(), []);
    assert.equal(lab.last('shape').shape.isStart, true);
    const { clearedAt } = lab.last('keep').kept as ViewerState;
    assert.equal(clearedAt, '2026-08-01T00:00:01Z');
    const kept = {
      selection: SELECTION,
      title: 'web',
      styleName: 'web',
      filter: EMPTY_FILTER,
      clearedAt,
    };
    const next = new SessionLab(kept);
    await next.say({ type: 'ready' });
    await next.write('secret', 'plan', 'new');
    assert.deepEqual(await next.rowTexts(), ['new']);
    // The lines since then are read back, if the log begins with later ones.
    const older = ['01', '01.5'].map((second): LogLine => {
      const timestamp = `2026-08-01T00:00:${second}Z`;
      return { source: 'stdout', timestamp, text: `line ${second}` };
    });
    const lines = older.map((line) => ({ member: 0, line }));
    next.older = { lines, isStart: false, horizon: '2026-08-01T00:00:01Z' };
    await next.say({ type: 'older' });
    next.rows.settle();
    assert.deepEqual(await next.rowTexts(), ['line 01.5', 'new']);
    assert.equal(next.last('shape').shape.isStart, true);
  });

  it('shifts the page when older lines are inserted before the first', async () => {
    const lab = new SessionLab();
    await lab.session.open();
    await lab.say({ type: 'ready' });
    await lab.write('now');
    lab.clock.pass(100);
    const line: LogLine = { source: 'stdout', timestamp: '', text: 'then' };
    lab.older = { lines: [{ member: 0, line }], isStart: true, horizon: '' };
    await lab.say({ type: 'older' });
    lab.rows.settle();
    assert.equal(lab.last('shifted').by, 1);
    assert.deepEqual(await lab.rowTexts(), ['then', 'now']);
    assert.equal(lab.last('shape').shape.isStart, true);
  });

  it('does not respond to a request in an outdated generation', async () => {
    const lab = new SessionLab();
    await lab.session.open();
    await lab.say({ type: 'ready' });
    await lab.write('now');
    const { generation } = lab.last('shape').shape;
    const line: LogLine = { source: 'stdout', timestamp: '', text: 'then' };
    lab.older = { lines: [{ member: 0, line }], isStart: true, horizon: '' };
    await lab.say({ type: 'older' });
    // The rows have moved, but the page does not know it yet.
    await lab.say({ type: 'want', generation, from: 0, to: 1 });
    assert.ok(!lab.posted.some(({ type }) => type === 'rows'));
    assert.deepEqual(await lab.rowTexts(), ['then', 'now']);
  });

  it('sends the members only when they change, because the page then redraws all rows', async () => {
    const lab = new SessionLab();
    await lab.session.open();
    await lab.say({ type: 'ready' });
    const count = (): number => lab.posted.filter(({ type }) => type === 'members').length;
    for (let page = 0; page < 5; page++) await lab.say({ type: 'older' });
    assert.equal(count(), 1);
    await lab.say({ type: 'showMember', index: 0, isShown: false });
    assert.equal(count(), 2);
    await lab.say({ type: 'ready' });
    assert.equal(count(), 3);
  });

  it('reports how rows have moved before it reveals one of them', async () => {
    const lab = new SessionLab();
    await lab.session.open();
    await lab.say({ type: 'ready' });
    await lab.write('now');
    lab.clock.pass(100);
    const line: LogLine = { source: 'stdout', timestamp: '', text: 'then' };
    lab.older = { lines: [{ member: 0, line }], isStart: true, horizon: '' };
    await lab.say({ type: 'older' });
    // The rows have moved, but the page does not know it yet.
    lab.words = '2026-08-01T00:00:00Z';
    await lab.say({ type: 'command', name: 'jump' });
    const types = lab.posted.map(({ type }) => type);
    const moves = types.filter((type) => type === 'shifted' || type === 'reveal');
    assert.deepEqual(moves, ['shifted', 'reveal']);
  });

  it('applies and stores another filter', async () => {
    const lab = new SessionLab();
    await lab.say({ type: 'ready' });
    const filter = { ...EMPTY_FILTER, levels: ['error'] as const };
    await lab.say({ type: 'filter', filter });
    assert.deepEqual(lab.search.asked?.filter?.levels, ['error']);
    assert.equal(lab.search.asked.folds, true);
    assert.deepEqual((lab.last('keep').kept as ViewerState).filter, filter);
    assert.equal(lab.last('shape').shape.isFiltered, true);
  });

  it('opens URLs, and source references once they are resolved', async () => {
    const lab = new SessionLab();
    await lab.say({ type: 'ready' });
    await lab.write('http://a.example/ (/app/x.js:1:2)');
    lab.location = { path: '/w/x.js', line: 1, column: 2, title: 'x.js:1' };
    await lab.rowTexts();
    await lab.say({ type: 'openLink', id: 0, index: 0 });
    await lab.say({ type: 'openLink', id: 0, index: 1 });
    await lab.say({ type: 'openLink', id: 0, index: 9 });
    assert.deepEqual(lab.done, [
      ['openUrl', 'http://a.example/'],
      ['openSource', lab.location],
    ]);
    const links = lab.last('rows').rows[0]?.runs.flatMap(({ link }) => link?.title ?? []);
    assert.deepEqual(links, ['http://a.example/', 'x.js:1']);
  });

  it('copies the selection with and without colors', async () => {
    const lab = new SessionLab();
    await lab.say({ type: 'ready' });
    await lab.write('\u001b[31mred\u001b[0m one', 'two', 'three');
    const copy = { type: 'copy', from: { id: 0, character: 4 } } as const;
    await lab.say({ ...copy, to: { id: 2, character: 2 }, withColors: false });
    const all = {
      from: { id: Number.MIN_SAFE_INTEGER, character: 0 },
      to: { id: Number.MAX_SAFE_INTEGER, character: 0 },
    };
    await lab.say({ ...copy, ...all, withColors: true });
    assert.deepEqual(lab.done, [
      ['copy', 'one\ntwo\nth'],
      ['copy', '\u001b[31mred\u001b[0m one\ntwo\nthree'],
    ]);
  });

  it('saves and opens the lines with their timestamps', async () => {
    const lab = new SessionLab();
    await lab.say({ type: 'ready' });
    await lab.write('\u001b[31mred\u001b[0m');
    await lab.say({ type: 'command', name: 'save' });
    await lab.say({ type: 'command', name: 'openDocument' });
    const text = '2026-08-01T00:00:00Z red\n';
    assert.deepEqual(lab.done, [
      ['save', ['web', text]],
      ['openDocument', ['web', text]],
    ]);
  });

  it('saves all lines or only those that are shown', async () => {
    const lab = new SessionLab();
    await lab.say({ type: 'ready' });
    await lab.write('one');
    await lab.say({ type: 'showMember', index: 0, isShown: false });
    await lab.say({ type: 'command', name: 'save' });
    await lab.say({ type: 'command', name: 'saveMatches' });
    assert.deepEqual(lab.done, [
      ['save', ['web', '2026-08-01T00:00:00Z one\n']],
      ['save', ['web', '']],
    ]);
  });

  it('goes to a time, or posts a notice if there is no line that recent', async () => {
    const lab = new SessionLab();
    await lab.session.open();
    await lab.say({ type: 'ready' });
    await lab.write('one', 'two', 'three');
    lab.words = '2026-08-01T00:00:01Z';
    await lab.say({ type: 'command', name: 'jump' });
    assert.deepEqual(lab.last('reveal'), { type: 'reveal', row: 1, id: 1 });
    lab.words = '2027-01-01';
    await lab.say({ type: 'command', name: 'jump' });
    assert.match(lab.last('notice').text, /No lines are that recent/);
  });

  it('goes to a time with a filter once the lines that were read back for it are checked', async () => {
    const lab = await filtered();
    await lab.write('now');
    lab.search.mark(0, [true]);
    const lines = ['57', '58', '59'].map((second) => {
      const timestamp = `2026-07-31T23:59:${second}Z`;
      const line: LogLine = { source: 'stdout', timestamp, text: second };
      return { member: 0, line };
    });
    lab.older = { lines, isStart: true, horizon: '' };
    lab.words = '2026-07-31T23:59:58Z';
    await lab.say({ type: 'command', name: 'jump' });
    assert.deepEqual([lab.store.firstId, reveals(lab)], [-3, 0]);
    lab.search.mark(-1, [true]);
    await turn();
    assert.equal(reveals(lab), 0);
    lab.search.mark(-3, [true, false]);
    await turn();
    assert.deepEqual(lab.last('reveal'), { type: 'reveal', row: 1, id: -2 });
  });

  it('goes to a time without waiting long for a filter, to none that was cleared, and leaves no timer', async () => {
    const lab = await filtered();
    await lab.write('one', 'two', 'three');
    lab.search.mark(2, [true]);
    lab.words = '2026-08-01T00:00:01Z';
    await lab.say({ type: 'command', name: 'jump' });
    lab.clock.pass(4000);
    await turn();
    assert.equal(reveals(lab), 0);
    lab.clock.pass(1000);
    await turn();
    assert.deepEqual(lab.last('reveal'), { type: 'reveal', row: 0, id: 1 });
    await lab.say({ type: 'command', name: 'jump' });
    await lab.say({ type: 'command', name: 'clear' });
    lab.clock.pass(5000);
    await turn();
    await lab.write('four');
    await lab.say({ type: 'command', name: 'jump' });
    lab.session.dispose();
    assert.deepEqual([reveals(lab), lab.clock.sleeping], [1, []]);
  });

  it('reports how far back was searched if there is no more room, and which setting helps', async () => {
    const lab = new SessionLab(undefined, memoryStore(100_000));
    await lab.session.open();
    await lab.say({ type: 'ready' });
    await lab.write('one');
    lab.older = { lines: [], isStart: false, horizon: '2026-08-01T10:02:03Z' };
    await lab.say({ type: 'style', style: { ...DEFAULT_STYLE, times: 'utc' } });
    await lab.say({ type: 'older' });
    assert.match(lab.last('find').find.horizon ?? '', /^searched back to 2026-08-01 10:02$/);
    await lab.write('x'.repeat(60_000), 'y'.repeat(60_000));
    assert.ok(lab.store.droppedCount > 0);
    await lab.say({ type: 'searchBack', isOn: true });
    assert.match(lab.last('find').find.horizon ?? '', /10:02, memory limit reached$/);
    const [[setting, text] = []] = lab.done;
    assert.deepEqual([setting, lab.done.length], ['gantry.logs.memory', 1]);
    assert.match(String(text), /^The memory limit is reached\. Lines before 2026-08-01 10:02/);
  });

  it('reports that the whole log was searched', async () => {
    const lab = new SessionLab();
    await lab.session.open();
    await lab.say({ type: 'ready' });
    await lab.write('one');
    await lab.say({ type: 'searchBack', isOn: true });
    assert.equal(lab.last('find').find.horizon, 'searched the whole log');
  });

  it('posts a notice if a filter is rejected, but not if it was replaced by another', async () => {
    const lab = new SessionLab();
    await lab.say({ type: 'ready' });
    const notices = (): readonly string[] =>
      lab.posted.flatMap((one) => (one.type === 'notice' ? [one.text] : []));
    const filter = { ...EMPTY_FILTER, levels: ['error'] as const };
    lab.search.refusal = new DOMException('another one', 'AbortError');
    await lab.say({ type: 'filter', filter });
    assert.deepEqual(notices(), []);
    lab.search.refusal = new Error('no expression');
    await lab.say({ type: 'filter', filter });
    assert.deepEqual(notices(), ['no expression']);
    assert.deepEqual(lab.search.asked, { filter: undefined, folds: true });
  });

  it('goes back to the position from before the window was reloaded', async () => {
    const kept = {
      selection: SELECTION,
      title: 'web',
      styleName: 'web',
      filter: EMPTY_FILTER,
      clearedAt: '',
    };
    const lab = new SessionLab(kept);
    await lab.session.open();
    await lab.write('one', 'two', 'three');
    await lab.say({ type: 'ready', position: { id: 77, moment: '2026-08-01T00:00:01Z' } });
    assert.equal(lab.last('reveal').id, 1);
  });

  it('goes back to that position with a filter once its lines are checked', async () => {
    const kept = {
      ...{ selection: SELECTION, title: 'web', styleName: 'web', clearedAt: '' },
      filter: { ...EMPTY_FILTER, levels: ['error'] as const },
    };
    const lab = new SessionLab(kept);
    await lab.session.open();
    await lab.write('one', 'two', 'three');
    await lab.say({ type: 'ready', position: { id: 77, moment: '2026-08-01T00:00:01Z' } });
    lab.search.mark(2, [true]);
    await turn();
    assert.equal(reveals(lab), 0);
    lab.search.mark(0, [true, true]);
    await turn();
    assert.deepEqual(lab.last('reveal'), { type: 'reveal', row: 1, id: 1 });
  });

  it('ends with its panel and leaves no timer behind', async () => {
    const lab = new SessionLab();
    await lab.say({ type: 'ready' });
    await lab.write('one');
    lab.session.dispose();
    assert.equal(lab.clock.sleeping.length, 0);
    lab.posted.length = 0;
    await lab.say({ type: 'style', style: DEFAULT_STYLE });
    assert.deepEqual(lab.posted, []);
  });
});

/** Returns a viewer with a filter that has not checked any line. */
async function filtered(): Promise<SessionLab> {
  const lab = new SessionLab();
  await lab.session.open();
  await lab.say({ type: 'ready' });
  await lab.say({ type: 'filter', filter: { ...EMPTY_FILTER, levels: ['error'] } });
  return lab;
}

function reveals({ posted }: SessionLab): number {
  return posted.filter(({ type }) => type === 'reveal').length;
}
