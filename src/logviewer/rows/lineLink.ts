import type { AnsiRun } from '../../logs/text/ansiRuns.ts';
import { findSourceReferences } from '../../logs/text/findSourceReferences.ts';
import type { SourceReference } from '../../logs/text/sourcePath.ts';
import { urlsIn } from '../../logs/text/textLink.ts';

/** Something in a line that may lead somewhere: a half-open range of its plain text. */
export type LineLink =
  | { readonly kind: 'url'; readonly start: number; readonly end: number; readonly url: string }
  | {
      readonly kind: 'place';
      readonly start: number;
      readonly end: number;
      readonly place: SourceReference;
    };

/** Nobody follows more in one line, and each is compared with all others. */
const MOST_OF_A_KIND = 200;

/**
 * What may be a link in a line, in order and without overlaps. The same for the same text, so that a link can be
 * named by its index.
 *
 * @param runs the line in its looks; those with an address of their own are links before all others.
 */
export function linksIn(runs: readonly AnsiRun[], plain: string): readonly LineLink[] {
  const urls = urlsIn(plain).map((one): LineLink => ({ kind: 'url', ...one }));
  const places = findSourceReferences(plain).map((place): LineLink => ({
    kind: 'place',
    start: place.start,
    end: place.end,
    place,
  }));
  const taken: LineLink[] = [];
  const found = [hyperlinksIn(runs), urls, places].flatMap((some) => some.slice(0, MOST_OF_A_KIND));
  for (const link of found) {
    if (taken.every(({ start, end }) => link.end <= start || link.start >= end)) taken.push(link);
  }
  return taken.sort((a, b) => a.start - b.start);
}

/** Neighbours of one address are one link, whatever colours are in it. */
function hyperlinksIn(runs: readonly AnsiRun[]): readonly LineLink[] {
  const found: { kind: 'url'; start: number; end: number; url: string }[] = [];
  let at = 0;
  for (const { text, style } of runs) {
    const last = found.at(-1);
    const end = at + text.length;
    if (style?.link !== undefined && last?.end === at && last.url === style.link) last.end = end;
    else if (style?.link !== undefined)
      found.push({ kind: 'url', start: at, end, url: style.link });
    at = end;
  }
  return found;
}
