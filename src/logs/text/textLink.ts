import { webAddress } from './webAddress.ts';

/** An address in a line, as a half-open range of its characters. */
export interface TextLink {
  readonly start: number;
  readonly end: number;
  readonly url: string;
}

/** Further on in a line nobody looks for links. */
const LOOKED_AT = 100_000;
const MOST_LINKS = 1000;

/** Up to a blank or a character that stands around addresses, and not in them. */
const ADDRESS =
  /(?<!\w)https?:\/\/[^\s\p{Cc}<>"'`{}|\\^\u2018-\u201f\u3000-\u303f\uff00-\uff0f]+/giu;

/**
 * The addresses of the web in a line, in order; only `http` and `https`.
 *
 * @param plain without escape sequences.
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

/** Without the punctuation of the sentence around, and without a bracket that was opened before. */
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
