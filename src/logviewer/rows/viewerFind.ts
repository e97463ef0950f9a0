import { DisposableStore, isCancellation, type Disposable } from '../../lifetime.ts';
import type { LogRows } from '../../logs/rows/logRows.ts';
import type { FindReport, LineFilter } from '../../logs/search/lineQuery.ts';
import type { LogSearch } from '../../logs/search/logSearch.ts';
import { Hits } from './hits.ts';
import type { FindState, ViewerQuery, ToPage } from '../protocol.ts';
import { Throttle, type Clock } from '../../time.ts';

/** The search of one viewer: what is found, which of it is the current one, and where it all is. */
export class ViewerFind implements Disposable {
  readonly #parts: ViewerFindDependencies;
  readonly #store = new DisposableStore();
  readonly #hits = new Hits();
  readonly #soon: Throttle;
  #query: ViewerQuery | undefined;
  #controller = new AbortController();
  /** The line of the current hit. */
  #current: number | undefined;
  /** Where the next hit is wanted from, until there is one. */
  #from: number | undefined;
  #count = 0;
  #isDone = true;
  #problem: string | undefined;

  constructor(parts: ViewerFindDependencies) {
    this.#parts = parts;
    this.#soon = this.#store.add(
      new Throttle(parts.clock, TELL_MS, () => {
        parts.post({ type: 'find', find: this.state });
      }),
    );
  }

  get query(): ViewerQuery | undefined {
    return this.#query;
  }

  get state(): FindState {
    const { horizon, isOn } = this.#parts.back();
    return {
      count: this.#count,
      current: this.#current === undefined ? 0 : this.#hits.indexOf(this.#current) + 1,
      isDone: this.#isDone,
      marks: this.#marks(),
      problem: this.#problem,
      horizon,
      isSearchingBack: isOn,
    };
  }

  /**
   * Looks for other words. No words: ends the search.
   *
   * @param fromRow the first hit from there on is gone to; undefined: nothing is, and the same words go on.
   */
  find(query: ViewerQuery | undefined, fromRow: number | undefined): void {
    const isSame = JSON.stringify(query) === JSON.stringify(this.#query);
    this.#query = query;
    this.#from = fromRow === undefined ? undefined : this.#idAt(fromRow);
    if (fromRow !== undefined || !isSame) this.restart();
    else this.#soon.request();
  }

  /** Looks for the same words among other lines: those of another filter. */
  restart(): void {
    this.#controller.abort();
    this.#controller = new AbortController();
    this.#reset();
    this.#problem = undefined;
    this.#isDone = this.#query === undefined;
    if (this.#query) void this.#run(this.#query, this.#controller.signal);
    this.#soon.request();
  }

  /** Goes to the next hit or the one before; from that row on where there is no current one. */
  step(step: 1 | -1, fromRow: number): void {
    const { ids } = this.#hits;
    if (ids.length === 0) return;
    const from = this.#current ?? this.#parts.rows.rowAt(fromRow)?.id ?? 0;
    const index = this.#hits.indexOf(from);
    const isOn = ids[index] === from && this.#current !== undefined;
    const next = step === 1 ? index + (isOn ? 1 : 0) : index - 1;
    this.#go(ids[(next + ids.length) % ids.length]);
  }

  /** Tells the page where the search stands, soon. */
  update(): void {
    this.#soon.request();
  }

  dispose(): void {
    this.#controller.abort();
    this.#store.dispose();
  }

  #idAt(row: number): number {
    return this.#parts.rows.rowAt(row)?.id ?? -Infinity;
  }

  async #run(query: ViewerQuery, signal: AbortSignal): Promise<void> {
    const take = (found: FindReport): void => {
      if (!signal.aborted) this.#take(found);
    };
    const fail = (error: unknown): void => {
      if (signal.aborted || isCancellation(error)) return;
      this.#problem = this.#parts.describe(error);
      this.#isDone = true;
      this.#soon.request();
    };
    await this.#parts.searcher.find(query, this.#parts.filter(), take, signal, fail).catch(fail);
  }

  #take({ ids, count, isDone, searched, isFresh }: FindReport): void {
    if (isFresh) this.#reset();
    const isFirst = this.#count === 0 && count > 0;
    this.#hits.add(ids);
    this.#count = count;
    this.#isDone = isDone;
    this.#goToFirst(searched.from, isDone);
    // A person waits for the first one.
    if (isFirst) this.#soon.flush();
    else this.#soon.request();
  }

  #reset(): void {
    this.#hits.clear();
    this.#count = 0;
    this.#current = undefined;
  }

  /** As soon as all from the wanted place on is searched, so that it is the first one there. */
  #goToFirst(searchedFrom: number, isDone: boolean): void {
    if (this.#from === undefined || this.#hits.ids.length === 0) return;
    if (!isDone && searchedFrom > this.#from) return;
    const index = Math.min(this.#hits.indexOf(this.#from), this.#hits.ids.length - 1);
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

  /** The places of the scroll bar at which hits are. Of very many rows a few more or less make no difference there. */
  #marks(): readonly number[] {
    const { rows } = this.#parts;
    const { rowCount: count } = rows;
    const tolerance = (count / PLACES) * INEXACT_PLACES;
    const places = new Set<number>();
    if (count === 0) return [];
    for (const id of this.#hits.ids) {
      places.add(Math.floor((rows.rowNear(id, tolerance) * PLACES) / count));
    }
    return [...places];
  }
}

/** What a search stands on. */
export interface ViewerFindDependencies {
  readonly searcher: Pick<LogSearch, 'find'>;
  readonly rows: LogRows;
  readonly clock: Clock;
  readonly filter: () => LineFilter | undefined;
  /** An error as a sentence. */
  readonly describe: (error: unknown) => string;
  /** How far back the engine's log was searched, and whether it is still. */
  readonly back: () => { readonly horizon: string | undefined; readonly isOn: boolean };
  readonly post: (message: ToPage) => void;
}

const TELL_MS = 60;
/** The scroll bar has so many places for marks. */
const [PLACES, INEXACT_PLACES] = [1000, 8];
