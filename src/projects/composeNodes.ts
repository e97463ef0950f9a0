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
  #aliases = 0;

  constructor(yaml: typeof Yaml, document: Yaml.Document.Parsed, isOnly: boolean) {
    this.#yaml = yaml;
    this.#document = document;
    this.isOnly = isOnly;
  }

  get root(): unknown {
    return this.#document.contents;
  }

  isMap(node: unknown): boolean {
    return this.#yaml.isMap(node) && node.tag === undefined;
  }

  /**
   * Returns the value of a key: the map's own, or that of the first merged map that has it. Undefined if
   * there is none.
   */
  get(node: unknown, key: string): unknown {
    if (!this.#yaml.isMap(node) || node.tag !== undefined) return undefined;
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
    if (!this.#yaml.isMap(node) || node.tag !== undefined) return [];
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
      return node.tag === undefined && node.items.length === count;
    const isEmpty = this.#yaml.isScalar(node) && node.tag === undefined && node.value === null;
    return node === undefined || node === null || isEmpty;
  }

  /** Returns the items of a list; none if it is something else. */
  items(node: unknown, most: number): readonly unknown[] {
    if (!this.#yaml.isSeq(node) || node.tag !== undefined) return [];
    return node.items.slice(0, most).map((item) => this.#follow(item));
  }

  text(node: unknown): string | undefined {
    const isText = this.#yaml.isScalar(node) && node.tag === undefined;
    return isText && typeof node.value === 'string' ? node.value : undefined;
  }

  /** Returns a text, number or boolean, as written: `80`. */
  word(node: unknown): string | undefined {
    const isPlain = this.#yaml.isScalar(node) && ['number', 'boolean'].includes(typeof node.value);
    return isPlain ? (node.source ?? String(node.value)) : this.text(node);
  }

  /** Resolves an alias to its node. One over the limit stays an alias, whose contents are not known. */
  #follow(node: unknown): unknown {
    if (!this.#yaml.isAlias(node)) return node;
    this.#aliases += 1;
    return this.#aliases > MOST_ALIASES ? node : (node.resolve(this.#document) ?? null);
  }
}

/** Parses the first document of a YAML text. Undefined if it is invalid or exceeds a limit. */
export async function parseCompose(text: string): Promise<ComposeNodes | undefined> {
  // Loaded only when a compose file is read.
  const yaml = await import('yaml');
  try {
    // Unique keys are not checked, because that takes quadratic time.
    const composer = new yaml.Composer({ uniqueKeys: false });
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

/** A key of a map. */
export interface ComposeKey {
  readonly name: string;
  /** Its position in the text, in characters. */
  readonly at: number;
  readonly value: unknown;
}
