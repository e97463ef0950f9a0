import { LogRows } from '../../../src/logs/rows/logRows.ts';
import type { LogRowsSettings } from '../../../src/logs/rows/rowRules.ts';
import { KNOWN, PASSES } from '../../../src/logs/search/lineQuery.ts';
import type { LogSearch } from '../../../src/logs/search/logSearch.ts';
import { LineStore } from '../../../src/logs/store/lineStore.ts';
import type { StoredLine } from '../../../src/logs/store/storedLine.ts';
import { line } from '../support/lines.ts';

/** A search for plain text that responds synchronously, without a worker. It groups no lines. */
export class FakeSearch implements Pick<LogSearch, 'check' | 'find' | 'rows'> {
  readonly #store: LineStore;
  /** If set, every filter is rejected with this error. */
  refusal: Error | undefined;
  /** Last requested settings. */
  asked: LogRowsSettings | undefined;
  #onMarked: Parameters<LogSearch['rows']>[1] | undefined;
  searches = 0;

  constructor(store: LineStore) {
    this.#store = store;
  }

  check(): void {
    if (this.refusal) throw this.refusal;
  }

  rows(...[asked, onMarked]: Parameters<LogSearch['rows']>): Promise<void> {
    this.asked = asked;
    this.#onMarked = onMarked;
    return Promise.resolve();
  }

  /** Reports which of the lines starting at an ID pass the filter. */
  mark(from: number, passes: readonly boolean[]): void {
    const marks = Uint8Array.from(passes, (one) => (one ? KNOWN | PASSES : KNOWN));
    this.#onMarked?.({ from, marks, isDone: true, isFresh: false });
  }

  find(...[{ pattern }, , onFound]: Parameters<LogSearch['find']>): Promise<void> {
    this.searches += 1;
    const searched = { from: this.#store.firstId, to: this.#store.endId };
    const hits = this.#store.read(searched.from, searched.to);
    const ids = hits.filter(({ text }) => text.includes(pattern)).map(({ id }) => id);
    onFound({ ids, count: ids.length, isDone: true, searched, isFresh: true });
    return Promise.resolve();
  }
}

/** Returns a store without a spill file. Lines beyond its budget are dropped. */
export function memoryStore(budgetBytes = 1e7): LineStore {
  return new LineStore({ budgetBytes, spillFolder: '', maxSpillBytes: 0 });
}

/** Returns a row for every line of a store. */
export function plainRows(store: LineStore): LogRows {
  return new LogRows(store, new FakeSearch(store));
}

/** Returns a store with `count` lines. */
export function storeOf(count: number): LineStore {
  const store = memoryStore();
  store.append(Array.from({ length: count }, (_, at) => line(`line ${at}`)));
  return store;
}

/** Returns the texts of all lines of a store. */
export function textsOf(store: LineStore): readonly string[] {
  const texts: string[] = [];
  for (let at = store.firstId; at < store.endId; at = store.firstId + texts.length)
    texts.push(...store.read(at, store.endId).map(({ text }) => text));
  return texts;
}

/** Returns a line as read from a store. */
export function stored(text: string, more: Partial<StoredLine> = {}): StoredLine {
  const plain = { id: 1, member: 0, kind: 'stdout', level: 'none', timestamp: '' } as const;
  return { ...plain, text, ...more };
}
