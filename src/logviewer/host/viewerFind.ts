import { DisposableStore, isCancellation, type Disposable } from '../../base/lifetime.ts';
import { insertionIndex } from '../../logs/rows/rowIndex.ts';
import type { FindReport, LineFilter } from '../../logs/search/lineQuery.ts';
import type { FindState, ViewerQuery } from '../protocol.ts';
import type { ViewerContext } from './viewerContent.ts';
import { Throttle } from '../../base/time.ts';

/** The search of one viewer: its matches, the current match, and the positions of all matches. */
export class ViewerFind implements Disposable {
  readonly #parts: ViewerFindDependencies;
  readonly #store = new DisposableStore();
  readonly #hits = new Hits();
  readonly #soon: Throttle;
  #query: ViewerQuery | undefined;
  #controller = new AbortController();
  /** ID of the line of the current match. */
  #current: number | undefined;
  /** ID of the line from which the first match is to be revealed, until there is one. */
  #from: number | undefined;
  /** ID before which that match must be: lines written after the query do not move the view. */
  #until = 0;
  #count = 0;
  #isDone = true;
  #problem: string | undefined;

  constructor(parts: ViewerFindDependencies) {
    this.#parts = parts;
    this.#soon = this.#store.add(new Throttle(parts.clock, NOTIFY_MS, this.#notify));
  }

  get query(): ViewerQuery | undefined {
    return this.#query;
  }

  readonly #notify = (): void => {
    const { horizon, isOn } = this.#parts.back();
    const find: FindState = {
      count: this.#count,
      current: this.#current === undefined ? 0 : this.#hits.indexOf(this.#current) + 1,
      isDone: this.#isDone,
      marks: this.#marks(),
      problem: this.#problem,
      horizon,
      isSearchingBack: isOn,
    };
    this.#parts.post({ type: 'find', find });
  };

  /**
   * Starts a search. Without a query, ends the search.
   *
   * @param fromRow row from which the first match is revealed. If undefined, nothing is revealed and a search
   * for the same query continues.
   */
  find(query: ViewerQuery | undefined, fromRow: number | undefined): void {
    const isSame = JSON.stringify(query) === JSON.stringify(this.#query);
    this.#query = query;
    this.#from =
      fromRow === undefined ? undefined : (this.#parts.rows.rowAt(fromRow)?.id ?? -Infinity);
    this.#until = this.#parts.store.endId;
    if (fromRow !== undefined || !isSame) this.restart();
    else this.#soon.request();
  }

  /** Restarts the search, because another filter shows other lines. */
  restart(): void {
    this.#controller.abort();
    this.#controller = new AbortController();
    this.#reset();
    this.#problem = undefined;
    this.#isDone = this.#query === undefined;
    if (this.#query) void this.#run(this.#query, this.#controller.signal);
    this.#soon.request();
  }

  /** Goes to the next or the previous match; if there is no current match, starting at `fromRow`. */
  step(step: 1 | -1, fromRow: number): void {
    const { ids } = this.#hits;
    if (ids.length === 0) return;
    const from = this.#current ?? this.#parts.rows.rowAt(fromRow)?.id ?? 0;
    const index = this.#hits.indexOf(from);
    const isOn = ids[index] === from && this.#current !== undefined;
    const next = step === 1 ? index + (isOn ? 1 : 0) : index - 1;
    this.#go(ids[(next + ids.length) % ids.length]);
  }

  /** Sends the state of the search soon. */
  update(): void {
    this.#soon.request();
  }

  dispose(): void {
    this.#controller.abort();
    this.#store.dispose();
  }

  async #run(query: ViewerQuery, signal: AbortSignal): Promise<void> {
    const onReport = (found: FindReport): void => {
      if (!signal.aborted) this.#apply(found);
    };
    const fail = (error: unknown): void => {
      if (signal.aborted || isCancellation(error)) return;
      this.#problem = this.#parts.describe(error);
      this.#isDone = true;
      this.#soon.request();
    };
    await this.#parts.searcher
      .find(query, this.#parts.filter(), onReport, signal, fail)
      .catch(fail);
  }

  #apply({ ids, count, isDone, searched, isFresh }: FindReport): void {
    if (isFresh) this.#reset();
    const isFirst = this.#count === 0 && count > 0;
    this.#hits.add(ids);
    this.#count = count;
    this.#isDone = isDone;
    this.#goToFirst(searched.from, isDone);
    // The user is waiting for the first match.
    if (isFirst) this.#soon.flush();
    else this.#soon.request();
  }

  #reset(): void {
    this.#hits.clear();
    this.#count = 0;
    this.#current = undefined;
  }

  /** Reveals the first match after the requested row, as soon as all lines after that row have been searched. */
  #goToFirst(searchedFrom: number, isDone: boolean): void {
    const count = this.#hits.indexOf(this.#until);
    if (this.#from === undefined || count === 0) return;
    if (!isDone && searchedFrom > this.#from) return;
    const index = Math.min(this.#hits.indexOf(this.#from), count - 1);
    this.#from = undefined;
    this.#go(this.#hits.ids[index]);
  }

  #go(id: number | undefined): void {
    if (id === undefined) return;
    this.#current = id;
    this.#parts.rows.uncover(id);
    this.#parts.post({ type: 'reveal', row: this.#parts.rows.rowOf(id), id });
    this.#soon.request();
  }

  /**
   * Returns the positions of the matches beside the scroll bar. Positions are approximate if there are very many rows.
   */
  #marks(): readonly number[] {
    const { rows } = this.#parts;
    const { rowCount: count } = rows;
    const tolerance = (count / POSITIONS) * INEXACT_POSITIONS;
    const positions = new Set<number>();
    if (count === 0) return [];
    for (const id of this.#hits.ids) {
      positions.add(Math.floor((rows.rowNear(id, tolerance) * POSITIONS) / count));
    }
    return [...positions];
  }
}

/** Ascending line IDs without duplicates. Grows at both ends. */
export class Hits {
  #ids: number[] = [];

  get ids(): readonly number[] {
    return this.#ids;
  }

  /** @param ids ascending. */
  add(ids: readonly number[]): void {
    const first = ids[0];
    const last = ids.at(-1);
    if (first === undefined || last === undefined) return;
    if (first > (this.#ids.at(-1) ?? -Infinity)) this.#ids = this.#ids.concat(ids);
    else if (last < (this.#ids[0] ?? Infinity)) this.#ids = ids.concat(this.#ids);
    else this.#ids = [...new Set([...this.#ids, ...ids])].sort((a, b) => a - b);
  }

  clear(): void {
    this.#ids = [];
  }

  /** Returns the index of the first ID that is not less than `id`, or the number of IDs if all are less. */
  indexOf(id: number): number {
    return insertionIndex(id, this.#ids);
  }
}

interface ViewerFindDependencies extends Pick<
  ViewerContext,
  'searcher' | 'rows' | 'store' | 'clock' | 'describe' | 'post'
> {
  readonly filter: () => LineFilter | undefined;
  /** Returns how far back the engine's log was searched, and whether that search is still running. */
  readonly back: () => { readonly horizon: string | undefined; readonly isOn: boolean };
}

const NOTIFY_MS = 60;
/** Number of positions for marks beside the scroll bar. */
const POSITIONS = 1000;
/** Number of positions that a mark may be off. */
const INEXACT_POSITIONS = 8;
