import assert from 'node:assert/strict';
import { Emitter } from '../../../../src/lifetime.ts';
import type { LogLine } from '../../../../src/engine/model.ts';
import type { ViewerState } from '../../../../src/logviewer/session/viewerState.ts';
import { EMPTY_FILTER } from '../../../../src/logviewer/session/viewerState.ts';
import type { LogExtent, ToHost, ToPage } from '../../../../src/logviewer/protocol.ts';
import type { OlderPage } from '../../../../src/logviewer/session/backwardReader.ts';
import type {
  SourceLocation,
  TextSource,
} from '../../../../src/logviewer/session/sessionContext.ts';
import type { RowSource } from '../../../../src/logviewer/rows/viewerRows.ts';
import type { StoreFeed } from '../../../../src/logviewer/session/storeFeed.ts';
import { DEFAULT_STYLE, StyleMemory } from '../../../../src/logviewer/session/styleMemory.ts';
import type { ViewerLog } from '../../../../src/logviewer/session/viewerContent.ts';
import {
  ViewerSession,
  type ViewerSessionDependencies,
} from '../../../../src/logviewer/session/viewerSession.ts';
import type { Searcher } from '../../../../src/logviewer/rows/viewerFind.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { FakeStore, PLAIN } from '../support.ts';

const ID = 'a'.repeat(64);
const SELECTION = { engine: 'default', ids: [ID] };

/** Every line a row. */
class FakeView implements RowSource {
  readonly changes = new Emitter<undefined>();
  readonly onDidChange = this.changes.event;
  readonly onDidFail = new Emitter<Error>().event;
  readonly shown: unknown[] = [];
  readonly #store: FakeStore;

  constructor(store: FakeStore) {
    this.#store = store;
  }

  get rowCount(): number {
    return this.#store.lines.length;
  }

  rowAt(index: number) {
    const id = this.#store.lines[index]?.id;
    return id === undefined ? undefined : { id, head: id, follow: 0, isFolded: false };
  }

  indexOf(id: number): number {
    return this.#store.lines.findIndex((line) => line.id === id);
  }

  indexFrom(id: number): number {
    return Math.max(0, id - this.#store.firstId);
  }

  indexNear(id: number): number {
    return this.indexFrom(id);
  }

  headOf(id: number): number {
    return id;
  }

  isFolded(): boolean {
    return false;
  }

  fold(): void {
    this.changes.fire(undefined);
  }

  show(settings: unknown): Promise<void> {
    this.shown.push(settings);
    return Promise.resolve();
  }
}

class Lab {
  readonly clock = new FakeClock();
  readonly store = new FakeStore();
  readonly view = new FakeView(this.store);
  readonly posted: ToPage[] = [];
  readonly done: [string, unknown][] = [];
  readonly messages = new Emitter<ToHost>();
  readonly visibility = new Emitter<void>();
  readonly members = new Emitter<void>();
  readonly folders = new Emitter<void>();
  readonly session: ViewerSession;
  isVisible = true;
  older: OlderPage = { lines: [], isStart: true, horizon: '' };
  words: string | undefined;
  searches = 0;
  place: SourceLocation | undefined;
  feed: StoreFeed | undefined;

  constructor(kept?: ViewerState) {
    this.session = new ViewerSession(this.#parts(kept));
  }

  #parts(kept: ViewerState | undefined): ViewerSessionDependencies {
    const note = (name: string) => (value: unknown) => {
      this.done.push([name, value]);
      return Promise.resolve();
    };
    const texts = (name: string) => (source: TextSource) =>
      note(name)([source.name, [...source.chunks(false)].join('')]);
    const isVisible = (): boolean => this.isVisible;
    return {
      ...{ selection: SELECTION, title: 'web', styleName: 'web', kept, clock: this.clock },
      ...{ store: this.store, view: this.view, l10n: PLAIN },
      page: {
        get isVisible() {
          return isVisible();
        },
        onMessage: this.messages.event,
        onDidChangeVisibility: this.visibility.event,
        post: (message) => this.posted.push(message),
      },
      searcher: { find: (...asked) => this.#search(...asked) },
      sources: { find: () => Promise.resolve(this.place), onDidChange: this.folders.event },
      styles: new StyleMemory({ get: () => undefined, update: () => Promise.resolve() }),
      actions: {
        ...{ copy: note('copy'), openUrl: note('openUrl'), openSource: note('openSource') },
        tellOfSetting: (text, setting) => note(setting)(text),
        askMoment: () => Promise.resolve(this.words),
        save: texts('save'),
        openDocument: texts('openDocument'),
      },
      openLog: (feed) => this.#log(feed),
      describe: (error) => (error as Error).message,
    };
  }

  #search(...[{ pattern }, , onFound]: Parameters<Searcher['find']>): Promise<void> {
    this.searches += 1;
    const hits = this.store.lines.filter(({ text }) => text.includes(pattern));
    const ids = hits.map(({ id }) => id);
    const searched = { from: this.store.firstId, to: this.store.endId };
    onFound({ ids, count: ids.length, isDone: true, searched, isFresh: true });
    return Promise.resolve();
  }

  #log(feed: StoreFeed): ViewerLog {
    this.feed = feed;
    return {
      members: [{ index: 0, id: ID, name: 'web', isOver: false }],
      onDidChangeMembers: this.members.event,
      open: () => {
        feed.caughtUp();
        return Promise.resolve();
      },
      older: () => Promise.resolve(this.older),
      dispose: () => undefined,
    };
  }

  async write(...texts: readonly string[]): Promise<void> {
    const lines = texts.map((text, at): LogLine => {
      const second = String(this.store.endId + at).padStart(2, '0');
      return { source: 'stdout', timestamp: `2026-08-01T00:00:${second}Z`, text };
    });
    await this.feed?.lines(0, lines);
    this.view.changes.fire(undefined);
  }

  async say(message: ToHost): Promise<void> {
    this.messages.fire(message);
    // What reads many lines lets others go first once; here all is done after that.
    for (let turn = 0; turn < 2; turn++) await new Promise(setImmediate);
  }

  last<Type extends ToPage['type']>(type: Type): Extract<ToPage, { type: Type }> {
    this.clock.pass(100);
    const found = this.posted.findLast((one) => one.type === type);
    return (found ?? assert.fail(`no ${type}`)) as Extract<ToPage, { type: Type }>;
  }

  /** The texts of the rows that the page gets. */
  async rows(): Promise<readonly string[]> {
    const { generation } = this.last('shape').shape;
    await this.say({ type: 'want', generation, from: 0, to: 100 });
    return this.last('rows').rows.map(({ runs }) => runs.map(({ text }) => text).join(''));
  }
}

describe('a log viewer', () => {
  it('says nothing before the page is ready, then everything', async () => {
    const lab = new Lab();
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
    assert.deepEqual(await lab.rows(), ['one', 'two']);
  });

  it('tells of a flood no more often than twenty times a second', async () => {
    const lab = new Lab();
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
    const lab = new Lab();
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
    const lab = new Lab();
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
    assert.deepEqual(await lab.rows(), ['meanwhile']);
  });

  it('brings a page that was hidden back to its place, wherever that is by now', async () => {
    const lab = new Lab();
    await lab.say({ type: 'ready' });
    await lab.write('one', 'two', 'three');
    lab.clock.pass(100);
    lab.isVisible = false;
    lab.visibility.fire();
    lab.posted.length = 0;
    const line: LogLine = { source: 'stdout', timestamp: '', text: 'then' };
    lab.older = { lines: [{ member: 0, line }], isStart: true, horizon: '' };
    await lab.say({ type: 'older' });
    lab.view.changes.fire(undefined);
    await lab.say({ type: 'ready', place: { id: 1, moment: '' } });
    const { shape } = lab.posted.find(({ type }) => type === 'shape') as { shape: LogExtent };
    assert.deepEqual([shape.rowCount, shape.anchor], [4, { id: 1, row: 2 }]);
    lab.clock.pass(1000);
    const told = lab.posted.map(({ type }) => type);
    assert.ok(!told.includes('shifted'), 'it never knew the rows before they moved');
    assert.ok(!told.includes('reveal'));
    // Rows that move before the page has wanted any move the place with them.
    lab.posted.length = 0;
    lab.store.firstId += 1;
    lab.store.lines.shift();
    lab.view.changes.fire(undefined);
    assert.deepEqual(lab.last('shape').shape.anchor, { id: 1, row: 1 });
  });

  it('goes on with its search, and leads nowhere, where a page comes back', async () => {
    const lab = new Lab();
    await lab.say({ type: 'ready' });
    await lab.write('one', 'two', 'one');
    const query = { pattern: 'one', isRegex: false, matchCase: false, wholeWord: false };
    await lab.say({ type: 'find', query, fromRow: 1 });
    assert.deepEqual(lab.last('reveal'), { type: 'reveal', row: 2, id: 2 });
    lab.posted.length = 0;
    await lab.say({ type: 'ready', place: { id: 0, moment: '' } });
    await lab.say({ type: 'find', query });
    const { count, current } = lab.last('find').find;
    assert.deepEqual([count, current, lab.searches], [2, 2, 1]);
    assert.ok(!lab.posted.some(({ type }) => type === 'reveal'));
    await lab.say({ type: 'find', query: { ...query, pattern: 'two' } });
    assert.deepEqual([lab.last('find').find.count, lab.searches], [1, 2]);
    assert.ok(!lab.posted.some(({ type }) => type === 'reveal'));
  });

  it('sends the rows in view again with the marks of a new search: older ones may be on their way', async () => {
    const lab = new Lab();
    await lab.say({ type: 'ready' });
    await lab.write('one', 'two');
    await lab.rows();
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
    const lab = new Lab();
    lab.isVisible = false;
    await lab.say({ type: 'ready' });
    assert.equal(lab.posted[0]?.type, 'init');
  });

  it('clears, and stays clear over a reload', async () => {
    const lab = new Lab();
    await lab.session.open();
    await lab.say({ type: 'ready' });
    await lab.write('secret', 'plan');
    await lab.say({ type: 'command', name: 'clear' });
    lab.view.changes.fire(undefined);
    assert.deepEqual(await lab.rows(), []);
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
    const next = new Lab(kept);
    await next.say({ type: 'ready' });
    await next.write('secret', 'plan', 'new');
    assert.deepEqual(await next.rows(), ['new']);
  });

  it('shifts the page where older lines come before the first', async () => {
    const lab = new Lab();
    await lab.session.open();
    await lab.say({ type: 'ready' });
    await lab.write('now');
    lab.clock.pass(100);
    const line: LogLine = { source: 'stdout', timestamp: '', text: 'then' };
    lab.older = { lines: [{ member: 0, line }], isStart: true, horizon: '' };
    await lab.say({ type: 'older' });
    lab.view.changes.fire(undefined);
    assert.equal(lab.last('shifted').by, 1);
    assert.deepEqual(await lab.rows(), ['then', 'now']);
    assert.equal(lab.last('shape').shape.isStart, true);
  });

  it('answers no page that does not know yet how rows have moved', async () => {
    const lab = new Lab();
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
    assert.deepEqual(await lab.rows(), ['then', 'now']);
  });

  it('tells the members once, for a page draws all rows anew then', async () => {
    const lab = new Lab();
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
    const lab = new Lab();
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
    const lab = new Lab();
    await lab.say({ type: 'ready' });
    const filter = { ...EMPTY_FILTER, levels: ['error'] as const };
    await lab.say({ type: 'filter', filter });
    assert.deepEqual(lab.view.shown.at(-1), { filter: { levels: ['error'] }, folds: true });
    assert.deepEqual((lab.last('keep').kept as ViewerState).filter, filter);
    assert.equal(lab.last('shape').shape.isFiltered, true);
  });

  it('opens addresses, and places once they are known', async () => {
    const lab = new Lab();
    await lab.say({ type: 'ready' });
    await lab.write('http://a.example/ (/app/x.js:1:2)');
    lab.place = { path: '/w/x.js', line: 1, column: 2, title: 'x.js:1' };
    await lab.rows();
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
    const lab = new Lab();
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
    const lab = new Lab();
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
    const lab = new Lab();
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
    const lab = new Lab();
    await lab.session.open();
    await lab.say({ type: 'ready' });
    await lab.write('one');
    lab.older = { lines: [], isStart: false, horizon: '2026-08-01T10:02:03Z' };
    await lab.say({ type: 'style', style: { ...DEFAULT_STYLE, times: 'utc' } });
    await lab.say({ type: 'older' });
    assert.match(lab.last('find').find.horizon ?? '', /^searched back to 2026-08-01 10:02$/);
    lab.store.droppedCount = 1;
    await lab.say({ type: 'searchBack', isOn: true });
    assert.match(lab.last('find').find.horizon ?? '', /10:02, no room for older lines$/);
    const [[setting, text] = []] = lab.done;
    assert.deepEqual([setting, lab.done.length], ['gantry.logs.memory', 1]);
    assert.match(String(text), /no room for lines from before 2026-08-01 10:02/);
    lab.store.droppedCount = 0;
    lab.older = { lines: [], isStart: true, horizon: '' };
    await lab.say({ type: 'searchBack', isOn: true });
    assert.equal(lab.last('find').find.horizon, 'searched the whole log');
  });

  it('goes back to where the person was before the window was reloaded', async () => {
    const kept = {
      selection: SELECTION,
      title: 'web',
      styleName: 'web',
      filter: EMPTY_FILTER,
      clearedAt: '',
    };
    const lab = new Lab(kept);
    await lab.session.open();
    await lab.write('one', 'two', 'three');
    await lab.say({ type: 'ready', place: { id: 77, moment: '2026-08-01T00:00:01Z' } });
    assert.equal(lab.last('reveal').id, 1);
  });

  it('ends with its panel, and leaves no timer behind', async () => {
    const lab = new Lab();
    await lab.say({ type: 'ready' });
    await lab.write('one');
    lab.session.dispose();
    assert.equal(lab.clock.sleeping.length, 0);
    lab.posted.length = 0;
    await lab.say({ type: 'style', style: DEFAULT_STYLE });
    assert.deepEqual(lab.posted, []);
  });
});
