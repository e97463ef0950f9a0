import type { ComposeNodes } from './composeNodes.ts';

/** How a compose file describes the build of a service, as written. */
export interface ComposeBuild {
  /** By default the folder of the project. */
  readonly context?: string;
  /** Relative to the context. */
  readonly dockerfile?: string;
  readonly target?: string;
  readonly args: Readonly<Record<string, string>>;
  /** The keys that are not known here: their values have variables, or mean more than a build of ours can do. */
  readonly leftOut: readonly string[];
}

/** Limits of what is read. */
const MOST_ARGS = 200;
const LONGEST_VALUE = 4096;
/** The keys with another meaning than an option that is simply missing. */
const UNKNOWN_KEYS: readonly string[] = [
  'dockerfile_inline',
  'additional_contexts',
  'secrets',
  'ssh',
];

/** Reads `build:` of a service; undefined if there is none, or its context is not known. */
export function readComposeBuild(nodes: ComposeNodes, node: unknown): ComposeBuild | undefined {
  const plain = nodes.text(node);
  if (plain !== undefined) {
    const context = literal(plain);
    return context === undefined ? undefined : { context, args: {}, leftOut: [] };
  }
  if (!nodes.isMap(node)) return undefined;
  const given = nodes.word(nodes.get(node, 'context'));
  const context = literal(given);
  if (given !== undefined && context === undefined) return undefined;
  const leftOut: string[] = UNKNOWN_KEYS.filter((key) => nodes.get(node, key) !== undefined);
  const read = (key: 'dockerfile' | 'target') => {
    const given = nodes.text(nodes.get(node, key));
    const value = literal(given);
    if (given !== undefined && value === undefined) leftOut.push(key);
    return value === undefined ? {} : { [key]: value };
  };
  const args: Record<string, string> = {};
  for (const [name, given] of argumentsOf(nodes, nodes.get(node, 'args'))) {
    const value = literal(given);
    if (value === undefined) leftOut.push(`args.${name}`);
    else Object.defineProperty(args, name, { value, enumerable: true });
  }
  return {
    ...(context !== undefined && { context }),
    ...read('dockerfile'),
    ...read('target'),
    args,
    leftOut,
  };
}

/** Merges how two files describe the build of a service, as Compose does: key by key, the later file counts. */
export function mergeBuilds(before: ComposeBuild | undefined, after: ComposeBuild): ComposeBuild {
  if (!before) return after;
  const known = [...Object.keys(after), ...Object.keys(after.args).map((name) => `args.${name}`)];
  const unknown = before.leftOut.filter((key) => !known.includes(key));
  return {
    ...before,
    ...after,
    args: { ...before.args, ...after.args },
    leftOut: [...new Set([...unknown, ...after.leftOut])],
  };
}

/** Returns the arguments of a map, or of a list of `NAME=value`. Without a value, it is that of the environment. */
function argumentsOf(
  nodes: ComposeNodes,
  node: unknown,
): readonly (readonly [name: string, value: string | undefined])[] {
  const pairs = nodes
    .keys(node, MOST_ARGS)
    .map(({ name, value }) => [name, nodes.word(value)] as const);
  const entries = nodes.items(node, MOST_ARGS).flatMap((item) => nodes.text(item) ?? []);
  const listed = entries.map((entry) => {
    const at = entry.indexOf('=');
    return at < 0
      ? ([entry, undefined] as const)
      : ([entry.slice(0, at), entry.slice(at + 1)] as const);
  });
  return [...pairs, ...listed].filter(([name]) => /^[A-Za-z_]\w*$/.test(name));
}

/** Returns a text without variables, unescaped: `$$` is a dollar sign. */
export function literal(text: string | undefined): string | undefined {
  if (text === undefined || text.length > LONGEST_VALUE) return undefined;
  return text.replaceAll('$$', '').includes('$') ? undefined : text.replaceAll('$$', () => '$');
}
