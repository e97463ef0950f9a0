import type { TooltipRow } from './rowPresentation.ts';
import { formatLine } from './format.ts';

/**
 * A tooltip as Markdown in which nothing that an engine or a stranger's image wrote has a meaning: every
 * mark is escaped, so there are no links, images, headings or lists in it but ours.
 */
export function tooltipMarkdown(rows: readonly TooltipRow[]): string {
  return rows
    .map(({ name, value }) => `**${escaped(formatLine(name))}:** ${escaped(formatLine(value))}`)
    .join('  \n');
}

function escaped(text: string): string {
  return text.replace(/[!-/:-@[-`{-~]/g, '\\$&');
}
