import type { LogLine } from '../../engine/model.ts';
import { isCancellation, type Disposable } from '../../lifetime.ts';
import type { LineStore } from '../../logs/store/lineStore.ts';
import { yieldToEventLoop } from '../../time.ts';

/** Reads a log backwards, page by page: one for a person who scrolls up, or on and on until it is told to stop. */
export class BackwardReader implements Disposable {
  readonly #parts: BackwardReaderDependencies;
  #controller: AbortController | undefined;
  #running: Promise<void> = Promise.resolve();
  /** Of the reading that goes on until it is told to stop. */
  #searching: AbortController | undefined;
  #isStart = false;
  #horizon: string | undefined;

  constructor(parts: BackwardReaderDependencies) {
    this.#parts = parts;
  }

  /** Whether the first line there is, is the log's first. */
  get isStart(): boolean {
    return this.#isStart;
  }

  get isReading(): boolean {
    return this.#controller !== undefined;
  }

  /** Whether it reads until it is told to stop. */
  get isSearching(): boolean {
    return this.isReading && this.#searching === this.#controller;
  }

  /** Whether there is no room for older lines. Put in front of some that were dropped, they would leave a gap. */
  get isFull(): boolean {
    return this.#parts.store.droppedCount > 0;
  }

  /** The moment back to which all is read and kept; undefined before the first page. */
  get horizon(): string | undefined {
    return this.#horizon;
  }

  /** From now on nothing is before what there is: it was cleared away. */
  end(): void {
    this.stop();
    this.#isStart = true;
    this.#horizon = undefined;
    this.#parts.onDidChange();
  }

  /** Reads one page, unless one is being read. */
  async page(): Promise<void> {
    if (this.isReading) return;
    await this.#read(PAGE, () => false, new AbortController());
  }

  /** Reads all there is, or all there is room for, until {@link stop}. */
  async all(): Promise<void> {
    this.#searching = new AbortController();
    await this.#read(SEARCH_PAGE, () => true, this.#searching);
  }

  /** Reads on while it is wanted and there is room. */
  async while(isWanted: () => boolean): Promise<void> {
    if (isWanted()) await this.#read(SEARCH_PAGE, isWanted, new AbortController());
  }

  stop(): void {
    this.#controller?.abort();
    this.#controller = undefined;
    this.#parts.onDidChange();
  }

  dispose(): void {
    this.#controller?.abort();
  }

  async #read(
    count: number,
    isMoreWanted: () => boolean,
    controller: AbortController,
  ): Promise<void> {
    // A search takes over from a single page; one reads at a time.
    this.#controller?.abort();
    this.#controller = controller;
    const before = this.#running;
    this.#running = before.then(() => this.#readPages(count, isMoreWanted, controller));
    this.#parts.onDidChange();
    await this.#running;
  }

  /** Never rejects. */
  async #readPages(
    count: number,
    isMoreWanted: () => boolean,
    controller: AbortController,
  ): Promise<void> {
    const { signal } = controller;
    try {
      let isWanted = true;
      while (isWanted && !signal.aborted && !this.#isStart && !this.isFull) {
        await this.#readPage(count, signal);
        isWanted = isMoreWanted();
      }
      if (isWanted && !signal.aborted && !this.#isStart) this.#parts.onLimit();
    } catch (error) {
      if (!signal.aborted && !isCancellation(error)) this.#parts.onProblem(error);
    }
    if (this.#controller === controller) this.#controller = undefined;
    this.#parts.onDidChange();
  }

  async #readPage(count: number, signal: AbortSignal): Promise<void> {
    const { lines, isStart, horizon } = await this.#parts.log.older(count, signal);
    if (count > PAGE) await yieldToEventLoop();
    // Cleared away meanwhile. One that was only stopped is kept: it will not come again.
    if (this.#isStart) return;
    const { store } = this.#parts;
    store.prepend(
      lines.map(({ member, line }) => {
        const { source: kind, timestamp, text } = line;
        return { member, kind, timestamp, text };
      }),
    );
    // Where there was no room for the page, or for all of it, it ends earlier.
    this.#isStart = isStart && !this.isFull;
    const [first] = this.isFull ? store.read(store.firstId, store.firstId + 1) : [];
    this.#horizon = first?.timestamp ?? horizon;
    this.#parts.onDidChange();
  }
}

/** Lines before those that came. */
export interface OlderPage {
  readonly lines: readonly { readonly member: number; readonly line: LogLine }[];
  readonly isStart: boolean;
  /** The moment up to which all is read now. */
  readonly horizon: string;
}

/** What is read back from, and where it goes. */
export interface BackwardReaderDependencies {
  readonly log: { older(count: number, signal: AbortSignal): Promise<OlderPage> };
  readonly store: LineStore;
  /** Something changed of what this tells. */
  readonly onDidChange: () => void;
  readonly onProblem: (error: unknown) => void;
  /** A search, or a jump, wanted older lines than the store has room for. */
  readonly onLimit: () => void;
}

/**
 * A page for a person who scrolls, and one for a search, in lines. What is under way at a time is small, so that it
 * never grows old in memory; the engine is asked for many pages at once.
 */
const [PAGE, SEARCH_PAGE] = [1000, 2000];
