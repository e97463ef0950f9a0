import * as vscode from 'vscode';
import { DisposableStore, isCancellation, signalOf, type Disposable } from '../lifetime.ts';
import type { SourceReference } from '../logs/text/sourcePath.ts';
import { oneLine } from '../plainText.ts';
import type { ChannelDocuments } from './channelDocuments.ts';
import { SourceLinkScanner, type SourceLink } from './sourceLinkScanner.ts';

/**
 * Makes links of the places in sources that the channels name, where the file is there. Addresses of the web are
 * links by the editor itself.
 */
export class ChannelLinks implements Disposable, vscode.DocumentLinkProvider {
  readonly #documents: ChannelDocuments;
  readonly #sources: LinkSources;
  readonly #known = new Map<vscode.TextDocument, Known>();
  readonly #owned = new DisposableStore();

  constructor(documents: ChannelDocuments, sources: LinkSources) {
    this.#documents = documents;
    this.#sources = sources;
    const ours = { scheme: 'output', language: LOG_LANGUAGE };
    this.#owned.add(vscode.languages.registerDocumentLinkProvider(ours, this));
    const changed = vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      for (const { range } of contentChanges)
        this.#known.get(document)?.scan.forget(range.start.line);
    });
    this.#owned.add(changed);
    const closed = vscode.workspace.onDidCloseTextDocument((document) => {
      this.#known.delete(document);
    });
    this.#owned.add(closed);
  }

  async provideDocumentLinks(
    document: vscode.TextDocument,
    token: vscode.CancellationToken,
  ): Promise<vscode.DocumentLink[]> {
    const id = this.#documents.containerOf(document);
    if (id === undefined) return [];
    const known: Known = this.#known.get(document) ?? {
      scan: new SourceLinkScanner(document),
      sources: new Map(),
    };
    this.#known.set(document, known);
    const cancel = signalOf(token);
    try {
      const places = await known.scan.links(cancel.signal);
      await this.#lookFor(id, places, known, cancel.signal);
      return places.flatMap((one) => linkTo(one, known.sources.get(keyOf(one))));
    } catch (error) {
      if (isCancellation(error)) return [];
      throw error;
    } finally {
      cancel.dispose();
    }
  }

  dispose(): void {
    this.#owned.dispose();
    this.#known.clear();
  }

  /** Looks for the files of places, for some of them at a time. */
  async #lookFor(
    id: string,
    places: readonly SourceLink[],
    known: Known,
    signal: AbortSignal,
  ): Promise<void> {
    const wanted = new Map(places.toReversed().map((one) => [keyOf(one), fileOf(one)]));
    known.sources = new Map([...known.sources].filter(([key]) => wanted.has(key)));
    const open = [...wanted].filter(([key]) => !known.sources.has(key));
    const rest = open.slice(0, MOST_FILES).values();
    const work = async (): Promise<void> => {
      for (const [key, place] of rest) {
        signal.throwIfAborted();
        known.sources.set(key, await this.#sources.find(id, place, signal));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }
}

/** The language of the logs' channels. The manifest has its grammar. */
export const LOG_LANGUAGE = 'gantry-log';

/** Finds the file that a place in a container's log means. */
export interface LinkSources {
  find(
    containerId: string,
    place: SourceReference,
    signal: AbortSignal,
  ): Promise<{ readonly path: string; readonly title: string } | undefined>;
}

type Source = Awaited<ReturnType<LinkSources['find']>>;

/** New files that are looked for at each reading, those of the newest lines first: it may take a walk of all folders. */
const MOST_FILES = 50;
/** At the same time. */
const AT_ONCE = 2;

/** What is known of a document. */
interface Known {
  readonly scan: SourceLinkScanner;
  /** The files its places mean, by {@link keyOf}. */
  sources: Map<string, Source>;
}

/** A place without its line. */
function fileOf({ place: { start, end, path, module } }: SourceLink): SourceReference {
  return { start, end, path, ...(module === undefined ? {} : { module }) };
}

function keyOf({ place: { path, module } }: SourceLink): string {
  return JSON.stringify([path, module]);
}

function linkTo({ line, place }: SourceLink, source: Source): vscode.DocumentLink[] {
  if (!source) return [];
  const range = new vscode.Range(line, place.start, line, place.end);
  const at = place.line === undefined ? '' : `L${place.line},${place.column ?? 1}`;
  const link = new vscode.DocumentLink(range, vscode.Uri.file(source.path).with({ fragment: at }));
  const shown = place.line === undefined ? source.title : `${source.title}:${place.line}`;
  link.tooltip = oneLine(shown);
  return [link];
}
