import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mkdtempSync, rmSync } from 'node:fs';
import type { Connection } from '../../src/engine/http/connection.ts';
import { english } from '../../src/l10n.ts';
import { DisposableStore, Emitter, toDisposable, type Disposable } from '../../src/lifetime.ts';
import type { ContainersChange } from '../../src/logs/follow/changeLatch.ts';
import { LineStore } from '../../src/logs/store/lineStore.ts';
import { LogSet } from '../../src/logs/follow/logSet.ts';
import { LogRows } from '../../src/logs/rows/logRows.ts';
import { LogSearch } from '../../src/logs/search/logSearch.ts';
import type { ToHost, ToPage } from '../../src/logviewer/protocol.ts';
import type { TextSource } from '../../src/logviewer/session/sessionContext.ts';
import { wallClock } from '../../src/time.ts';
import type { StoreFeed } from '../../src/logviewer/session/storeFeed.ts';
import { DEFAULT_STYLE, StyleMemory } from '../../src/logviewer/session/styleMemory.ts';
import {
  ViewerSession,
  type ViewerSessionDependencies,
} from '../../src/logviewer/session/viewerSession.ts';
import { until } from '../bed/http.ts';
import { WORKER } from '../unit/support/logModel.ts';

/** What a desk stands on. */
export interface DeskParts {
  readonly connect: () => Promise<Connection>;
  readonly changes: Emitter<ContainersChange>;
  /** With how many records from its end the log begins. */
  readonly tail: number;
  /** Of memory for the lines, in bytes. */
  readonly budgetBytes: number;
}

/** A log viewer of one container as it is in a window, with the page's part played by a test. */
export class ViewerDesk implements Disposable {
  readonly store: LineStore;
  readonly session: ViewerSession;
  readonly #messages = new Emitter<ToHost>();
  readonly #owned = new DisposableStore();
  #saved: TextSource | undefined;
  #isStart = false;

  constructor(id: string, parts: DeskParts) {
    const spillFolder = mkdtempSync(join(tmpdir(), 'gantry-desk-'));
    this.#owned.add(
      toDisposable(() => {
        rmSync(spillFolder, { recursive: true });
      }),
    );
    this.store = this.#owned.add(new LineStore({ budgetBytes: parts.budgetBytes, spillFolder }));
    const searcher = this.#owned.add(
      new LogSearch(this.store, { workerFile: WORKER, l10n: english }),
    );
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

  /** Reads back to the start of the log, as a search over all of it does. */
  async readBack(): Promise<void> {
    this.#messages.fire({ type: 'searchBack', isOn: true });
    await until(() => this.#isStart, 'all is read back', 50_000);
  }

  /** All lines as they are saved to a file, without moments, and markers in brackets. */
  saved(withColors: boolean): string {
    this.#messages.fire({ type: 'command', name: 'save' });
    return [...(this.#saved?.chunks(withColors) ?? [])].join('');
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #openLog(id: string, { connect, changes, tail }: DeskParts, feed: StoreFeed): LogSet {
    return new LogSet({ ids: [id] }, { tail }, feed, {
      ...{ connect, watch: () => undefined, l10n: english },
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
      ...{ title: 'torture', styleName: 'torture', l10n: english },
      clock: wallClock,
      page: {
        isVisible: true,
        onMessage: this.#messages.event,
        onDidChangeVisibility: new Emitter<void>().event,
        post: (message) => {
          this.#posted(message);
        },
      },
      sources: { find: () => Promise.resolve(undefined), onDidChange: new Emitter<void>().event },
      styles: new StyleMemory({ get: () => ({}), update: nothing }),
      actions: {
        ...{ copy: nothing, openUrl: nothing, openSource: nothing },
        ...{ openDocument: nothing, tellOfSetting: nothing },
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
