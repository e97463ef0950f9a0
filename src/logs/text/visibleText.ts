import { withoutControls } from '../../base/plainText.ts';

/** Returns the visible text of a line: without escape sequences, and of a progress bar only the last state. */
export function visibleText(text: string): string {
  return withoutControls(lastState(text));
}

/** A half-open range of characters in a line. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** Returns the last state of a line that was overwritten, such as a progress bar. Keeps escape sequences. */
export function lastState(text: string): string {
  const { start, end } = lastStateIn(text);
  return text.slice(start, end);
}

/** Returns the range of {@link lastState} in a line; empty at its end if the line shows nothing. */
export function lastStateIn(text: string): TextRange {
  // Searches from the end, because a line may have millions of states.
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

/** Returns the number of line feeds in a text. */
export function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
