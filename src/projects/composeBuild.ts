import type { ComposeNodes } from './composeNodes.ts';

/** Build of a service in a compose file, as written. */
export interface ComposeBuild {
  /** By default the folder of the project. */
  readonly context?: string;
  /** Relative to the context. */
  readonly dockerfile?: string;
  readonly target?: string;
  readonly args: Readonly<Record<string, string>>;
  /** The keys that are not known here: their values have variables, or mean more than a build of ours can do. */
  readonly leftOut: readonly string[];
  /** The keys whose values in the files before do not count, by a tag. */
  readonly replaced?: readonly string[];
}

/** Facts of a service for a merge with the files before, beside its build and image. */
export interface ServiceMerge {
  /** Fields of which the files before do not count. */
  readonly replaced: readonly ('build' | 'image')[];
  /** Fields whose value, or what decides about them, is not understood. */
  readonly unknown: readonly string[];
  /** A build that is tagged, or whose context is not known. */
  readonly build?: ComposeBuild;
}

/** Service as compose files describe it together. */
export interface MergedService {
  readonly build?: ComposeBuild | undefined;
  readonly image?: string | undefined;
  readonly unknown: readonly string[];
}

/** Limits of what is read. */
const MOST_ARGS = 200;
const LONGEST_VALUE = 4096;
/** The keys with another meaning than an option that is simply missing. */
const UNKNOWN_KEYS: readonly string[] = [
  ...['dockerfile_inline', 'additional_contexts', 'secrets', 'ssh'],
  ...['platforms', 'network', 'extra_hosts', 'labels', 'tags', 'privileged', 'entitlements'],
];

/** Reads `build:` of a service. Without a known context, it says so; undefined if there is none that is understood. */
export function readComposeBuild(nodes: ComposeNodes, node: unknown): ComposeBuild | undefined {
  const plain = nodes.word(node);
  if (plain !== undefined) {
    const context = literal(plain);
    return {
      ...(context !== undefined && { context }),
      args: {},
      leftOut: context === undefined ? ['context'] : [],
    };
  }
  if (!nodes.isMap(node)) return undefined;
  const value = (key: string): unknown => nodes.get(node, key);
  const leftOut: string[] = UNKNOWN_KEYS.filter((key) => nodes.has(node, key));
  const read = (key: 'context' | 'dockerfile' | 'target') => {
    const given = nodes.word(value(key));
    const known = literal(given);
    if (known === undefined && nodes.has(node, key)) leftOut.push(key);
    return known === undefined ? {} : { [key]: known };
  };
  const context = read('context');
  const args = readArguments(nodes, value('args'), leftOut);
  const replaced = [...KEYS, ...UNKNOWN_KEYS].filter((key) => nodes.tagOf(value(key)) !== 'none');
  replaced.push(...args.replaced);
  return {
    ...context,
    ...read('dockerfile'),
    ...read('target'),
    args: args.known,
    leftOut,
    ...(replaced.length > 0 && { replaced }),
  };
}

const KEYS: readonly string[] = ['context', 'dockerfile', 'target', 'args'];

/** @param leftOut receives the arguments that are not known. */
function readArguments(nodes: ComposeNodes, node: unknown, leftOut: string[]) {
  const known: Record<string, string> = {};
  const replaced: string[] = [];
  for (const [name, value] of argumentsOf(nodes, node)) {
    const text = literal(nodes.word(value) ?? (typeof value === 'string' ? value : undefined));
    if (nodes.tagOf(value) === 'reset') replaced.push(`args.${name}`);
    else if (text === undefined) leftOut.push(`args.${name}`);
    else Object.defineProperty(known, name, { value: text, enumerable: true });
  }
  const isTagged = nodes.tagOf(node) === 'unknown';
  const count = nodes.keys(node, MOST_ARGS).length + nodes.items(node, MOST_ARGS).length;
  // Merged from elsewhere, too many, or not a map or list at all.
  if (isTagged || (nodes.tagOf(node) !== 'reset' && !nodes.isAll(node, count)))
    leftOut.push('args');
  return { known, replaced };
}

/** Returns whether a build can be done as it is: its context is known. */
export function isBuildable(build: ComposeBuild | undefined): build is ComposeBuild {
  return build !== undefined && !build.leftOut.includes('context');
}

/** Merges what files say of a service, as Compose does. What is not understood hides what the files before say. */
export function mergeServices(
  before: MergedService,
  after: {
    readonly build?: ComposeBuild;
    readonly image?: string;
    readonly merge?: ServiceMerge;
  },
): MergedService {
  const { replaced = [], unknown = [], build: tagged } = after.merge ?? {};
  const build = replaced.includes('build') ? undefined : before.build;
  const image = replaced.includes('image') ? undefined : before.image;
  const own = tagged ?? after.build;
  const settled: readonly string[] = [...replaced, ...(after.image === undefined ? [] : ['image'])];
  const left = before.unknown.filter((key) => !settled.includes(key));
  return {
    build: own ? mergeBuilds(build, own) : build,
    image: after.image ?? image,
    unknown: [...new Set([...left, ...unknown])],
  };
}

/** Merges how two files describe the build of a service, as Compose does: key by key, the later file counts. */
export function mergeBuilds(before: ComposeBuild | undefined, after: ComposeBuild): ComposeBuild {
  const { replaced = [], ...own } = after;
  if (!before) return own;
  const known = [...Object.keys(own), ...Object.keys(own.args).map((name) => `args.${name}`)];
  const isReplaced = (key: string): boolean =>
    replaced.includes(key) || (key.startsWith('args.') && replaced.includes('args'));
  const isHidden = (key: string): boolean => isReplaced(key) || own.leftOut.includes(key);
  const { args, leftOut, ...rest } = before;
  const kept = Object.entries(rest).filter(([key]) => !isHidden(key));
  const keptArgs = Object.entries(args).filter(([name]) => !isHidden(`args.${name}`));
  const unknown = leftOut.filter(
    (key) => !(isReplaced(key) || known.includes(key)) || (key === 'args' && !isReplaced(key)),
  );
  return {
    ...Object.fromEntries(kept),
    ...own,
    args: { ...Object.fromEntries(keptArgs), ...own.args },
    leftOut: [...new Set([...unknown, ...own.leftOut])],
  };
}

/** Returns the arguments of a map, or of a list of `NAME=value`. Without a value, it is that of the environment. */
function argumentsOf(
  nodes: ComposeNodes,
  node: unknown,
): readonly (readonly [name: string, value: unknown])[] {
  const pairs = nodes.keys(node, MOST_ARGS).map(({ name, value }) => [name, value] as const);
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
