import * as vscode from 'vscode';
import {
  DisposableStore,
  isCancellation,
  withTokenSignal,
  type Disposable,
} from '../base/lifetime.ts';
import type { SourceLocation, SourceLookup } from '../logs/sources/sourceLookup.ts';
import type { SourceReference } from '../logs/text/sourcePath.ts';
import { oneLine } from '../base/plainText.ts';
import type { ChannelDocuments } from './channelDocuments.ts';
import { SourceLinkScanner, type SourceLink } from './sourceLinkScanner.ts';

/** Links the source references in the channels to their files, if those exist. VS Code itself links web addresses. */
export class ChannelLinks implements Disposable, vscode.DocumentLinkProvider {
  readonly #documents: ChannelDocuments;
  readonly #sources: SourceLookup;
  readonly #known = new Map<vscode.TextDocument, Known>();
  readonly #owned = new DisposableStore();

  constructor(documents: ChannelDocuments, sources: SourceLookup) {
    this.#documents = documents;
    this.#sources = sources;
    const ours = { scheme: 'output', language: LOG_LANGUAGE };
    this.#owned.add(vscode.languages.registerDocumentLinkProvider(ours, this));
    this.#owned.listen(vscode.workspace.onDidChangeTextDocument, ({ document, contentChanges }) => {
      for (const { range } of contentChanges)
        this.#known.get(document)?.scan.forget(range.start.line);
    });
    this.#owned.listen(vscode.workspace.onDidCloseTextDocument, (document) =>
      this.#known.delete(document),
    );
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
    try {
      return await withTokenSignal(token, async (signal) => {
        const links = await known.scan.links(signal);
        await this.#lookFor(id, links, known, signal);
        return links.flatMap((one) => linkTo(one, known.sources.get(keyOf(one))));
      });
    } catch (error) {
      if (isCancellation(error)) return [];
      throw error;
    }
  }

  dispose(): void {
    this.#owned.dispose();
    this.#known.clear();
  }

  /** Finds the files of source references, some at a time. */
  async #lookFor(
    id: string,
    links: readonly SourceLink[],
    known: Known,
    signal: AbortSignal,
  ): Promise<void> {
    const wanted = new Map(links.toReversed().map((one) => [keyOf(one), fileOf(one)]));
    known.sources = new Map([...known.sources].filter(([key]) => wanted.has(key)));
    const open = [...wanted].filter(([key]) => !known.sources.has(key));
    const rest = open.slice(0, MOST_FILES).values();
    const work = async (): Promise<void> => {
      for (const [key, reference] of rest) {
        signal.throwIfAborted();
        known.sources.set(key, await this.#sources.find(id, reference, signal));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }
}

/** The language of the log channels. Its grammar is in the manifest. */
export const LOG_LANGUAGE = 'gantry-log';

/**
 * Limit of the new files searched per request, those of the newest lines first, because a search may walk all folders.
 */
const MOST_FILES = 50;
/** Number of searches that run in parallel. */
const AT_ONCE = 2;

/** The cached state of a document. */
interface Known {
  readonly scan: SourceLinkScanner;
  /** The files of its references, by {@link keyOf}. */
  sources: Map<string, SourceLocation | undefined>;
}

/** Returns a reference without its line number. */
function fileOf({ reference: { start, end, path, module } }: SourceLink): SourceReference {
  return { start, end, path, module };
}

function keyOf({ reference: { path, module } }: SourceLink): string {
  return JSON.stringify([path, module]);
}

function linkTo(
  { line, reference }: SourceLink,
  source: SourceLocation | undefined,
): vscode.DocumentLink[] {
  if (!source) return [];
  const range = new vscode.Range(line, reference.start, line, reference.end);
  const at = reference.line === undefined ? '' : `L${reference.line},${reference.column ?? 1}`;
  const link = new vscode.DocumentLink(range, vscode.Uri.file(source.path).with({ fragment: at }));
  const shown = reference.line === undefined ? source.title : `${source.title}:${reference.line}`;
  link.tooltip = oneLine(shown);
  return [link];
}
