import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import type { LineFilter, LineQuery } from '../../../src/logs/search/lineQuery.ts';
import { TraceReader } from '../../../src/logs/search/traceReader.ts';
import { isGantryLine, lineOrigin, type StoredLine } from '../../../src/logs/store/storedLine.ts';
import { visibleText } from '../../../src/logs/text/visibleText.ts';

/** The program of the search worker, run by Node in tests. */
export const WORKER = fileURLToPath(
  new URL('../../../src/logs/search/searchWorker.ts', import.meta.url),
);

export const someQuery: fc.Arbitrary<LineQuery> = fc.record({
  pattern: fc.constantFrom(
    ...[
      'error',
      'E',
      'ERROR',
      'x',
      '',
      ' ',
      'größer',
      'ß',
      '€',
      '30 %',
      'a.b',
      '(',
      '[',
      '\\',
      'K',
    ],
    ...['k', 'ſ', 's', 'at ', '😀', '-', 'an error'],
  ),
  isRegex: fc.constant(false),
  matchCase: fc.boolean(),
  wholeWord: fc.boolean(),
});

const someExpression: fc.Arbitrary<LineQuery> = fc.record({
  pattern: fc.constantFrom('err.r', '^$', '^\\s', 'x{3,}', '\\d+ %$', '[A-Z]{2}', 'e|a', '\\-'),
  isRegex: fc.constant(true),
  matchCase: fc.boolean(),
  wholeWord: fc.constant(false),
});

export const someFilter: fc.Arbitrary<LineFilter> = fc.record(
  {
    include: fc.oneof(someQuery, someExpression),
    exclude: fc.oneof(someQuery, someExpression),
    levels: fc.subarray(['none', 'error', 'info'] as const),
    kinds: fc.subarray(['stdout', 'stderr', 'marker', 'gap'] as const),
    members: fc.subarray([0, 1, 300]),
    context: fc.nat(3),
  },
  { requiredKeys: [] },
);

const WORD_CHARACTER = /[\p{L}\p{N}_]/u;

/** Returns whether a line matches, with the simplest implementation. */
export function modelMatches(query: LineQuery, visible: string): boolean {
  const { pattern, isRegex, matchCase, wholeWord } = query;
  const source = isRegex ? pattern : pattern.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const unicode = isRegex && pattern === '\\-' ? '' : 'u';
  const flags = `g${unicode}${matchCase ? '' : 'i'}`;
  return [...visible.matchAll(new RegExp(source, flags))].some(
    ({ 0: found, index }) =>
      !wholeWord || (!isWithin(visible, index) && !isWithin(visible, index + found.length)),
  );
}

/** Returns whether a position is between two word characters. */
function isWithin(text: string, position: number): boolean {
  const before = Array.from(text.slice(0, position)).at(-1) ?? '';
  const after = Array.from(text.slice(position))[0] ?? '';
  return WORD_CHARACTER.test(before) && WORD_CHARACTER.test(after);
}

/** Returns the IDs of the lines that continue the previous line. */
export function modelContinuations(lines: readonly StoredLine[]): ReadonlySet<number> {
  const reader = new TraceReader();
  const belonging = lines.filter(({ member, kind, text }) =>
    reader.next(visibleText(text), lineOrigin(member, kind)),
  );
  return new Set(belonging.map(({ id }) => id));
}

/** Returns the IDs of the lines that match a filter, without context lines. */
export function modelFilter(
  lines: readonly StoredLine[],
  filter: LineFilter = {},
): ReadonlySet<number> {
  const { include, exclude, levels, kinds, members } = filter;
  const reader = new TraceReader();
  const passing = lines.filter(({ member, kind, text }) => {
    const visible = visibleText(text);
    reader.next(visible, lineOrigin(member, kind));
    const level = isGantryLine(kind) ? 'none' : reader.level;
    return (
      (!include || modelMatches(include, visible)) &&
      (!exclude || !modelMatches(exclude, visible)) &&
      levels?.includes(level) !== false &&
      kinds?.includes(kind) !== false &&
      members?.includes(member) !== false
    );
  });
  return new Set(passing.map(({ id }) => id));
}
