/**
 * A path as a line names it, without what bundlers put in front; undefined where it looks like no source: a
 * host with its port, a time of day.
 *
 * @param scheme `file://`, or that of a bundler; undefined for a bare path.
 */
export function sourcePath(scheme: string | undefined, written: string): string | undefined {
  if (written.length > LONGEST_PATH) return undefined;
  const path = withoutScheme(scheme, written)?.replace(/^(?:\.[\\/])+/, '');
  if (path === undefined || /^[\\/]{2}/.test(path)) return undefined;
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  if (NAMES.test(name)) return path;
  const ending = /[^.]\.([A-Za-z][A-Za-z0-9+]{0,9})$/.exec(name)?.[1];
  if (ending === undefined) return undefined;
  return name !== path || SOURCES.has(ending.toLowerCase()) ? path : undefined;
}

/** A place in a source that a line names, as a half-open range of the line's characters. */
export interface SourceReference {
  readonly start: number;
  readonly end: number;
  /** As the line says it, absolute or not, without `file://` and what bundlers put in front. */
  readonly path: string;
  /** From 1 on. */
  readonly line?: number;
  /** From 1 on. */
  readonly column?: number;
  /** Of a Java class: the end of its path, by its package: `com/example/Foo.java`. */
  readonly module?: string;
}

/** Endings by which a name alone is known as one of a source, and not as one of a host. */
const SOURCES: ReadonlySet<string> = new Set(
  (
    'js mjs cjs jsx ts mts cts tsx vue svelte astro coffee elm py pyi pyx java kt kts scala groovy gradle clj go ' +
    'cs fs vb razor cshtml rs rb erb rake haml slim php phtml twig c h cc cpp cxx hpp hh m mm swift dart ex exs ' +
    'erl hrl lua pl pm r jl hs ml nim zig cr sql sh bash zsh css scss less html htm xml json yml yaml toml tf ' +
    'proto graphql cfg conf ini md txt'
  ).split(' '),
);
const NAMES =
  /^(?:Makefile|Dockerfile|Containerfile|Rakefile|Gemfile|Procfile|Jenkinsfile|Vagrantfile)$/;

const LONGEST_PATH = 1000;

function withoutScheme(scheme: string | undefined, written: string): string | undefined {
  if (scheme === undefined) return written;
  if (scheme === 'file://') return decoded(written)?.replace(/^\/(?=[A-Za-z]:)/, '');
  // "webpack://name/./src/x.js", "webpack-internal:///(layer)/./src/x.js", "webpack://name/src/x.js".
  const dot = written.lastIndexOf('/./');
  return dot >= 0 ? written.slice(dot + 3) : written.slice(written.indexOf('/') + 1);
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

/** Line and column of a place as they were written. Both count from one. */
export function lineAndColumn(
  line: string | undefined,
  column: string | undefined,
): Pick<SourceReference, 'line' | 'column'> {
  const [lineNumber, columnNumber] = [Number(line ?? 0), Number(column ?? 0)];
  return {
    ...(lineNumber > 0 ? { line: lineNumber } : {}),
    ...(lineNumber > 0 && columnNumber > 0 ? { column: columnNumber } : {}),
  };
}
