/**
 * Returns by how many lines a change moves other lines, which may be 0; undefined if it changes these lines.
 *
 * @param start the first of these lines, from 0.
 * @param end the last one.
 */
export function lineShift(
  { start, end }: { readonly start: number; readonly end: number },
  { range, text }: TextChange,
): number | undefined {
  if (range.start.line > end) return 0;
  // The change ends at the beginning of the first line, and leaves it at the beginning of a line.
  const isWhole = text === '' ? range.start.character === 0 : text.endsWith('\n');
  const isUpToIt = range.end.line === start && range.end.character === 0 && isWhole;
  if (range.end.line >= start && !isUpToIt) return undefined;
  return text.split('\n').length - 1 - (range.end.line - range.start.line);
}

/** A change of a text: the range that is replaced, from 0, and the new text. */
export interface TextChange {
  readonly range: { readonly start: TextPosition; readonly end: TextPosition };
  readonly text: string;
}

interface TextPosition {
  readonly line: number;
  readonly character: number;
}
