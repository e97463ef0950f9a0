import { LogPositions } from '../../src/logviewer/logPositions.ts';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mkdtempSync, rmSync } from 'node:fs';
import type { Connection } from '../../src/engine/http/connection.ts';
import {
  DisposableStore,
  Emitter,
  toDisposable,
  type Disposable,
  type Memento,
} from '../../src/base/lifetime.ts';
import type { ContainersChange } from '../../src/logs/follow/changeLatch.ts';
import { LineStore } from '../../src/logs/store/lineStore.ts';
import { LogSet } from '../../src/logs/follow/logSet.ts';
import { LogRows } from '../../src/logs/rows/logRows.ts';
import { LogSearch } from '../../src/logs/search/logSearch.ts';
import type { ToHost, ToPage } from '../../src/logviewer/protocol.ts';
import type {
  TextSource,
  ViewerSessionDependencies,
} from '../../src/logviewer/host/sessionContext.ts';
import { wallClock } from '../../src/base/time.ts';
import type { StoreFeed } from '../../src/logviewer/host/storeFeed.ts';
import { DEFAULT_STYLE } from '../../src/logviewer/host/keptStyle.ts';
import { ViewerSession } from '../../src/logviewer/host/viewerSession.ts';
import { until } from '../bed/until.ts';
import { WORKER } from '../unit/support/logModel.ts';

/** Dependencies of a desk. */
export interface DeskParts {
  readonly connect: () => Promise<Connection>;
  readonly changes: Emitter<ContainersChange>;
  /** The number of records at the end of the log to begin with. */
  readonly tail: number;
  /** Memory budget for the lines in bytes. */
  readonly budgetBytes: number;
}

/** A log viewer of one container as in a window; the test plays the part of the page. */
export class ViewerDesk implements Disposable {
  readonly store: LineStore;
  readonly session: ViewerSession;
  readonly #messages = new Emitter<ToHost>();
  readonly #owned = new DisposableStore();
  #saved: TextSource | undefined;
  #isStart = false;

  constructor(id: string, parts: DeskParts) {
    const spillFolder = mkdtempSync(join(tmpdir(), 'gantry-desk-'));
    this.#owned.add(toDisposable(() => rmSync(spillFolder, { recursive: true })));
    this.store = this.#owned.add(new LineStore({ budgetBytes: parts.budgetBytes, spillFolder }));
    const searcher = this.#owned.add(new LogSearch(this.store, { workerFile: WORKER }));
    const rows = this.#owned.add(new LogRows(this.store, searcher));
    this.session = this.#owned.add(
      new ViewerSession({
        ...{ ...this.#editor(), searcher, rows, store: this.store },
        selection: { engine: 'default', ids: [id] },
        openLog: (feed) => this.#openLog(id, parts, feed),
      }),
    );
    this.#messages.fire({ type: 'ready' });
    this.#messages.fire({ type: 'style', style: { ...DEFAULT_STYLE, times: 'off' } });
  }

  /** Reads back to the start of the log, as a search over the whole log does. */
  async readBack(): Promise<void> {
    this.#messages.fire({ type: 'searchBack', isOn: true });
    await until(() => this.#isStart, 'the log is read back to its start', 50_000);
  }

  /** Returns all lines as they are saved to a file, without timestamps, and with markers in brackets. */
  saved(withColors: boolean): string {
    this.#messages.fire({ type: 'command', name: 'save' });
    return [...(this.#saved?.chunks(withColors) ?? [])].join('');
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #openLog(id: string, { connect, changes, tail }: DeskParts, feed: StoreFeed): LogSet {
    return new LogSet({ ids: [id] }, { tail }, feed, {
      ...{ connect, watch: () => undefined },
      onDidChangeContainers: changes.event,
      containers: () => new Map(),
      areAllKnown: () => true,
    });
  }

  #editor(): Omit<
    ViewerSessionDependencies,
    'searcher' | 'rows' | 'store' | 'selection' | 'openLog'
  > {
    const nothing = (): Promise<void> => Promise.resolve();
    return {
      ...{ title: 'torture', styleName: 'torture' },
      clock: wallClock,
      positions: new LogPositions(),
      page: {
        isVisible: true,
        onMessage: this.#messages.event,
        onDidChangeVisibility: new Emitter<void>().event,
        post: (message) => this.#posted(message),
      },
      sources: { find: () => Promise.resolve(undefined), onDidChange: new Emitter<void>().event },
      memento: { get: () => ({}), update: nothing } as Memento,
      actions: {
        ...{ copy: nothing, openUrl: nothing, openSource: nothing },
        ...{ openDocument: nothing, showWithSetting: nothing },
        askMoment: () => Promise.resolve(undefined),
        save: (source) => {
          this.#saved = source;
          return Promise.resolve();
        },
      },
      describe: String,
    };
  }

  #posted(message: ToPage): void {
    if (message.type === 'shape') this.#isStart = message.shape.isStart;
  }
}
