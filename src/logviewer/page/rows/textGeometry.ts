// Maps characters of a row to their position on the screen.

/** Returns the element that holds exactly the text of the row in `line`. */
export function contentOf(line: Element): Element | undefined {
  return line.querySelector('.content') ?? undefined;
}

/** Returns the DOM range of the characters [start, end) in `content`. */
export function rangeOf(content: Element, start: number, end: number): Range {
  const range = document.createRange();
  const from = nodeAt(content, start);
  const to = nodeAt(content, end);
  range.setStart(from.node, from.offset);
  range.setEnd(to.node, to.offset);
  return range;
}

/** Returns the character of the text in `content` at, or nearest to, a point of the window. */
export function characterAt(content: Element, x: number, y: number): number {
  const box = content.getBoundingClientRect();
  const length = content.textContent.length;
  if (x <= box.left && y <= box.bottom) return 0;
  const inside = {
    x: Math.min(Math.max(x, box.left + 1), window.innerWidth - 1),
    y: Math.min(Math.max(y, box.top + 1), box.bottom - 1),
  };
  const caret = caretAt(inside.x, inside.y);
  if (!caret || !content.contains(caret.node)) return length;
  const before = document.createRange();
  before.setStart(content, 0);
  before.setEnd(caret.node, caret.offset);
  return before.toString().length;
}

interface Caret {
  readonly node: Node;
  readonly offset: number;
}

// Not every browser implements both.
interface Finders {
  readonly caretPositionFromPoint?: (
    x: number,
    y: number,
  ) => { readonly offsetNode: Node; readonly offset: number } | null;
  readonly caretRangeFromPoint?: (x: number, y: number) => Range | null;
}

function caretAt(x: number, y: number): Caret | undefined {
  const finders = document as unknown as Finders;
  const position = finders.caretPositionFromPoint?.(x, y);
  if (position) return { node: position.offsetNode, offset: position.offset };
  const range = finders.caretRangeFromPoint?.(x, y);
  return range ? { node: range.startContainer, offset: range.startOffset } : undefined;
}

function nodeAt(content: Element, character: number): Caret {
  const walker = document.createTreeWalker(content, NodeFilter.SHOW_TEXT);
  let left = character;
  let last: Node | undefined;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const length = node.nodeValue?.length ?? 0;
    if (left <= length) return { node, offset: left };
    left -= length;
    last = node;
  }
  return last ? { node: last, offset: last.nodeValue?.length ?? 0 } : { node: content, offset: 0 };
}

/** Returns the word around a character: [start, end). */
export function wordAt(
  text: string,
  character: number,
): { readonly start: number; readonly end: number } {
  const isWord = (index: number) => /[\p{L}\p{N}_]/u.test(text.charAt(index));
  let start = character;
  let end = character;
  while (start > 0 && isWord(start - 1)) start -= 1;
  while (end < text.length && isWord(end)) end += 1;
  return { start, end: Math.max(end, Math.min(text.length, start + 1)) };
}
