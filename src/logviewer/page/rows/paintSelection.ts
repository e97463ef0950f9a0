import type { Row } from '../../protocol.ts';
import type { RenderedRows } from './renderedRows.ts';
import { LINE_END, type TextSelection } from '../input/textSelection.ts';
import { contentOf, rangeOf } from './textGeometry.ts';

/** Draws the selection on the rows that are laid out, without touching their text. */
export function paintSelection(
  band: RenderedRows,
  selection: TextSelection,
  rowAt: (index: number) => Row | undefined,
): void {
  const ranges: Range[] = [];
  for (const [index, line] of band.lines()) {
    const row = rowAt(index);
    const part = row && selection.partOf(row);
    const isWhole = part?.start === 0 && part.end === LINE_END;
    if (line.classList.contains('selected') !== isWhole) line.classList.toggle('selected', isWhole);
    if (!row) continue;
    if (part) line.setAttribute('aria-selected', 'true');
    else line.removeAttribute('aria-selected');
    const content = part && !isWhole ? contentOf(line) : undefined;
    if (part && content) ranges.push(rangeOf(content, part.start, part.end));
  }
  // A browser that is too old for it shows whole rows only.
  if (!('highlights' in CSS)) return;
  if (ranges.length > 0) CSS.highlights.set('selection', new Highlight(...ranges));
  else CSS.highlights.delete('selection');
}
