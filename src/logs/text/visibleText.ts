import { withoutControls } from '../../plainText.ts';

/** What of a line a person sees: without escape sequences, and of a progress bar what it said last. */
export function visibleText(text: string): string {
  return withoutControls(lastState(text));
}

/** A part of a line, as a half-open range of its characters. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** Of a line that was written over and over, such as a progress bar, what it said last. Not cleaned. */
export function lastState(text: string): string {
  const { start, end } = lastStateIn(text);
  return text.slice(start, end);
}

/** Where {@link lastState} stands in a line; empty at its end where the line shows nothing. */
export function lastStateIn(text: string): TextRange {
  // From its end on, for a line may have millions of states.
  let end = text.length;
  let start = text.lastIndexOf('\r') + 1;
  if (start === 0) return { start, end };
  while (withoutControls(text.slice(start, end)) === '') {
    if (start === 0) return { start: text.length, end: text.length };
    end = start - 1;
    start = end === 0 ? 0 : text.lastIndexOf('\r', end - 1) + 1;
  }
  return { start, end };
}
