import * as l10n from '@vscode/l10n';

/**
 * Reads a filter: words and `key:value`, each with `!` before it for not. Quotation marks hold spaces and colons. A key
 * can be shortened. What is no key may be the name of an image, so it is a word.
 */
export function parseFilter(text: string, keys: readonly FilterKey[]): Filter {
  const terms: FilterTerm[] = [];
  let noKey = '';
  const broken = (problem: string): Filter => ({ terms: [], problem, noKey });
  if (text.length > LONGEST) return broken(l10n.t('The filter is too long.'));
  for (const { value, colon, isNot, isOpen } of tokensOf(text)) {
    if (isOpen) return broken(l10n.t('A quotation mark is not closed.'));
    const word = value.slice(0, Math.max(colon, 0)).toLowerCase();
    const [key, ...others] = word === '' ? [] : keysLike(word, keys);
    if (key && others.length > 0)
      return broken(l10n.t('"{0}" may be {1}.', `${word}:`, [key, ...others].join(', ')));
    if (!key && ELSEWHERE.has(word))
      return broken(l10n.t('There is no {0} here. Keys: {1}', `${word}:`, keys.join(', ')));
    if (!key && /^[a-z]+$/.test(word)) noKey ||= word;
    const wanted = (key ? value.slice(colon + 1) : value).toLowerCase();
    if (key || wanted !== '') terms.push({ key, value: wanted, isNot });
  }
  return { terms, problem: '', noKey };
}

/** What a filter can ask a row for by name. */
export type FilterKey =
  | 'state'
  | 'health'
  | 'image'
  | 'label'
  | 'network'
  | 'volume'
  | 'port'
  | 'project'
  | 'engine'
  | 'workspace';

/** A filter that was read. One that cannot be read has a problem, and filters nothing. */
export interface Filter {
  readonly terms: readonly FilterTerm[];
  readonly problem: string;
  /** A word before a colon that is no key; empty if there is none. */
  readonly noKey: string;
}

/** One condition. Without a key, a text anywhere in the row. In lower case. */
interface FilterTerm {
  readonly key: FilterKey | undefined;
  readonly value: string;
  readonly isNot: boolean;
}

/** What filters know of a row. */
export interface RowFacts {
  /** Texts that a word without a key is looked for in. */
  readonly words: () => readonly string[];
  readonly values: (key: FilterKey) => readonly string[];
}

/** Maximum number of characters of a filter. */
export const LONGEST = 1000;

/** Whether all conditions hold for a row. */
export function isMatch({ terms }: Filter, factsOf: () => RowFacts): boolean {
  if (terms.length === 0) return true;
  const facts = factsOf();
  return terms.every((term) => holds(term, facts) !== term.isNot);
}

/** A key without a value asks for any. */
function holds({ key, value }: FilterTerm, facts: RowFacts): boolean {
  if (key !== undefined) {
    const isWanted = TESTS[key] ?? contains;
    return facts.values(key).some((one) => value === '' || isWanted(one.toLowerCase(), value));
  }
  const states = [...facts.values('state'), ...facts.values('health')];
  return (
    facts.words().some((one) => contains(one.toLowerCase(), value)) ||
    // Otherwise `healthy` would find what is unhealthy.
    states.some((one) => one.toLowerCase().startsWith(value))
  );
}

function contains(text: string, part: string): boolean {
  return text.includes(part);
}

const begins = (text: string, start: string): boolean => text.startsWith(start);

/** How the values of a key are compared, if it is not enough that they contain the text. */
const TESTS: Readonly<Partial<Record<FilterKey, (text: string, wanted: string) => boolean>>> = {
  state: begins,
  health: begins,
  port: (text, wanted) => text === wanted,
};

/** Returns the keys that begin with a word, or the one that it is. */
export function keysLike(word: string, keys: readonly FilterKey[]): readonly FilterKey[] {
  const exact = keys.filter((one) => one === word);
  return exact.length > 0 ? exact : keys.filter((one) => one.startsWith(word));
}

/** Keys that some views have and others have not. */
const ELSEWHERE: ReadonlySet<string> = new Set<FilterKey>([
  ...(['health', 'image', 'label', 'network', 'volume'] as const),
  ...(['port', 'project', 'workspace'] as const),
]);

/** A part of a filter between spaces. */
interface FilterToken {
  /** Where it begins in the text. */
  readonly start: number;
  readonly isNot: boolean;
  /** Without the quotation marks. */
  readonly value: string;
  /** The first colon in the value that is not quoted; -1 if there is none. */
  readonly colon: number;
  /** Whether a quotation mark is not closed. */
  readonly isOpen: boolean;
}

/** Splits a filter at the spaces that are not quoted. */
export function tokensOf(text: string): readonly FilterToken[] {
  const tokens: FilterToken[] = [];
  for (let at = 0; at < text.length;) {
    if (/\s/.test(text.charAt(at))) {
      at += 1;
      continue;
    }
    const [token, end] = tokenAt(text, at);
    tokens.push(token);
    at = end;
  }
  return tokens;
}

function tokenAt(text: string, start: number): readonly [token: FilterToken, end: number] {
  const isNot = text.charAt(start) === '!';
  let at = isNot ? start + 1 : start;
  let value = '';
  let colon = -1;
  let isOpen = false;
  for (; at < text.length && (isOpen || !/\s/.test(text.charAt(at))); at += 1) {
    const letter = text.charAt(at);
    if (letter === '"') isOpen = !isOpen;
    else if (letter === '\\' && isOpen) value += text.charAt((at += 1));
    else {
      if (letter === ':' && !isOpen && colon < 0) colon = value.length;
      value += letter;
    }
  }
  return [{ start, isNot, value, colon, isOpen }, at];
}

/** Returns labels as filters compare them. */
export function labelTexts(labels: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(labels).map(([name, value]) => `${name}=${value}`);
}

/** Returns a text as a filter writes it. */
export function quoted(text: string): string {
  return text !== '' && !/[\s"]/.test(text) ? text : `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}
