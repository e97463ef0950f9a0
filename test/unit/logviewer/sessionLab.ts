import { LogPositions } from '../../../src/logviewer/logPositions.ts';
import assert from 'node:assert/strict';
import { Emitter, type Memento } from '../../../src/base/lifetime.ts';
import type { LogLine } from '../../../src/engine/model.ts';
import { LogRows } from '../../../src/logs/rows/logRows.ts';
import type { LineStore } from '../../../src/logs/store/lineStore.ts';
import type { ViewerState } from '../../../src/logviewer/host/viewerState.ts';
import type { ToHost, ToPage } from '../../../src/logviewer/protocol.ts';
import type { MergedPage } from '../../../src/logs/follow/olderMerge.ts';
import type { SourceLocation } from '../../../src/logs/sources/sourceLookup.ts';
import type {
  TextSource,
  ViewerLog,
  ViewerSessionDependencies,
} from '../../../src/logviewer/host/sessionContext.ts';
import type { StoreFeed } from '../../../src/logviewer/host/storeFeed.ts';
import { ViewerSession } from '../../../src/logviewer/host/viewerSession.ts';
import { FakeClock } from '../support/fakeClock.ts';
import { FakeSearch, memoryStore } from './support.ts';

const ID = 'a'.repeat(64);
/** The selected container. */
export const SELECTION = { engine: 'default', ids: [ID] };

/** A viewer session for one container. The test plays the page, the engine, and VS Code. */
export class SessionLab {
  readonly clock = new FakeClock();
  readonly store: LineStore;
  readonly search: FakeSearch;
  readonly rows: LogRows;
  readonly posted: ToPage[] = [];
  readonly done: [string, unknown][] = [];
  readonly messages = new Emitter<ToHost>();
  readonly visibility = new Emitter<void>();
  readonly members = new Emitter<void>();
  readonly folders = new Emitter<void>();
  readonly session: ViewerSession;
  isVisible = true;
  older: MergedPage = { lines: [], isStart: true, horizon: '' };
  words: string | undefined;
  location: SourceLocation | undefined;
  feed: StoreFeed | undefined;

  constructor(kept?: ViewerState, store = memoryStore()) {
    this.store = store;
    this.search = new FakeSearch(store);
    this.rows = new LogRows(store, this.search);
    this.session = new ViewerSession(this.#parts(kept));
  }

  readonly positions = new LogPositions();

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
      ...{ store: this.store, rows: this.rows, searcher: this.search, positions: this.positions },
      page: {
        get isVisible() {
          return isVisible();
        },
        onMessage: this.messages.event,
        onDidChangeVisibility: this.visibility.event,
        post: (message) => this.posted.push(message),
      },
      sources: { find: () => Promise.resolve(this.location), onDidChange: this.folders.event },
      memento: { get: () => undefined, update: () => Promise.resolve() } as Memento,
      actions: {
        ...{ copy: note('copy'), openUrl: note('openUrl'), openSource: note('openSource') },
        showWithSetting: (text, setting) => note(setting)(text),
        askMoment: () => Promise.resolve(this.words),
        save: texts('save'),
        openDocument: texts('openDocument'),
      },
      openLog: (feed) => this.#log(feed),
      describe: (error) => (error as Error).message,
    };
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
      const moment = new Date(Date.UTC(2026, 7, 1, 0, 0, this.store.endId + at)).toISOString();
      return { source: 'stdout', timestamp: moment.replace('.000', ''), text };
    });
    await this.feed?.lines(0, lines);
    this.rows.settle();
  }

  async say(message: ToHost): Promise<void> {
    this.messages.fire(message);
    // Reading many lines yields to the event loop once.
    for (let turn = 0; turn < 2; turn++) await new Promise(setImmediate);
  }

  last<Type extends ToPage['type']>(type: Type): Extract<ToPage, { type: Type }> {
    this.clock.pass(100);
    const found = this.posted.findLast((one) => one.type === type);
    return (found ?? assert.fail(`no ${type}`)) as Extract<ToPage, { type: Type }>;
  }

  /** Requests the rows and returns their texts. */
  async rowTexts(): Promise<readonly string[]> {
    const { generation } = this.last('shape').shape;
    await this.say({ type: 'want', generation, from: 0, to: 100 });
    return this.last('rows').rows.map(({ runs }) => runs.map(({ text }) => text).join(''));
  }
}
