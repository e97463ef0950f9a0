import { lineAndColumn, sourcePath, type SourceReference } from './sourcePath.ts';

/** Number of characters of a line that are searched. */
const LOOKED_AT = 10_000;
const MOST_REFERENCES = 100;

/** The notations of a line number. */
const NUMBERS = [
  /:(?<line1>\d{1,7})(?::(?<column1>\d{1,7}))?/,
  /\((?<line2>\d{1,7})(?:, ?(?<column2>\d{1,7}))?\)/,
  /:line (?<line3>\d{1,7})/,
  / on line (?<line4>\d{1,7})/,
];

// A path and a line number. Starts only where a run of path characters starts, so that no character is
// scanned from more than one start.
const REFERENCE = new RegExp(
  [
    /(?<![^\s"'`({}<>|;,=*#&!^])/,
    /(?<scheme>(?:file|webpack|webpack-internal|rsc|turbopack):\/\/)?/,
    // In a path, parentheses are allowed only around the complete name of a folder.
    /(?<path>(?:\/?[A-Za-z]:(?=[\\/]))?(?:[^\s"'`(){}<>|:;,=*?#&!^]|\([\w-]{1,30}\)(?=\/))+)/,
    // The version query of a bundler.
    /(?:\?[\w&=.-]{1,64})?/,
    { source: `(?:${NUMBERS.map(({ source }) => source).join('|')})` },
    /(?!\w)/,
  ]
    .map(({ source }) => source)
    .join(''),
  'g',
);

/**
 * Returns the source references in a line, in order and without overlaps: stack frames of Node, Python, Java,
 * Go, .NET, Rust, Ruby and PHP, and `file:line:column`. Does not check whether the files exist.
 *
 * @param plain the line without escape sequences.
 */
export function findSourceReferences(plain: string): readonly SourceReference[] {
  const text = plain.slice(0, LOOKED_AT);
  // Most lines have no number after a colon, a parenthesis or the word "line".
  if (!/(?:[:(]|line )\d/.test(text)) return [];
  const references: SourceReference[] = [];
  const found = [
    ...pythonReferences(text),
    ...javaReferences(text),
    ...dotnetReferences(text),
    ...pathReferences(text),
  ];
  for (const reference of found.slice(0, 4 * MOST_REFERENCES)) {
    if (references.every(({ start, end }) => reference.end <= start || reference.start >= end))
      references.push(reference);
  }
  return references.sort((a, b) => a.start - b.start).slice(0, MOST_REFERENCES);
}

function pathReferences(text: string): readonly SourceReference[] {
  const references: SourceReference[] = [];
  for (const match of text.matchAll(REFERENCE)) {
    const reference = pathReference(match);
    if (reference) references.push(reference);
    if (references.length >= MOST_REFERENCES) break;
  }
  return references;
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

const LONGEST_PATH = 1000;
const LONGEST_QUALIFIER = 500;

const PYTHON = /File "(?<path>[^"\n]{1,1000})", line (?<line>\d{1,7})/g;

/** Finds `File "/app/x.py", line 12`, with spaces in the path too. */
function pythonReferences(text: string): readonly SourceReference[] {
  return [...text.matchAll(PYTHON)].flatMap(({ 0: whole, index, groups }) => {
    const path = groups?.['path'] ?? '';
    // "<stdin>" and "<frozen …>" are not files.
    if (path.startsWith('<')) return [];
    return [
      {
        start: index + 6,
        end: index + whole.length,
        path,
        ...lineAndColumn(groups?.['line'], undefined),
      },
    ];
  });
}

const JAVA = /\((?<path>[\w$-]{1,200}\.(?:java|kt|scala|groovy|clj)):(?<line>\d{1,7})\)/g;

/** Finds `at com.example.Foo.bar(Foo.java:12)`: the file name and, by the package, its folders. */
function javaReferences(text: string): readonly SourceReference[] {
  return [...text.matchAll(JAVA)].map(({ 0: whole, index, groups }) => {
    const path = groups?.['path'] ?? '';
    const folders = packageBefore(text, index);
    return {
      start: index + 1,
      end: index + whole.length - 1,
      path,
      ...lineAndColumn(groups?.['line'], undefined),
      module: folders && `${folders}/${path}`,
    };
  });
}

/** Returns `com/example` for `module/com.example.Foo.bar` that ends at `end`. */
function packageBefore(text: string, end: number): string | undefined {
  let start = end;
  while (start > 0 && end - start < LONGEST_QUALIFIER && /[\w$.<>]/.test(text[start - 1] ?? ''))
    start--;
  const names = text.slice(start, end).split('.').slice(0, -2);
  return names.length > 0 && names.every((name) => /^[\w$]+$/.test(name))
    ? names.join('/')
    : undefined;
}

const NET_LINE = /:line (?<line>\d{1,7})(?!\w)/g;

/** Finds `at X.Y() in /src/My App/Foo.cs:line 12`, with spaces in the path. */
function dotnetReferences(text: string): readonly SourceReference[] {
  return [...text.matchAll(NET_LINE)].flatMap(({ 0: whole, index, groups }) => {
    const before = text.slice(Math.max(0, index - LONGEST_PATH), index);
    const word = before.lastIndexOf(' in ');
    const path = before.slice(word + 4);
    if (word < 0 || !/\.\w{1,10}$/.test(path)) return [];
    const end = index + whole.length;
    return [
      { start: index - path.length, end, path, ...lineAndColumn(groups?.['line'], undefined) },
    ];
  });
}
