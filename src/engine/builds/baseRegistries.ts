import { parseReference } from '../options/reference.ts';

/** What may follow a name: the end of the word, or of an option. */
const NAMES =
  /^[\t ]*(?:ONBUILD[\t ]+)?FROM[\t ]+(?:--\S+[\t ]+)*([^\s#]+)|(?:--|[,=])from=([^\s,]+)|^#[\t ]*syntax[\t ]*=[\t ]*(\S+)/gim;

const STAGES = /^[\t ]*FROM[\t ]+\S.*[\t ]AS[\t ]+(\S+)/gim;

const ARGS = /^[\t ]*ARG[\t ]+(\w+)=(?:"([^"\n]*)"|'([^'\n]*)'|(\S*))/gim;

/** The most references that are read, and the most characters of a Dockerfile. */
const MOST_NAMES = 1_000;
const MOST_TEXT = 1024 * 1024;

/**
 * Returns the registries of the images that a Dockerfile names, `docker.io` for Docker Hub: those whose credentials a
 * build may need. Arguments have the value of the build, or their first default.
 */
export function baseRegistries(
  dockerfile: string,
  args: Readonly<Record<string, string>> = {},
): ReadonlySet<string> {
  const text = dockerfile.slice(0, MOST_TEXT).replaceAll(/[\\`]\r?\n/g, ' ');
  const values = new Map<string, string>();
  for (const [, name = '', double, single, bare] of text.matchAll(ARGS))
    if (!values.has(name)) values.set(name, double ?? single ?? bare ?? '');
  for (const [name, value] of Object.entries(args)) values.set(name, value);
  const stages = new Set([...text.matchAll(STAGES)].map(([, stage = '']) => stage.toLowerCase()));
  const named = [...text.matchAll(NAMES)]
    .slice(0, MOST_NAMES)
    .map(([, base, from, syntax]) => base ?? from ?? syntax ?? '');
  // An argument that names the frontend.
  const frontend = values.get('BUILDKIT_SYNTAX');
  const registries = [...named, ...(frontend === undefined ? [] : [frontend])]
    .map((name) => expanded(name.replaceAll(/["']/g, ''), values))
    .filter((name) => !stages.has(name.toLowerCase()))
    .map(parseReference);
  return new Set(registries.flatMap((found) => (found.ok ? [found.value.registry] : [])));
}

/** Replaces `$NAME`, `${NAME}`, and `${NAME:-value}` in a name. */
function expanded(name: string, values: ReadonlyMap<string, string>, depth = 0): string {
  const result = name.replaceAll(
    /\$(?:(\w+)|\{(\w+)(?::?-([^{}]*))?\})/g,
    (_, short = '', long = '', otherwise = '') => {
      const value = values.get(`${String(short)}${String(long)}`) ?? '';
      return value === '' ? String(otherwise) : value;
    },
  );
  // The default of one argument may name another.
  return depth < 3 && result.includes('$') && result.length < 4_096
    ? expanded(result, values, depth + 1)
    : result;
}
