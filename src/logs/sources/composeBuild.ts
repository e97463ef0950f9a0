import type * as Yaml from 'yaml';

/** What a service of a compose file is built from, as it is written there. */
export interface ComposeBuild {
  readonly context?: string;
  readonly dockerfile?: string;
  readonly target?: string;
}

/**
 * Reads of a compose file the `build` of one service, through aliases and merge keys, and nothing else of it: no
 * variables, no `extends`, no tags. Undefined if there is none, or the file is not valid.
 */
export async function composeBuildOf(
  text: string,
  service: string,
): Promise<ComposeBuild | undefined> {
  // Loaded only for a container of a compose project.
  const yaml = await import('yaml');
  try {
    // Of several documents the first. To compare all keys takes time by the square of their number.
    const composer = new yaml.Composer({ uniqueKeys: false });
    Object.assign(composer, { onError: failAtFirst });
    const [document] = composer.compose(tokensOf(text, yaml), true, text.length);
    if (!document || document.errors.length > 0) return undefined;
    const nodes = new NodeLookup(yaml, document);
    const services = nodes.get(document.contents, 'services');
    return nodes.section(nodes.get(nodes.get(services, service), 'build'));
  } catch (error) {
    // An error, more than is read, or collections in one another, more than the stack has room for.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Ends the reading. The library would collect all errors, and take seconds for many. */
function failAtFirst(_source: unknown, _code: string, message: string, isWarning?: boolean): void {
  if (isWarning !== true) throw new RangeError(message);
}

/** A compose file of ten thousand lines. */
const MOST_LEXEMES = 50_000;
/** Each is looked for in the whole document. */
const MOST_ALIASES = 20;

function* tokensOf(text: string, yaml: typeof Yaml): Generator<Yaml.CST.Token> {
  const parser = new yaml.Parser();
  let left = MOST_LEXEMES;
  for (const lexeme of new yaml.Lexer().lex(text)) {
    if (left-- === 0) throw new RangeError('The file is too long');
    yield* parser.next(lexeme);
  }
  yield* parser.end();
}

/** Looks up keys of one document, and never converts what it does not need: aliases can multiply without end. */
class NodeLookup {
  readonly #yaml: typeof Yaml;
  readonly #document: Yaml.Document.Parsed;
  #aliases = 0;

  constructor(yaml: typeof Yaml, document: Yaml.Document.Parsed) {
    this.#yaml = yaml;
    this.#document = document;
  }

  /** The value of a key: the map's own, else that of the first map it merges. Undefined if neither has the key. */
  get(node: unknown, key: string): unknown {
    if (!this.#yaml.isMap(node) || node.tag !== undefined) return undefined;
    const own = node.items.find((pair) => this.#text(pair.key) === key);
    if (own) return this.#follow(own.value);
    for (const { key: other, value } of node.items) {
      if (this.#text(other) !== '<<') continue;
      const merged = this.#follow(value);
      for (const one of this.#yaml.isSeq(merged) ? merged.items : [merged]) {
        const found = this.get(this.#follow(one), key);
        if (found !== undefined) return found;
      }
    }
    return undefined;
  }

  /** The `build` of a service: a context alone, or a map. One field that is not understood makes all worthless. */
  section(build: unknown): ComposeBuild | undefined {
    if (build === undefined) return undefined;
    const isMap = this.#yaml.isMap(build);
    const section: Record<string, string> = {};
    for (const key of ['context', 'dockerfile', 'target']) {
      const value = isMap ? this.get(build, key) : key === 'context' ? build : undefined;
      if (value === undefined) continue;
      const text = this.#text(value);
      if (text === undefined || text === '' || text.includes('$')) return undefined;
      section[key] = text;
    }
    return Object.keys(section).length > 0 ? section : undefined;
  }

  /** The node that an alias stands for. */
  #follow(node: unknown): unknown {
    if (!this.#yaml.isAlias(node)) return node;
    this.#aliases += 1;
    return this.#aliases > MOST_ALIASES ? null : (node.resolve(this.#document) ?? null);
  }

  #text(node: unknown): string | undefined {
    const isText = this.#yaml.isScalar(node) && node.tag === undefined;
    return isText && typeof node.value === 'string' ? node.value : undefined;
  }
}
