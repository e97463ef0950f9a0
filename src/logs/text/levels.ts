import type { Level } from './level.ts';
import { plainOf } from './plain.ts';
import { levelInJson } from './levelJson.ts';
import { levelInPrefix } from './levelPrefix.ts';
import { levelOfMark } from './levelMarks.ts';

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
export function levelOf(text: string): Level {
  const head = headOf(text);
  if (head.startsWith('{')) return levelInJson(text.slice(0, JSON_LENGTH), 0);
  return levelOfMark(head) ?? levelInPrefix(head);
}

function headOf(text: string): string {
  const head = text.slice(0, HEAD_LENGTH);
  if (!head.includes('\u001b') && !head.includes('\r') && !head.includes('\u009b')) return head;
  // Colours take room of their own.
  return plainOf(text.slice(0, 2 * HEAD_LENGTH)).slice(0, HEAD_LENGTH);
}
