import { capabilitiesOf } from '../../engine/capabilities.ts';
import type { Engine } from '../../engine/engine.ts';
import { searchImages, type FoundImage } from '../../engine/registries/registryImage.ts';
import { parseReference } from '../../engine/options/reference.ts';
import type { Disposable } from '../../lifetime.ts';
import { delay } from '../../time.ts';

/** So long nobody types before the engine is asked, in milliseconds. */
const PAUSE = 300;
/** One letter finds everything. */
const LETTERS = 2;

/** Lets the engine search while a person types: once they pause, and for what stands there last. */
export class ImageSearch implements Disposable {
  readonly #context: { readonly engine: Pick<Engine, 'connect'> };
  readonly #onDidFind: (images: readonly FoundImage[]) => void;
  #running: AbortController | undefined;
  #term: string | undefined;

  /** @param onDidFind called with what was found; with nothing where a text is not searched for. */
  constructor(
    context: { readonly engine: Pick<Engine, 'connect'> },
    onDidFind: (images: readonly FoundImage[]) => void,
  ) {
    this.#context = context;
    this.#onDidFind = onDidFind;
  }

  /** Whether an answer is awaited. */
  get isBusy(): boolean {
    return this.#running !== undefined;
  }

  /** The text is another one. A tag that is typed behind a name changes nothing. */
  type(text: string): void {
    const term = searchTerm(text);
    if (term === this.#term) return;
    this.dispose();
    this.#term = term;
    if (term === undefined) this.#onDidFind([]);
    else void this.#search(term);
  }

  dispose(): void {
    this.#running?.abort();
    this.#running = undefined;
    this.#term = undefined;
  }

  async #search(term: string): Promise<void> {
    const running = (this.#running = new AbortController());
    // Not every engine can search, and no registry must: what was typed is good without.
    const found = await this.#ask(term, running.signal).catch(() => []);
    if (this.#running !== running) return;
    this.#running = undefined;
    this.#onDidFind(found);
  }

  async #ask(term: string, signal: AbortSignal): Promise<readonly FoundImage[]> {
    await delay(PAUSE, signal);
    const connection = await this.#context.engine.connect(signal);
    const { searchesOneRegistry } = capabilitiesOf(await connection.info(signal));
    if (searchesOneRegistry && isElsewhere(term)) return [];
    return searchImages(connection, term, signal);
  }
}

/** What is looked for when a person has typed this; undefined for nothing. */
export function searchTerm(text: string): string | undefined {
  // Somebody is about to type a tag: the name is the same.
  const parsed = parseReference(text.replace(/:$/, ''));
  if (!parsed.ok) return undefined;
  const { familiar } = parsed.value;
  const term = familiar.replace(/^(?:index\.)?docker\.io\/(?:library\/)?/, '');
  return term.length < LETTERS ? undefined : term;
}

function isElsewhere(term: string): boolean {
  const parsed = parseReference(term);
  return parsed.ok && parsed.value.registry !== 'docker.io';
}
