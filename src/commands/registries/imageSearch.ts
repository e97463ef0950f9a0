import { capabilitiesOf } from '../../engine/capabilities/capabilities.ts';
import type { Engine } from '../../engine/engine.ts';
import { searchImages, type FoundImage } from '../../engine/registries/registryImage.ts';
import { parseReference } from '../../engine/options/reference.ts';
import type { Disposable } from '../../base/lifetime.ts';
import { delay } from '../../base/time.ts';

/** Milliseconds without typing before the engine is asked. */
const PAUSE = 300;
/** Minimum number of letters: a single letter matches everything. */
const LETTERS = 2;

/** Searches for images while the user types: after a pause, for the latest text. */
export class ImageSearch implements Disposable {
  readonly #context: { readonly engine: Pick<Engine, 'connect'> };
  readonly #onDidFind: (images: readonly FoundImage[]) => void;
  #running: AbortController | undefined;
  #term: string | undefined;

  /** @param onDidFind called with the results, and with an empty array if the text is not a search term. */
  constructor(
    context: { readonly engine: Pick<Engine, 'connect'> },
    onDidFind: (images: readonly FoundImage[]) => void,
  ) {
    this.#context = context;
    this.#onDidFind = onDidFind;
  }

  /** Whether a search is in progress. */
  get isBusy(): boolean {
    return this.#running !== undefined;
  }

  /** Handles a change of the text. Typing a tag after a name changes nothing. */
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
    // Not every engine can search, and no registry must support it. The typed name can be used without results.
    const found = await this.#ask(term, running.signal).catch(() => []);
    if (this.#running !== running) return;
    this.#running = undefined;
    this.#onDidFind(found);
  }

  async #ask(term: string, signal: AbortSignal): Promise<readonly FoundImage[]> {
    await delay(PAUSE, signal);
    const connection = await this.#context.engine.connect(signal);
    const { searchesOneRegistry } = capabilitiesOf(await connection.info(signal));
    const parsed = parseReference(term);
    const isElsewhere = parsed.ok && parsed.value.registry !== 'docker.io';
    if (searchesOneRegistry && isElsewhere) return [];
    return searchImages(connection, term, signal);
  }
}

/** Returns the search term for a typed text; undefined if there is none. */
export function searchTerm(text: string): string | undefined {
  // A trailing colon begins a tag, so the name is the same.
  const parsed = parseReference(text.replace(/:$/, ''));
  if (!parsed.ok) return undefined;
  const { familiar } = parsed.value;
  const term = familiar.replace(/^(?:index\.)?docker\.io\/(?:library\/)?/, '');
  return term.length < LETTERS ? undefined : term;
}
