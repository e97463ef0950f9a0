import type { LogSet } from '../../logs/follow/logSet.ts';
import { isCancellation, type Disposable } from '../../base/lifetime.ts';
import type { LineStore } from '../../logs/store/lineStore.ts';
import { yieldToEventLoop } from '../../base/time.ts';

/** Reads a log backward: one page when the user scrolls up, or continuously until stopped. */
export class BackwardReader implements Disposable {
  readonly #parts: BackwardReaderDependencies;
  #controller: AbortController | undefined;
  #running: Promise<void> = Promise.resolve();
  /** Controller of the continuous read. */
  #searching: AbortController | undefined;
  #isStart = false;
  #horizon: string | undefined;

  constructor(parts: BackwardReaderDependencies) {
    this.#parts = parts;
  }

  /** Whether the first loaded line is the start of the log. */
  get isStart(): boolean {
    return this.#isStart;
  }

  get isReading(): boolean {
    return this.#controller !== undefined;
  }

  /** Whether a continuous read is running. */
  get isSearching(): boolean {
    return this.isReading && this.#searching === this.#controller;
  }

  /** Whether there is no room for older lines: some were dropped, so older lines would leave a gap. */
  get isFull(): boolean {
    return this.#parts.store.droppedCount > 0;
  }

  /** Time back to which all lines are loaded and kept; undefined before the first page. */
  get horizon(): string | undefined {
    return this.#horizon;
  }

  /** Marks the loaded lines as the start of the log, because earlier lines were cleared. */
  end(): void {
    this.stop();
    this.#isStart = true;
    this.#horizon = undefined;
    this.#parts.onDidChange();
  }

  /** Reads one page, unless a page is being read. */
  async page(): Promise<void> {
    if (this.isReading) return;
    await this.#read(PAGE, () => false, new AbortController());
  }

  /** Reads until the start of the log, until the store is full, or until {@link stop}. */
  async all(): Promise<void> {
    this.#searching = new AbortController();
    await this.#read(SEARCH_PAGE, () => true, this.#searching);
  }

  /** Reads while `isWanted` returns true and there is room. */
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
    // A continuous read replaces a single page; only one read runs at a time.
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
    // The log was cleared in the meantime. A page whose read was only stopped is kept, because it is not sent again.
    if (this.#isStart) return;
    const { store } = this.#parts;
    store.prepend(
      lines.map(({ member, line }) => {
        const { source: kind, timestamp, text } = line;
        return { member, kind, timestamp, text };
      }),
    );
    // If there was no room for some or all of the page, the log starts earlier than the first kept line.
    this.#isStart = isStart && !this.isFull;
    const [first] = this.isFull ? store.read(store.firstId, store.firstId + 1) : [];
    this.#horizon = first?.timestamp ?? horizon;
    this.#parts.onDidChange();
  }
}

interface BackwardReaderDependencies extends BackwardReports {
  readonly log: Pick<LogSet, 'older'>;
  readonly store: LineStore;
  /** Called when any property of the reader has changed. */
  readonly onDidChange: () => void;
}

export interface BackwardReports {
  /** Called when the log cannot be read. */
  readonly onProblem: (error: unknown) => void;
  /** Called when a search or a jump needs older lines than the store has room for. */
  readonly onLimit: () => void;
}

// Number of lines per page, for scrolling and for searching. Pages are small so that the lines being processed
// never reach the old generation of the heap. The engine is asked for many pages at once.
const PAGE = 1000;
const SEARCH_PAGE = 2000;
