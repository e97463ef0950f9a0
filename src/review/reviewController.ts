import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { CommitDraft } from '../engine/containers/commitSpec.ts';
import type { KnownEngines } from '../inventory/knownEngine.ts';
import { abortReason, DisposableStore, type Disposable } from '../base/lifetime.ts';
import { formatLine, formatSize, joinParts } from '../views/format.ts';
import type { ChangeEntry } from './changeTree.ts';
import { ChangesView } from './changesView.ts';
import { readComparedFile, statComparedFile } from './readComparedFile.ts';
import { loadReview, type Review, type ReviewSubject } from './review.ts';
import type { ReviewRow } from './reviewRow.ts';
import {
  formatMode,
  compareFiles,
  type ComparedFile,
  type FileComparison,
} from './fileComparison.ts';
import { oneLine } from '../base/plainText.ts';
import { ReadOnlyTexts } from '../base/readOnlyTexts.ts';

const NOTHING = Promise.resolve(undefined);

/** The review of a window: its view, and the documents opened from it. */
export class ReviewController implements Disposable {
  /** The mark of this window on its temporary containers. */
  readonly owner: string;
  /** Commit form input kept while the changes are reviewed, or after a failed commit, by container ID. */
  readonly drafts = new Map<string, CommitDraft>();
  readonly #store = new DisposableStore();
  readonly #texts = this.#store.add(
    new ReadOnlyTexts(
      'gantry-review',
      l10n.t('This review was closed. Review the changes again to open the file.'),
    ),
  );
  readonly #view: ChangesView;
  readonly #engines: KnownEngines;
  #review: Review | undefined;
  /** Whether the subject was seen in the inventory, which may be older than the review. */
  #wasListed = false;
  /** Aborts the current listing when a newer one replaces it. */
  #listing = new AbortController();
  /** The subject of the current or last listing. */
  #listed: ReviewSubject | undefined;
  /** Aborts the current file read when a newer one, or a listing, replaces it. */
  #reading = new AbortController();

  /** @param owner the mark of this window on its temporary containers. */
  constructor(owner: string, engines: KnownEngines) {
    this.owner = owner;
    this.#engines = engines;
    this.#store.listen(engines.onDidChangeInventory, this.#closeIfGone);
    this.#view = this.#store.add(new ChangesView((row, signal) => this.#describe(row, signal)));
    this.#setContext(undefined);
  }

  get current(): Review | undefined {
    return this.#review;
  }

  /** Lists the changes and shows them in place of the previous review. @throws EngineError. */
  async open(subject: ReviewSubject, signal?: AbortSignal): Promise<Review> {
    const own = this.#beginListing(subject, signal);
    const review = await loadReview(subject, own);
    if (own.aborted) throw abortReason(own);
    this.show(review);
    return review;
  }

  /** Shows a review that is already loaded. */
  show(review: Review): void {
    this.#review = review;
    this.#wasListed = this.#isListed(review.subject) === true;
    this.#setContext(review.subject.kind);
    this.#view.show(review);
  }

  /** Reveals and focuses the view. */
  async focus(): Promise<void> {
    await vscode.commands.executeCommand('gantry.changeTree.focus');
  }

  /** Lists the changes again. @throws EngineError. */
  async refresh(): Promise<void> {
    const { subject } = this.#review ?? {};
    if (subject) await withBar(this.open(subject));
  }

  /** Closes the review. Its open documents stay until they are closed. */
  close(): void {
    this.#listing.abort();
    this.#clear();
  }

  /**
   * Opens the change at a path: a comparison of both sides, or the only side that exists.
   *
   * @returns false if the file or the container no longer exists.
   * @throws EngineError.
   */
  async openEntry({ path, kind }: ChangeEntry): Promise<boolean> {
    const { subject } = this.#review ?? {};
    if (!subject) return false;
    const signal = this.#beginReading();
    const work = together(signal, (own) => [
      kind === 'added' ? NOTHING : readComparedFile(subject.before, path, own),
      kind === 'deleted' ? NOTHING : readComparedFile(subject.after, path, own),
    ]);
    const [left, right] = await withBar(work);
    if (signal.aborted) throw abortReason(signal);
    // Otherwise, a file removed after the changes were listed would be shown as deleted by the container.
    if (kind === 'deleted' ? !left : !right) return false;
    const after = { name: subject.name, id: subject.id };
    const before = { name: subject.base, id: `${subject.id}.base` };
    await openSides(this.#texts, compareFiles(left, right), { path, before, after });
    return true;
  }

  dispose(): void {
    this.#listing.abort();
    this.#reading.abort();
    this.#store.dispose();
  }

  /** Closes the review when its container or image is removed, because its files can no longer be opened. */
  readonly #closeIfGone = (): void => {
    const { subject } = this.#review ?? {};
    if (!subject) return;
    const isListed = this.#isListed(subject);
    if (!this.#wasListed || isListed !== false) {
      this.#wasListed ||= isListed === true;
      return;
    }
    // A refresh ends, but not the listing of another subject.
    if (this.#listed === subject) this.#listing.abort();
    this.#clear();
  };

  #clear(): void {
    this.#reading.abort();
    this.#review = undefined;
    this.#view.show(undefined);
    this.#setContext(undefined);
  }

  /** Returns undefined if the engine is not connected, or its images are not listed. */
  #isListed({ engine, kind, id }: ReviewSubject): boolean | undefined {
    const { inventory } = this.#engines.get(engine) ?? {};
    if (inventory?.phase.kind !== 'live') return undefined;
    if (kind === 'image' && inventory.phase.images) return undefined;
    return (kind === 'container' ? inventory.containers : inventory.images).has(id);
  }

  #beginListing(subject: ReviewSubject, signal: AbortSignal | undefined): AbortSignal {
    this.#reading.abort();
    this.#listing.abort();
    this.#listing = new AbortController();
    this.#listed = subject;
    return signal ? AbortSignal.any([signal, this.#listing.signal]) : this.#listing.signal;
  }

  #beginReading(): AbortSignal {
    this.#reading.abort();
    this.#reading = new AbortController();
    return this.#reading.signal;
  }

  /** Returns the tooltip of a row. The size is requested only when the user hovers over the row. */
  async #describe(row: ReviewRow, signal: AbortSignal): Promise<readonly string[]> {
    if (row.kind === 'mount') return [formatLine(row.mount.target), formatLine(row.mount.source)];
    if (row.kind !== 'entry') return [];
    const { path, kind, size } = row.entry;
    if (size > 0)
      return [formatLine(path), size === 1 ? l10n.t('1 change') : l10n.t('{0} changes', size)];
    const { subject } = this.#review ?? {};
    // Reading a file of an image requires a temporary container, which a hover must not create.
    if (subject?.kind !== 'container' || kind === 'deleted') return [formatLine(path)];
    const stat = await statComparedFile(subject.after, path, signal).catch(() => undefined);
    if (!stat) return [formatLine(path)];
    const bytes = stat.kind === 'file' ? formatSize(stat.size) : '';
    return [formatLine(path), joinParts(bytes, formatMode(stat.permissions))];
  }

  #setContext(kind: ReviewSubject['kind'] | undefined): void {
    void vscode.commands.executeCommand('setContext', 'gantry.review', kind);
  }
}

type Reading = Promise<ComparedFile | undefined>;

/** Reads both sides. If one fails, the other is aborted. */
async function together(
  signal: AbortSignal,
  read: (own: AbortSignal) => readonly [left: Reading, right: Reading],
): Promise<readonly [left: ComparedFile | undefined, right: ComparedFile | undefined]> {
  const controller = new AbortController();
  try {
    return await Promise.all(read(AbortSignal.any([signal, controller.signal])));
  } catch (error) {
    controller.abort();
    throw error;
  }
}

/** Shows the progress bar of the view while the work is running. */
async function withBar<T>(work: Promise<T>): Promise<T> {
  void vscode.window.withProgress({ location: { viewId: 'gantry.changeTree' } }, () =>
    // Errors are reported by the caller.
    Promise.allSettled([work]),
  );
  return work;
}

/** Opens both sides of a file in the diff editor, or the only one that exists. */
async function openSides(
  texts: ReadOnlyTexts,
  sides: FileComparison,
  { path, before, after }: ComparedPath,
): Promise<void> {
  // The summary of an image or archive file must not have that file's extension.
  const title = sides.isSummary ? l10n.t('{0} (summary)', path) : path;
  const keep = ({ name, id }: ComparedPath['before'], text: string | undefined) =>
    text === undefined
      ? undefined
      : texts.keep(`/${oneLine(name).replaceAll('/', '∕')}${title}`, id, text);
  const left = keep(before, sides.left);
  const right = keep(after, sides.right);
  const name = oneLine(path.slice(path.lastIndexOf('/') + 1));
  const options = { preview: true };
  if (left && right) {
    const both = `${name} (${oneLine(before.name)} ↔ ${oneLine(after.name)})`;
    await vscode.commands.executeCommand('vscode.diff', left, right, both, options);
    return;
  }
  const alone = right ? l10n.t('{0} (added)', name) : l10n.t('{0} (deleted)', name);
  const only = right ?? left;
  if (only) await vscode.commands.executeCommand('vscode.open', only, options, alone);
}

/** The compared path and its owners, for the titles of editors. */
interface ComparedPath {
  /** The absolute path, the same on both sides. */
  readonly path: string;
  /** The display name of each side and an ID that distinguishes it from all others. */
  readonly before: { readonly name: string; readonly id: string };
  readonly after: { readonly name: string; readonly id: string };
}
