import type * as Yaml from 'yaml';

/** Enough for a compose file of ten thousand lines. */
const MOST_LEXEMES = 50_000;
/** Each alias is resolved by a search of the whole document. */
const MOST_ALIASES = 20;

/** Looks up keys of one document and resolves only what is needed, because aliases can expand exponentially. */
export class ComposeNodes {
  readonly #yaml: typeof Yaml;
  readonly #document: Yaml.Document.Parsed;
  /** Whether the text has no other document. Compose would merge it. */
  readonly isOnly: boolean;
  readonly #aliases = new Map<unknown, unknown>();
  /** The values that were looked up, by map and key. Maps that are merged many times are searched once. */
  readonly #found = new Map<unknown, Map<string, unknown>>();

  constructor(yaml: typeof Yaml, document: Yaml.Document.Parsed, isOnly: boolean) {
    this.#yaml = yaml;
    this.#document = document;
    this.isOnly = isOnly;
  }

  get root(): unknown {
    return this.#document.contents;
  }

  isMap(node: unknown): boolean {
    return this.#yaml.isMap(node) && isRead(node);
  }

  /**
   * Returns what the tag of a node means for a merge with the files before. Their value does not count if it is
   * `override`, `reset`, which removes the key, or `unknown`, as an alias is that is not resolved here.
   */
  tagOf(node: unknown): ComposeTag {
    if (this.#yaml.isAlias(node)) return 'unknown';
    return this.#yaml.isNode(node) ? tagOf(node) : 'none';
  }

  /** Whether a map has a key with a value, also one that is not understood. */
  has(node: unknown, key: string): boolean {
    const value = this.get(node, key);
    return (
      this.tagOf(value) === 'unknown' || !(this.tagOf(value) === 'reset' || this.isNull(value))
    );
  }

  /** Whether there is no value: no node, or an empty one. */
  isNull(node: unknown): boolean {
    const isEmpty = this.#yaml.isScalar(node) && isRead(node) && node.value === null;
    return node === undefined || node === null || isEmpty;
  }

  /**
   * Returns the value of a key: the map's own, or that of the first merged map that has it. Undefined if there is none.
   */
  get(node: unknown, key: string): unknown {
    if (!this.#yaml.isMap(node) || !isRead(node)) return undefined;
    const found = this.#found.get(node) ?? new Map<string, unknown>();
    this.#found.set(node, found);
    if (found.has(key)) return found.get(key);
    // What a map that is merged into itself has.
    found.set(key, undefined);
    const value = this.#search(node, key);
    found.set(key, value);
    return value;
  }

  #search(node: Yaml.YAMLMap, key: string): unknown {
    const own = node.items.find((pair) => this.text(pair.key) === key);
    if (own) return this.#follow(own.value);
    for (const { key: other, value } of node.items) {
      if (this.text(other) !== '<<') continue;
      const merged = this.#follow(value);
      for (const one of this.#yaml.isSeq(merged) ? merged.items : [merged]) {
        const found = this.get(this.#follow(one), key);
        if (found !== undefined) return found;
      }
    }
    return undefined;
  }

  /** Returns the map's own keys that are texts, in order. */
  keys(node: unknown, most: number): readonly ComposeKey[] {
    if (!this.#yaml.isMap(node) || !isRead(node)) return [];
    return node.items.slice(0, most).flatMap(({ key, value }): readonly ComposeKey[] => {
      const name = this.text(key);
      const at = this.#yaml.isScalar(key) ? key.range?.[0] : undefined;
      if (name === undefined || name === '<<' || at === undefined) return [];
      return [{ name, at, value: this.#follow(value) }];
    });
  }

  /** Returns whether a map or list has this many entries; an empty node has none. */
  isAll(node: unknown, count: number): boolean {
    if (this.#yaml.isMap(node) || this.#yaml.isSeq(node))
      return isRead(node) && node.items.length === count;
    return this.isNull(node);
  }

  /** Returns the items of a list; none if it is something else. */
  items(node: unknown, most: number): readonly unknown[] {
    if (!this.#yaml.isSeq(node) || !isRead(node)) return [];
    return node.items.slice(0, most).map((item) => this.#follow(item));
  }

  /** Returns where a value begins, in characters. */
  startOf(node: unknown): number | undefined {
    return this.#yaml.isNode(node) ? node.range?.[0] : undefined;
  }

  text(node: unknown): string | undefined {
    const isText = this.#yaml.isScalar(node) && isRead(node);
    return isText && typeof node.value === 'string' ? node.value : undefined;
  }

  /** Returns a text, number or boolean, as written: `80`. */
  word(node: unknown): string | undefined {
    const isPlain =
      this.#yaml.isScalar(node) &&
      isRead(node) &&
      ['number', 'boolean'].includes(typeof node.value);
    return isPlain ? (node.source ?? String(node.value)) : this.text(node);
  }

  /** Resolves an alias to its node. One over the limit stays an alias, whose contents are not known. */
  #follow(node: unknown): unknown {
    if (!this.#yaml.isAlias(node)) return node;
    if (!this.#aliases.has(node)) {
      if (this.#aliases.size === MOST_ALIASES) return node;
      this.#aliases.set(node, node.resolve(this.#document) ?? null);
    }
    return this.#aliases.get(node);
  }
}

/** Meaning of a tag for a merge of compose files. `unknown`: nothing is known of the value. */
type ComposeTag = 'none' | 'override' | 'reset' | 'unknown';

/** The tags of YAML itself, which the library has applied. */
const APPLIED: ReadonlySet<string> = new Set(
  ['str', 'int', 'float', 'bool', 'null', 'map', 'seq'].map((name) => `tag:yaml.org,2002:${name}`),
);

function tagOf({ tag }: Yaml.Node): ComposeTag {
  if (tag === undefined || APPLIED.has(tag)) return 'none';
  if (tag === '!override') return 'override';
  return tag === '!reset' ? 'reset' : 'unknown';
}

/** Whether the value of a node is known. */
function isRead(node: Yaml.Node): boolean {
  return ['none', 'override'].includes(tagOf(node));
}

/** Parses the first document of a YAML text. Undefined if it is invalid or exceeds a limit. */
export async function parseCompose(text: string): Promise<ComposeNodes | undefined> {
  // Loaded only when a compose file is read.
  const yaml = await import('yaml');
  try {
    // Unique keys are not checked, because that takes quadratic time. Compose ignores the version that a file names.
    const composer = new yaml.Composer({ uniqueKeys: false, schema: 'core' });
    Object.assign(composer, { onError: stopAtFirstError() });
    const [document, other] = composer.compose(tokensOf(text, yaml), true, text.length);
    if (!document || document.errors.length > 0) return undefined;
    return new ComposeNodes(yaml, document, other === undefined);
  } catch (error) {
    // A YAML error, a file over the limits, or nesting too deep for the stack.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * Stops at the first error. The library would collect all errors, which takes seconds if there are many. So does an
 * error that is created in deep nesting, because of its stack trace.
 */
function stopAtFirstError() {
  const invalid = new RangeError('The file is invalid');
  return (_source: unknown, _code: string, _message: string, isWarning?: boolean): void => {
    if (isWarning !== true) throw invalid;
  };
}

function* tokensOf(text: string, yaml: typeof Yaml): Generator<Yaml.CST.Token> {
  const parser = new yaml.Parser();
  let left = MOST_LEXEMES;
  for (const lexeme of new yaml.Lexer().lex(text)) {
    if (left-- === 0) throw new RangeError('The file is too long');
    yield* parser.next(lexeme);
  }
  yield* parser.end();
}

interface ComposeKey {
  readonly name: string;
  /** Its position in the text, in characters. */
  readonly at: number;
  readonly value: unknown;
}
