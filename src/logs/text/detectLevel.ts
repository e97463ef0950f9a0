import type { Level } from './level.ts';
import { visibleText } from './visibleText.ts';
import { jsonLevel } from './jsonLevel.ts';
import { prefixLevel } from './prefixLevel.ts';
import { letterLevel } from './letterLevel.ts';

/** A level stands at the beginning of a line, if anywhere. */
const HEAD_LENGTH = 200;
/** In JSON it may stand behind a message. */
const JSON_LENGTH = 1000;

/**
 * How bad it is what a line says, by its JSON, its `level=…` or what it begins with in the common formats. Of
 * a word in a sentence nothing is concluded. Called for each of millions of lines: it looks at their beginnings
 * only, at each character about once.
 *
 * @param text as it was written, with its escape sequences.
 */
export function detectLevel(text: string): Level {
  const head = headOf(text);
  if (head.startsWith('{')) return jsonLevel(text.slice(0, JSON_LENGTH), 0);
  return letterLevel(head) ?? prefixLevel(head);
}

function headOf(text: string): string {
  const head = text.slice(0, HEAD_LENGTH);
  if (!head.includes('\u001b') && !head.includes('\r') && !head.includes('\u009b')) return head;
  // Colours take room of their own.
  return visibleText(text.slice(0, 2 * HEAD_LENGTH)).slice(0, HEAD_LENGTH);
}
