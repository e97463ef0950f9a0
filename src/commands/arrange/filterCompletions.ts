import {
  keysLike,
  LONGEST,
  quoted,
  tokensOf,
  type FilterKey,
  type RowFacts,
} from '../../views/arrangement/parseFilter.ts';

/** Returns how the last word of a filter may go on: with a key, or with a value that exists. */
export function filterCompletions(
  text: string,
  keys: readonly FilterKey[],
  rows: Iterable<RowFacts>,
): readonly FilterCompletion[] {
  const last = /\s$/.test(text) ? undefined : tokensOf(text).at(-1);
  const before = text.slice(0, last?.start ?? text.length) + (last?.isNot === true ? '!' : '');
  const { value = '', colon = -1 } = last ?? {};
  const [key, ...others] = colon < 0 ? [] : keysLike(value.slice(0, colon).toLowerCase(), keys);
  const complete = (one: FilterKey, end: string): FilterCompletion => {
    const term = end === '' ? `${one}:` : `${one}:${quoted(end)}`;
    return { term, text: before + term, isKey: end === '' };
  };
  const shown = (all: readonly FilterCompletion[]): readonly FilterCompletion[] =>
    all.filter((one) => one.text.length <= LONGEST).slice(0, MOST_SHOWN);
  if (colon >= 0) {
    if (!key || others.length > 0) return [];
    const wanted = value.slice(colon + 1).toLowerCase();
    return shown(valuesOf([key], wanted, rows).map((found) => complete(...found)));
  }
  const named = keysLike(value.toLowerCase(), keys).map((one) => complete(one, ''));
  const simple = keys.filter((one) => one !== 'label' && one !== 'workspace');
  const found = value === '' ? [] : valuesOf(simple, value.toLowerCase(), rows);
  return shown([...named, ...found.map((one) => complete(...one))]);
}

export interface FilterCompletion {
  /** The completed word. */
  readonly term: string;
  /** The whole filter with it. */
  readonly text: string;
  /** Whether a value has to follow. */
  readonly isKey: boolean;
}

const MOST_SHOWN = 20;
/** Maximum number of different values that are looked at. */
const MOST_VALUES = 10_000;

/** Finds values that contain a text, the ones that begin with it first. */
function valuesOf(
  keys: readonly FilterKey[],
  wanted: string,
  rows: Iterable<RowFacts>,
): readonly (readonly [key: FilterKey, value: string])[] {
  const found = new Map<FilterKey, Set<string>>(keys.map((key) => [key, new Set()]));
  let count = 0;
  for (const facts of rows) {
    for (const [key, values] of found) {
      const { size } = values;
      for (const value of facts.values(key))
        if (value.toLowerCase().includes(wanted)) values.add(value);
      count += values.size - size;
    }
    if (count >= MOST_VALUES) break;
  }
  const all = [...found].flatMap(([key, values]) =>
    [...values].map((value) => [key, value] as const),
  );
  const fitting = all
    .map(([key, value]) => ({ key, value, at: value.toLowerCase().indexOf(wanted) }))
    .filter(({ value, at }) => at >= 0 && value !== '');
  return fitting
    .sort((a, b) => Math.sign(a.at) - Math.sign(b.at) || (a.value < b.value ? -1 : 1))
    .map(({ key, value }) => [key, value]);
}
