import { javaReferences, dotnetReferences, pythonReferences } from './frameReferences.ts';
import { lineAndColumn, sourcePath, type SourceReference } from './sourcePath.ts';

/** Further on in a line nobody looks for places. */
const LOOKED_AT = 10_000;
const MOST_REFERENCES = 100;

/** The ways to write a number of a line. */
const NUMBERS = [
  /:(?<line1>\d{1,7})(?::(?<column1>\d{1,7}))?/,
  /\((?<line2>\d{1,7})(?:, ?(?<column2>\d{1,7}))?\)/,
  /:line (?<line3>\d{1,7})/,
  / on line (?<line4>\d{1,7})/,
];

// A path and a number. It begins where a run of such characters does, so that no character is looked at from
// more than one beginning.
const REFERENCE = new RegExp(
  [
    /(?<![^\s"'`({}<>|;,=*#&!^])/,
    /(?<scheme>(?:file|webpack|webpack-internal|rsc|turbopack):\/\/)?/,
    // Brackets are in a path around the whole name of a folder alone.
    /(?<path>(?:\/?[A-Za-z]:(?=[\\/]))?(?:[^\s"'`(){}<>|:;,=*?#&!^]|\([\w-]{1,30}\)(?=\/))+)/,
    // What a bundler marks a version with.
    /(?:\?[\w&=.-]{1,64})?/,
    { source: `(?:${NUMBERS.map(({ source }) => source).join('|')})` },
    /(?!\w)/,
  ]
    .map(({ source }) => source)
    .join(''),
  'g',
);

/**
 * The places in sources that a line names, in order and without overlaps: frames of Node, Python, Java, Go,
 * .NET, Rust, Ruby and PHP, and `file:line:column`. Whether there is such a file is not known here.
 *
 * @param plain without escape sequences.
 */
export function findSourceReferences(plain: string): readonly SourceReference[] {
  const text = plain.slice(0, LOOKED_AT);
  // Nearly all lines have no number after a colon, a bracket or the word.
  if (!/(?:[:(]|line )\d/.test(text)) return [];
  const places: SourceReference[] = [];
  const found = [
    ...pythonReferences(text),
    ...javaReferences(text),
    ...dotnetReferences(text),
    ...pathReferences(text),
  ];
  for (const place of found.slice(0, 4 * MOST_REFERENCES)) {
    if (places.every(({ start, end }) => place.end <= start || place.start >= end))
      places.push(place);
  }
  return places.sort((a, b) => a.start - b.start).slice(0, MOST_REFERENCES);
}

function pathReferences(text: string): readonly SourceReference[] {
  const places: SourceReference[] = [];
  for (const match of text.matchAll(REFERENCE)) {
    const place = pathReference(match);
    if (place) places.push(place);
    if (places.length >= MOST_REFERENCES) break;
  }
  return places;
}

function pathReference({
  0: whole,
  index,
  groups = {},
}: RegExpExecArray): SourceReference | undefined {
  const { scheme, path: written = '' } = groups;
  const isInBracket = scheme === undefined && written.startsWith('[') && !written.includes(']');
  const path = sourcePath(scheme, isInBracket ? written.slice(1) : written);
  if (path === undefined) return undefined;
  const line = groups['line1'] ?? groups['line2'] ?? groups['line3'] ?? groups['line4'];
  const column = groups['column1'] ?? groups['column2'];
  return {
    start: index + (isInBracket ? 1 : 0),
    end: index + whole.length,
    path,
    ...lineAndColumn(line, column),
  };
}
