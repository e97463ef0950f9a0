/** Why Compose refuses files, and where in them. */

import { oneLine } from '../../base/plainText.ts';
import { parseCompose, type ComposeNodes } from '../composeNodes.ts';

/** A mistake in compose files, in the words of Compose. */
export interface ComposeError {
  readonly message: string;
  /** The file that Compose names, as it writes its path. */
  readonly file?: string;
}

/** What Compose says only of what is written in its files; whatever else fails is none of their lines. */
const OF_FILES = [
  /^validating \S/,
  /^failed to parse \S/,
  /^yaml: /,
  /: invalid compose project$/,
  /^invalid interpolation format for /,
  /^error while interpolating /,
  /^decoding failed due to the following error/,
  /^dependency cycle detected: /,
  /^cannot extend service /,
  /^env file .* not found/,
  /^empty compose file$/,
  /^top-level object must be a mapping$/,
  /^(?:invalid|no port specified)\b.*\b(?:address|port|proto)/i,
];

/** In characters, and in lines after the first one. */
const LONGEST_MESSAGE = 1000;
const MORE_LINES = 4;
/** The most keys of a map that are looked at. */
const MOST_KEYS = 500;

/**
 * Returns the mistake that the output of a failed run of the compose CLI reports; undefined if it failed because of
 * something else.
 */
export function readComposeMistake(lines: readonly string[]): ComposeError | undefined {
  const at = lines.findIndex((line) => OF_FILES.some((pattern) => pattern.test(line)));
  if (at < 0) return undefined;
  const text = oneLine(lines.slice(at, at + 1 + MORE_LINES).join(' '), LONGEST_MESSAGE);
  const [before = ''] = /^(?:validating|failed to parse) /.exec(text) ?? [];
  const end = text.indexOf(': ');
  const file = text.slice(before.length, end);
  const isNamed = before !== '' && /\.ya?ml$/.test(file);
  const words = isNamed ? text.slice(end + 2) : text;
  const message = words.trim().replace(/: invalid compose project$/, '');
  return { message, ...(isNamed && { file }) };
}

/** Where a file is wrong. Line and column are from 0. */
export interface ComposePlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/**
 * Finds the place of a mistake: the line that Compose names, or the key that it is about. By default the first line of
 * the first file.
 *
 * @param texts the files by their paths, each overriding those before.
 */
export async function placeOfMistake(
  { message, file }: ComposeError,
  texts: ReadonlyMap<string, string>,
): Promise<ComposePlace | undefined> {
  const [first] = texts.keys();
  if (first === undefined) return undefined;
  const isNamed = file !== undefined && texts.has(file);
  const named = isNamed ? file : texts.size === 1 ? first : undefined;
  const [, line] = /\bline (\d{1,9})\b/.exec(message) ?? [];
  let best: ComposePlace & { readonly depth: number } = {
    file: named ?? first,
    line: 0,
    column: 0,
    depth: 0,
  };
  for (const [path, text] of named === undefined ? texts : [[named, texts.get(named) ?? '']]) {
    const nodes = await parseCompose(text);
    // Only an invalid file has a line in the message, and there is no other way to tell which one it is.
    if (line !== undefined && (named === path || !nodes))
      return { file: path, line: Math.min(Number(line), text.split('\n').length) - 1, column: 0 };
    const found = nodes && deepest(nodes, pathsIn(message));
    if (found && found.depth >= best.depth)
      best = { file: path, depth: found.depth, ...positionOf(text, found.at) };
  }
  const { depth: _, ...place } = best;
  return place;
}

/**
 * Finds where keys are, each as far as it exists: `services.web.ports`. Of several files, the last one with most of them
 * counts. The places are in the order of the paths; undefined for what is in no file.
 *
 * @param texts the files by their paths, each overriding those before.
 */
export async function placesOfKeys(
  paths: readonly string[],
  texts: ReadonlyMap<string, string>,
): Promise<readonly (ComposePlace | undefined)[]> {
  const files: { readonly file: string; readonly text: string; readonly nodes: ComposeNodes }[] =
    [];
  for (const [file, text] of texts) {
    const nodes = await parseCompose(text);
    if (nodes) files.push({ file, text, nodes });
  }
  return paths.map((path) => {
    const found = files.flatMap(({ file, text, nodes }) => {
      const place = follow(nodes, nodes.root, path);
      return place ? [{ file, text, ...place }] : [];
    });
    const best = found.toReversed().toSorted((a, b) => b.depth - a.depth)[0];
    return best && { file: best.file, ...positionOf(best.text, best.at) };
  });
}

const KINDS = 'network|volume|secret|config';

/** Returns the keys that a message is about, from the root: the most likely ones first. */
function pathsIn(message: string): readonly string[] {
  const [, extending] = /^cannot extend service "([^"]+)"/.exec(message) ?? [];
  const [, depending, needed] =
    /^service "([^"]+)" depends on undefined service "?([^"]+)/.exec(message) ?? [];
  const [, referring, kind, other] =
    new RegExp(`^service "([^"]+)" refers to undefined (${KINDS}) (.+)$`).exec(message) ?? [];
  const [, service] = /^service "([^"]+)"/.exec(message) ?? [];
  const [, cyclic] = /^dependency cycle detected: (.+?) -> /.exec(message) ?? [];
  const [, property] = /additional propert(?:y|ies) '([^']+)'/.exec(message) ?? [];
  const [, written = ''] =
    /^(?:invalid interpolation format for|error while interpolating) (.+)$/.exec(message) ??
    /'(services\[.+?)'/.exec(message) ??
    /^((?:services|networks|volumes|secrets|configs)\b.*)$/.exec(message) ??
    [];
  const of = (...keys: readonly string[]) => keys.join('.');
  if (extending !== undefined) return [of('services', extending, 'extends')];
  if (depending !== undefined) return [of('services', depending, 'depends_on', needed ?? '')];
  if (referring !== undefined) return [of('services', referring, `${kind}s`, other ?? '')];
  if (service !== undefined) return [of('services', service)];
  if (cyclic !== undefined) return [of('services', cyclic, 'depends_on')];
  if (property === undefined) return [written];
  const [parent = ''] = written.split(' additional propert', 1);
  return [parent === '' ? property : of(parent, property)];
}

/** A place in a text, and how many keys lead to it. */
interface Found {
  readonly at: number;
  readonly depth: number;
}

function deepest(nodes: ComposeNodes, paths: readonly string[]): Found | undefined {
  const found = paths.flatMap((path) => follow(nodes, nodes.root, path) ?? []);
  return found.toSorted((a, b) => b.depth - a.depth)[0];
}

/** Follows a path as far as its keys exist. Keys may have dots, so the longest one that fits counts. */
function follow(nodes: ComposeNodes, node: unknown, path: string, depth = 1): Found | undefined {
  const rest = path.replace(/^[.[\]]+/, '');
  const keys = nodes.keys(node, MOST_KEYS).toSorted((a, b) => b.name.length - a.name.length);
  const key = keys.find(({ name }) => isKeyOf(rest, name));
  if (key) {
    const below = follow(nodes, key.value, rest.slice(key.name.length), depth + 1);
    return below ?? { at: key.at, depth };
  }
  const items = nodes.items(node, MOST_KEYS);
  const [, index] = /^(\d{1,6})\b/.exec(rest) ?? [];
  const item =
    items.find((one) => isKeyOf(nodes.text(one) ?? '', rest)) ??
    (index === undefined ? undefined : items[Number(index)]);
  const at = nodes.startOf(item);
  return at === undefined ? undefined : { at, depth };
}

/** Whether a text is a key, or begins with it. */
function isKeyOf(text: string, key: string): boolean {
  return key !== '' && text.startsWith(key) && /^(?:$|[.[\]\s:])/.test(text.slice(key.length));
}

function positionOf(text: string, at: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, at).split('\n');
  return { line: before.length - 1, column: before.at(-1)?.length ?? 0 };
}
