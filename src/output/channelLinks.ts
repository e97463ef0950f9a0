import * as vscode from 'vscode';
import { DisposableStore, isCancellation, signalOf, type Disposable } from '../lifetime.ts';
import type { FilePlace } from '../logs/text/filePlaces.ts';
import { oneLine } from '../plainText.ts';
import type { ChannelDocuments } from './channelDocuments.ts';
import { PlaceScan, type DocumentPlace } from './placeScan.ts';

/** The language of the logs' channels. The manifest has its grammar. */
export const LOG_LANGUAGE = 'gantry-log';

/** Finds the file that a place in a container's log means. */
export interface LinkedSources {
  find(
    containerId: string,
    place: FilePlace,
    signal: AbortSignal,
  ): Promise<{ readonly path: string; readonly title: string } | undefined>;
}

type Source = Awaited<ReturnType<LinkedSources['find']>>;

/** Files that are looked for each time a document is read, those of the newest lines first. */
const MOST_FILES = 200;
/** At the same time. */
const AT_ONCE = 4;

/**
 * Makes links of the places in sources that the channels name, where the file is there. Addresses of the web are
 * links by the editor itself.
 */
export class ChannelLinks implements Disposable, vscode.DocumentLinkProvider {
  readonly #documents: ChannelDocuments;
  readonly #sources: LinkedSources;
  readonly #scans = new Map<vscode.TextDocument, PlaceScan>();
  readonly #owned = new DisposableStore();

  constructor(documents: ChannelDocuments, sources: LinkedSources) {
    this.#documents = documents;
    this.#sources = sources;
    const ours = { scheme: 'output', language: LOG_LANGUAGE };
    this.#owned.add(vscode.languages.registerDocumentLinkProvider(ours, this));
    const changed = vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      for (const { range } of contentChanges) this.#scans.get(document)?.forget(range.start.line);
    });
    this.#owned.add(changed);
    const closed = vscode.workspace.onDidCloseTextDocument((document) => {
      this.#scans.delete(document);
    });
    this.#owned.add(closed);
  }

  async provideDocumentLinks(
    document: vscode.TextDocument,
    token: vscode.CancellationToken,
  ): Promise<vscode.DocumentLink[]> {
    const id = this.#documents.containerOf(document);
    if (id === undefined) return [];
    const scan = this.#scans.get(document) ?? new PlaceScan(document);
    this.#scans.set(document, scan);
    const cancel = signalOf(token);
    try {
      const places = await scan.places(cancel.signal);
      const sources = await this.#sourcesOf(id, places, cancel.signal);
      return places.flatMap((one) => linkTo(one, sources.get(keyOf(one)) ?? undefined));
    } catch (error) {
      if (isCancellation(error)) return [];
      throw error;
    } finally {
      cancel.dispose();
    }
  }

  dispose(): void {
    this.#owned.dispose();
    this.#scans.clear();
  }

  /** The files of places. Each is looked for once, and the look-up keeps what it found for the next time. */
  async #sourcesOf(
    id: string,
    places: readonly DocumentPlace[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, Source>> {
    const wanted = new Map<string, FilePlace>();
    for (const one of places.toReversed()) {
      if (wanted.size >= MOST_FILES) break;
      const { start, end, path, module } = one.place;
      wanted.set(keyOf(one), { start, end, path, ...(module === undefined ? {} : { module }) });
    }
    const found = new Map<string, Source>();
    const rest = wanted.entries();
    const work = async (): Promise<void> => {
      for (const [key, place] of rest) {
        signal.throwIfAborted();
        found.set(key, await this.#sources.find(id, place, signal));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return found;
  }
}

function keyOf({ place: { path, module } }: DocumentPlace): string {
  return JSON.stringify([path, module]);
}

function linkTo({ line, place }: DocumentPlace, source: Source): vscode.DocumentLink[] {
  if (!source) return [];
  const range = new vscode.Range(line, place.start, line, place.end);
  const at = place.line === undefined ? '' : `L${place.line},${place.column ?? 1}`;
  const link = new vscode.DocumentLink(range, vscode.Uri.file(source.path).with({ fragment: at }));
  const shown = place.line === undefined ? source.title : `${source.title}:${place.line}`;
  link.tooltip = oneLine(shown);
  return [link];
}
