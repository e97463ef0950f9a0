import type { TextRange } from './visibleText.ts';

/**
 * Returns the path in a source reference without the prefix of bundlers; undefined if it does not look like a
 * source file but like a host with a port or a time.
 *
 * @param scheme `file://` or that of a bundler; undefined for a bare path.
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

/** A source reference in a line, as a half-open range of characters. */
export interface SourceReference extends TextRange {
  /** As written, absolute or relative, without `file://` and the prefix of bundlers. */
  readonly path: string;
  /** One-based. */
  readonly line?: number;
  /** One-based. */
  readonly column?: number;
  /** For a Java class, the end of its path derived from the package: `com/example/Foo.java`. */
  readonly module?: string;
}

/** Extensions by which a name without folders is recognized as a source file instead of a host. */
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

/** Parses a line and column as written. Both are one-based. */
export function lineAndColumn(
  line: string | undefined,
  column: string | undefined,
): Pick<SourceReference, 'line' | 'column'> {
  const lineNumber = Number(line ?? 0);
  const columnNumber = Number(column ?? 0);
  return {
    line: lineNumber > 0 ? lineNumber : undefined,
    column: lineNumber > 0 && columnNumber > 0 ? columnNumber : undefined,
  };
}
