import {
  DisposableStore,
  Emitter,
  isCancellation,
  type Disposable,
  type Event,
} from '../../lifetime.ts';
import type { LogRows } from '../../logs/rows/logRows.ts';
import type { LineFilter } from '../../logs/search/lineQuery.ts';
import type { LineStore } from '../../logs/store/lineStore.ts';
import { settledWithin } from '../../time.ts';
import { buildLineFilter } from '../rows/buildLineFilter.ts';
import type { ViewerFilter } from '../protocol.ts';
import { BackwardReader, type OlderPage } from './backwardReader.ts';
import type { SessionContext } from './sessionContext.ts';
import { StoreFeed } from './storeFeed.ts';
import { ViewerMembers, type MemberLike } from './viewerMembers.ts';

/** What a viewer reads and which of it is shown. Knows nothing of a page. */
export class ViewerContent implements Disposable {
  readonly members: ViewerMembers;
  readonly back: BackwardReader;
  readonly #parts: ViewerContentDependencies;
  readonly #owned = new DisposableStore();
  readonly #changes = new Emitter<undefined>();
  readonly #feed: StoreFeed;
  readonly #log: ViewerLog;
  readonly #caughtUp = Promise.withResolvers<undefined>();
  #filter: ViewerFilter;
  #folds: boolean;

  /** Fires when members came, or reading back went on. */
  readonly onDidChange: Event<undefined> = this.#changes.event;

  constructor(parts: ViewerContentDependencies) {
    const { store, l10n, clock, clearedAt, openLog } = parts;
    this.#parts = parts;
    this.#filter = parts.filter;
    this.#folds = parts.folds;
    this.#owned.add(this.#changes);
    const onCaughtUp = (): void => {
      this.#caughtUp.resolve(undefined);
    };
    this.#feed = new StoreFeed({ store, l10n, clock, onCaughtUp }, clearedAt);
    this.#log = this.#owned.add(openLog(this.#feed));
    this.members = this.#owned.add(new ViewerMembers());
    const onDidChange = (): void => {
      this.#changes.fire(undefined);
    };
    this.back = this.#owned.add(new BackwardReader({ ...parts, log: this.#log, onDidChange }));
    if (clearedAt !== '') this.back.end();
    this.#listen();
    this.#show();
  }

  /** Moment up to which lines were cleared away; empty: none were. */
  get clearedAt(): string {
    return this.#feed.clearedAt;
  }

  get filter(): ViewerFilter {
    return this.#filter;
  }

  set filter(filter: ViewerFilter) {
    this.#filter = filter;
    this.#show();
  }

  /** Whether stack traces are folded. */
  set folds(folds: boolean) {
    if (this.#folds === folds) return;
    this.#folds = folds;
    this.#show();
  }

  /** What the store is asked for by the filter and the boxes that are ticked. */
  get lineFilter(): LineFilter | undefined {
    return buildLineFilter(this.#filter, this.members.visibleIndexes);
  }

  /**
   * Begins to read.
   *
   * @returns when all that was there at first has come; where that cannot be known, soon after the engine answered.
   * @throws EngineError where the engine refuses.
   */
  async open(): Promise<void> {
    await this.#log.open();
    this.#takeMembers();
    const { clock } = this.#parts;
    await settledWithin(CAUGHT_UP_TIMEOUT_MS, this.#caughtUp.promise, { clock });
  }

  /** Forgets all lines, and those before them. */
  clear(): void {
    this.#feed.clear();
    this.back.end();
    this.#parts.store.clear();
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #listen(): void {
    this.#owned.add(this.#parts.rows.onDidFail(this.#parts.onProblem));
    this.#owned.add(
      this.#log.onDidChangeMembers(() => {
        this.#takeMembers();
      }),
    );
    this.#owned.add(
      this.members.onDidChangeVisible(() => {
        this.#show();
        this.#changes.fire(undefined);
      }),
    );
    this.#takeMembers();
  }

  #takeMembers(): void {
    const before = this.members.count;
    this.members.update(this.#log.members);
    // One that came is shown, also where others are not.
    if (this.members.count !== before && this.members.visibleIndexes) this.#show();
    this.#changes.fire(undefined);
  }

  #show(): void {
    const { rows, onProblem } = this.#parts;
    rows.show({ filter: this.lineFilter, folds: this.#folds }).catch((error: unknown) => {
      if (!isCancellation(error)) onProblem(error);
    });
  }
}

/** The log of several containers, as a session reads it. */
export interface ViewerLog extends Disposable {
  readonly members: readonly MemberLike[];
  readonly onDidChangeMembers: Event<void>;
  open(): Promise<void>;
  older(count: number, signal: AbortSignal): Promise<OlderPage>;
}

/** What is read from where, and what of it is shown at first. */
export interface ViewerContentDependencies extends SessionContext {
  readonly store: LineStore;
  readonly rows: LogRows;
  readonly openLog: (feed: StoreFeed) => ViewerLog;
  readonly filter: ViewerFilter;
  readonly folds: boolean;
  /** Lines up to this moment were cleared away before; empty: none. */
  readonly clearedAt: string;
  /** Something cannot be read, or a filter cannot be used. */
  readonly onProblem: (error: unknown) => void;
  /** A search, or a jump, wanted older lines than the store has room for. */
  readonly onLimit: () => void;
}

const CAUGHT_UP_TIMEOUT_MS = 2000;
