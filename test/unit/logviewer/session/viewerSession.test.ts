import assert from 'node:assert/strict';
import type { LogLine } from '../../../../src/engine/model.ts';
import type { ViewerState } from '../../../../src/logviewer/session/viewerState.ts';
import { EMPTY_FILTER } from '../../../../src/logviewer/session/viewerState.ts';
import type { LogExtent } from '../../../../src/logviewer/protocol.ts';
import { DEFAULT_STYLE } from '../../../../src/logviewer/session/styleMemory.ts';
import { SELECTION, SessionLab } from '../sessionLab.ts';
import { memoryStore } from '../support.ts';

describe('a log viewer', () => {
  it('says nothing before the page is ready, then everything', async () => {
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

  it('tells of a flood no more often than twenty times a second', async () => {
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

  it('tells half as often of more than a screen holds, and of a single line soon again', async () => {
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

  it('tells a hidden page nothing, and the next one everything', async () => {
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

  it('brings a page that was hidden back to its place, wherever that is by now', async () => {
    // Room for the lines and one that is large, without the one that is read back.
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
    await lab.say({ type: 'ready', place: { id: 1, moment: '' } });
    const { shape } = lab.posted.find(({ type }) => type === 'shape') as { shape: LogExtent };
    assert.deepEqual([shape.rowCount, shape.anchor], [4, { id: 1, row: 2 }]);
    lab.clock.pass(1000);
    const told = lab.posted.map(({ type }) => type);
    assert.ok(!told.includes('shifted'), 'it never knew the rows before they moved');
    assert.ok(!told.includes('reveal'));
    // Rows that move before the page has wanted any move the place with them.
    lab.posted.length = 0;
    await lab.write('x'.repeat(70_000));
    assert.equal(lab.store.droppedCount, 1);
    assert.deepEqual(lab.last('shape').shape.anchor, { id: 1, row: 1 });
  });

  it('goes on with its search, and leads nowhere, where a page comes back', async () => {
    const lab = new SessionLab();
    await lab.say({ type: 'ready' });
    await lab.write('one', 'two', 'one');
    const query = { pattern: 'one', isRegex: false, matchCase: false, wholeWord: false };
    await lab.say({ type: 'find', query, fromRow: 1 });
    assert.deepEqual(lab.last('reveal'), { type: 'reveal', row: 2, id: 2 });
    lab.posted.length = 0;
    await lab.say({ type: 'ready', place: { id: 0, moment: '' } });
    await lab.say({ type: 'find', query });
    const { count, current } = lab.last('find').find;
    assert.deepEqual([count, current, lab.search.searches], [2, 2, 1]);
    assert.ok(!lab.posted.some(({ type }) => type === 'reveal'));
    await lab.say({ type: 'find', query: { ...query, pattern: 'two' } });
    assert.deepEqual([lab.last('find').find.count, lab.search.searches], [1, 2]);
    assert.ok(!lab.posted.some(({ type }) => type === 'reveal'));
  });

  it('sends the rows in view again with the marks of a new search: older ones may be on their way', async () => {
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

  it('answers a page that is ready before the editor says that its panel is visible', async () => {
    const lab = new SessionLab();
    lab.isVisible = false;
    await lab.say({ type: 'ready' });
    assert.equal(lab.posted[0]?.type, 'init');
  });

  it('clears, and stays clear over a reload', async () => {
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
  });

  it('shifts the page where older lines come before the first', async () => {
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

  it('answers no page that does not know yet how rows have moved', async () => {
    const lab = new SessionLab();
    await lab.session.open();
    await lab.say({ type: 'ready' });
    await lab.write('now');
    const { generation } = lab.last('shape').shape;
    const line: LogLine = { source: 'stdout', timestamp: '', text: 'then' };
    lab.older = { lines: [{ member: 0, line }], isStart: true, horizon: '' };
    await lab.say({ type: 'older' });
    // The view has them, and says so a moment later.
    await lab.say({ type: 'want', generation, from: 0, to: 1 });
    assert.ok(!lab.posted.some(({ type }) => type === 'rows'));
    assert.deepEqual(await lab.rowTexts(), ['then', 'now']);
  });

  it('tells the members once, for a page draws all rows anew then', async () => {
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

  it('tells how rows have moved before it goes to one of them', async () => {
    const lab = new SessionLab();
    await lab.session.open();
    await lab.say({ type: 'ready' });
    await lab.write('now');
    lab.clock.pass(100);
    const line: LogLine = { source: 'stdout', timestamp: '', text: 'then' };
    lab.older = { lines: [{ member: 0, line }], isStart: true, horizon: '' };
    await lab.say({ type: 'older' });
    // The view has them, and says so a moment later.
    lab.words = '2026-08-01T00:00:00Z';
    await lab.say({ type: 'command', name: 'jump' });
    const types = lab.posted.map(({ type }) => type);
    const moves = types.filter((type) => type === 'shifted' || type === 'reveal');
    assert.deepEqual(moves, ['shifted', 'reveal']);
  });

  it('shows by another filter, and keeps it', async () => {
    const lab = new SessionLab();
    await lab.say({ type: 'ready' });
    const filter = { ...EMPTY_FILTER, levels: ['error'] as const };
    await lab.say({ type: 'filter', filter });
    assert.deepEqual(lab.rows.settings, { filter: { levels: ['error'] }, folds: true });
    assert.deepEqual((lab.last('keep').kept as ViewerState).filter, filter);
    assert.equal(lab.last('shape').shape.isFiltered, true);
  });

  it('opens addresses, and places once they are known', async () => {
    const lab = new SessionLab();
    await lab.say({ type: 'ready' });
    await lab.write('http://a.example/ (/app/x.js:1:2)');
    lab.place = { path: '/w/x.js', line: 1, column: 2, title: 'x.js:1' };
    await lab.rowTexts();
    await lab.say({ type: 'openLink', id: 0, index: 0 });
    await lab.say({ type: 'openLink', id: 0, index: 1 });
    await lab.say({ type: 'openLink', id: 0, index: 9 });
    assert.deepEqual(lab.done, [
      ['openUrl', 'http://a.example/'],
      ['openSource', lab.place],
    ]);
    const links = lab.last('rows').rows[0]?.runs.flatMap(({ link }) => link?.title ?? []);
    assert.deepEqual(links, ['http://a.example/', 'x.js:1']);
  });

  it('copies what is selected, with colours and without', async () => {
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

  it('saves and opens the lines with their moments', async () => {
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

  it('goes to a time, or says that there is no line of it', async () => {
    const lab = new SessionLab();
    await lab.session.open();
    await lab.say({ type: 'ready' });
    await lab.write('one', 'two', 'three');
    lab.words = '2026-08-01T00:00:01Z';
    await lab.say({ type: 'command', name: 'jump' });
    assert.deepEqual(lab.last('reveal'), { type: 'reveal', row: 1, id: 1 });
    lab.words = '2027-01-01';
    await lab.say({ type: 'command', name: 'jump' });
    assert.match(lab.last('notice').text, /No line is that new/);
  });

  it('says how far back was searched where there is no more room, and which setting makes more', async () => {
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
    assert.match(lab.last('find').find.horizon ?? '', /10:02, no room for older lines$/);
    const [[setting, text] = []] = lab.done;
    assert.deepEqual([setting, lab.done.length], ['gantry.logs.memory', 1]);
    assert.match(String(text), /no room for lines from before 2026-08-01 10:02/);
  });

  it('says that the whole log was searched', async () => {
    const lab = new SessionLab();
    await lab.session.open();
    await lab.say({ type: 'ready' });
    await lab.write('one');
    await lab.say({ type: 'searchBack', isOn: true });
    assert.equal(lab.last('find').find.horizon, 'searched the whole log');
  });

  it('says why a filter is refused, and nothing of one that another took the place of', async () => {
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
    assert.deepEqual(lab.rows.settings, { filter: undefined, folds: true });
  });

  it('goes back to where the person was before the window was reloaded', async () => {
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
    await lab.say({ type: 'ready', place: { id: 77, moment: '2026-08-01T00:00:01Z' } });
    assert.equal(lab.last('reveal').id, 1);
  });

  it('ends with its panel, and leaves no timer behind', async () => {
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
