import type { TextRange } from './visibleText.ts';

/** A web address in a line, as a half-open range of characters. */
interface TextLink extends TextRange {
  readonly url: string;
}

/** Number of characters of a line that are searched. */
const LOOKED_AT = 100_000;
const MOST_LINKS = 1000;

/** Ends at whitespace or a character that surrounds addresses and does not occur in them. */
const ADDRESS =
  /(?<!\w)https?:\/\/[^\s\p{Cc}<>"'`{}|\\^\u2018-\u201f\u3000-\u303f\uff00-\uff0f]+/giu;

/**
 * Returns the web addresses in a line, in order; only `http` and `https`.
 *
 * @param plain the line without escape sequences.
 */
export function urlsIn(plain: string): readonly TextLink[] {
  const links: TextLink[] = [];
  for (const { 0: found, index } of plain.slice(0, LOOKED_AT).matchAll(ADDRESS)) {
    const url = webAddress(found.slice(0, addressLength(found)));
    if (url !== undefined) links.push({ start: index, end: index + url.length, url });
    if (links.length >= MOST_LINKS) break;
  }
  return links;
}

/** Excludes the punctuation of the surrounding sentence and a closing bracket that was opened before the address. */
function addressLength(found: string): number {
  let length = found.length;
  const surplus = {
    ')': countOf(found, ')') - countOf(found, '('),
    ']': countOf(found, ']') - countOf(found, '['),
  };
  for (; length > 0; length--) {
    const last = found[length - 1] ?? '';
    if (last === ')' || last === ']') {
      if (surplus[last] <= 0) break;
      surplus[last]--;
    } else if (!'.,;:!?*_~…'.includes(last)) break;
  }
  return length;
}

function countOf(text: string, character: string): number {
  return text.split(character).length - 1;
}

/** No browser guarantees to open a longer address. */
const LONGEST = 2083;

/** Returns an address that a log may link to: `http` or `https` with a host. Undefined for anything else. */
export function webAddress(text: string): string | undefined {
  if (text.length > LONGEST || !/^https?:\/\/[^\s/?#]/i.test(text)) return undefined;
  return URL.canParse(text) ? text : undefined;
}
