import { lineAndColumn, type SourceReference } from './sourcePath.ts';

const LONGEST_PATH = 1000;
const LONGEST_QUALIFIER = 500;

const PYTHON = /File "(?<path>[^"\n]{1,1000})", line (?<line>\d{1,7})/g;

/** `File "/app/x.py", line 12`, also with blanks in the path. */
export function pythonReferences(text: string): readonly SourceReference[] {
  return [...text.matchAll(PYTHON)].flatMap(({ 0: whole, index, groups }) => {
    const path = groups?.['path'] ?? '';
    // "<stdin>" and "<frozen …>" are no files.
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

/** `at com.example.Foo.bar(Foo.java:12)`: the file's name and, by the package, its folders. */
export function javaReferences(text: string): readonly SourceReference[] {
  return [...text.matchAll(JAVA)].map(({ 0: whole, index, groups }) => {
    const path = groups?.['path'] ?? '';
    const folders = packageBefore(text, index);
    return {
      start: index + 1,
      end: index + whole.length - 1,
      path,
      ...lineAndColumn(groups?.['line'], undefined),
      ...(folders === undefined ? {} : { module: `${folders}/${path}` }),
    };
  });
}

/** Of `module/com.example.Foo.bar` that ends at `end`: `com/example`. */
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

/** `at X.Y() in /src/My App/Foo.cs:line 12`, with blanks in the path. */
export function dotnetReferences(text: string): readonly SourceReference[] {
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
