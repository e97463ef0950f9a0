import type { ViewerStyle } from '../protocol.ts';

/** How a person wants to see the logs of each container, by the container's name: ids change with every deployment. */
export class StyleMemory {
  readonly #memory: StyleStorage;

  constructor(memory: StyleStorage) {
    this.#memory = memory;
  }

  /** The style for a name; the default where none is kept, or what is kept is none. */
  of(name: string): ViewerStyle {
    const kept = this.#all().get(name.slice(0, LONGEST_NAME));
    return kept === undefined ? DEFAULT_STYLE : styleFrom(kept);
  }

  /** Keeps a style for a name. */
  async keep(name: string, style: ViewerStyle): Promise<void> {
    const all = this.#all();
    const short = name.slice(0, LONGEST_NAME);
    all.delete(short);
    all.set(short, style);
    const kept = [...all].slice(-MOST_NAMES);
    await this.#memory.update(KEY, kept);
  }

  /** In the order of their use. */
  #all(): Map<string, unknown> {
    const kept = this.#memory.get(KEY);
    const pairs = Array.isArray(kept) ? (kept as readonly unknown[]) : [];
    return new Map(pairs.filter(isPair));
  }
}

/** What is kept from one window to the next; an editor's `Memento`. */
export interface StyleStorage {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

/** How logs are shown before a person says otherwise. */
export const DEFAULT_STYLE: ViewerStyle = { wrap: false, times: 'local', fold: true, fields: [] };

const KEY = 'gantry.logStyles';
/** Names that were used longest ago are forgotten. */
const MOST_NAMES = 200;
const MOST_FIELDS = 50;
/** Of a name. A longer one is kept by its beginning, a field's is left out: it comes from a log. */
const LONGEST_NAME = 300;

function isPair(value: unknown): value is [string, unknown] {
  return Array.isArray(value) && value.length === 2 && typeof value[0] === 'string';
}

/** A style as far as a value is one; the defaults for the rest. */
export function styleFrom(value: unknown): ViewerStyle {
  const { wrap, times, fold, fields } = (value ?? {}) as Readonly<Record<string, unknown>>;
  return {
    wrap: typeof wrap === 'boolean' ? wrap : DEFAULT_STYLE.wrap,
    times: TIMES.find((one) => one === times) ?? DEFAULT_STYLE.times,
    fold: typeof fold === 'boolean' ? fold : DEFAULT_STYLE.fold,
    fields: Array.isArray(fields) ? fields.filter(isFieldName).slice(0, MOST_FIELDS) : [],
  };
}

function isFieldName(value: unknown): value is string {
  return typeof value === 'string' && value.length <= LONGEST_NAME;
}

const TIMES = ['off', 'relative', 'local', 'utc'] as const;
