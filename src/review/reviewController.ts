import * as vscode from 'vscode';
import type { CommitDraft } from '../engine/images/commitSpec.ts';
import { abortReason, DisposableStore, type Disposable, type Event } from '../lifetime.ts';
import { formatLine, formatSize } from '../views/format.ts';
import type { ChangeEntry } from './changeTree.ts';
import { ChangesView } from './changesView.ts';
import { readComparedFile, statComparedFile } from './readComparedFile.ts';
import { loadReview, type Review, type ReviewSubject } from './review.ts';
import { ReviewDocuments } from './reviewDocuments.ts';
import type { ReviewRow } from './reviewRow.ts';
import { formatMode, compareFiles, type ComparedFile } from './fileComparison.ts';

const { l10n } = vscode;
const NOTHING = Promise.resolve(undefined);

/** The one review of a window: its view, and the documents that are opened from there. */
export class ReviewController implements Disposable {
  /** This window's mark on its temporary containers. */
  readonly owner: string;
  /** What was entered for a container before a look at its changes, or before a commit that failed; by its id. */
  readonly drafts = new Map<string, CommitDraft>();
  readonly #store = new DisposableStore();
  readonly #documents = this.#store.add(new ReviewDocuments());
  readonly #view: ChangesView;
  readonly #engines: ReviewedEngines;
  #review: Review | undefined;
  /** Whether the engine's list has had what is reviewed: it may be newer than the list. */
  #wasListed = false;
  /** Of the list, or of the file, that is read for the person now: the next one takes its place. */
  #reading = new AbortController();

  /** @param owner this window's mark on its temporary containers. */
  constructor(owner: string, engines: ReviewedEngines) {
    this.owner = owner;
    this.#engines = engines;
    this.#store.add(
      engines.onDidChangeInventory(() => {
        this.#closeIfGone();
      }),
    );
    this.#view = this.#store.add(
      new ChangesView({ tell: (row, signal) => this.#tell(row, signal) }),
    );
    this.#setContext(undefined);
  }

  /** What is reviewed now; undefined where nothing is. */
  get current(): Review | undefined {
    return this.#review;
  }

  /** Asks what differs and shows it, in place of the review before. @throws EngineError. */
  async open(subject: ReviewSubject, signal?: AbortSignal): Promise<Review> {
    const own = this.#begin(signal);
    const review = await loadReview(subject, own);
    if (own.aborted) throw abortReason(own);
    this.show(review);
    return review;
  }

  /** Shows a review that is loaded already. */
  show(review: Review): void {
    this.#review = review;
    this.#wasListed = this.#isListed(review.subject) === true;
    this.#setContext(review.subject.kind);
    this.#view.show(review);
  }

  /** Brings the view before the person. */
  async focus(): Promise<void> {
    await vscode.commands.executeCommand('gantry.changeTree.focus');
  }

  /** Asks anew what differs. @throws EngineError. */
  async refresh(): Promise<void> {
    const { subject } = this.#review ?? {};
    if (subject) await withBar(this.open(subject));
  }

  /** Ends the review; its open documents stay until they are closed. */
  close(): void {
    this.#reading.abort();
    this.#review = undefined;
    this.#view.show(undefined);
    this.#setContext(undefined);
  }

  /**
   * Opens what differs at a path: both sides compared, or the one there is.
   *
   * @returns false where it, or the container itself, is not there any more.
   * @throws EngineError.
   */
  async openEntry({ path, kind }: ChangeEntry): Promise<boolean> {
    const { subject } = this.#review ?? {};
    if (!subject) return false;
    const signal = this.#begin();
    const work = together(signal, (own) => [
      kind === 'added' ? NOTHING : readComparedFile(subject.before, path, own),
      kind === 'deleted' ? NOTHING : readComparedFile(subject.after, path, own),
    ]);
    const [left, right] = await withBar(work);
    if (signal.aborted) throw abortReason(signal);
    // What was not deleted when the changes were listed would look so.
    if (kind === 'deleted' ? !left : !right) return false;
    const after = { name: subject.name, id: subject.id };
    const before = { name: subject.base, id: `${subject.id}.base` };
    await this.#documents.show(compareFiles(left, right, l10n), { path, before, after });
    return true;
  }

  dispose(): void {
    this.#reading.abort();
    this.#store.dispose();
  }

  /** Nothing of what is gone could be opened any more. */
  #closeIfGone(): void {
    if (!this.#review) return;
    const isListed = this.#isListed(this.#review.subject);
    if (this.#wasListed && isListed === false) this.close();
    else this.#wasListed ||= isListed === true;
  }

  /** Undefined where the engine is away. */
  #isListed({ engine, kind, id }: ReviewSubject): boolean | undefined {
    const { inventory } = this.#engines.get(engine) ?? {};
    if (inventory?.phase.kind !== 'live') return undefined;
    return (kind === 'container' ? inventory.containers : inventory.images).has(id);
  }

  #begin(signal?: AbortSignal): AbortSignal {
    this.#reading.abort();
    this.#reading = new AbortController();
    return signal ? AbortSignal.any([signal, this.#reading.signal]) : this.#reading.signal;
  }

  /** Sizes are asked for one row at a time, when it is pointed at. */
  async #tell(row: ReviewRow, signal: AbortSignal): Promise<readonly string[]> {
    if (row.kind === 'mount') return [formatLine(row.mount.target), formatLine(row.mount.source)];
    if (row.kind !== 'entry') return [];
    const { path, kind, size } = row.entry;
    if (size > 0) return [formatLine(path), l10n.t('{0} changes', size)];
    const { subject } = this.#review ?? {};
    // To look at a file of an image takes a container of it, which no pointer should bring about.
    if (subject?.kind !== 'container' || kind === 'deleted') return [formatLine(path)];
    const stat = await statComparedFile(subject.after, path, signal).catch(() => undefined);
    if (!stat) return [formatLine(path)];
    const words = [stat.kind === 'file' ? formatSize(stat.size) : '', formatMode(stat.permissions)];
    return [formatLine(path), words.filter((part) => part !== '').join(' · ')];
  }

  #setContext(kind: ReviewSubject['kind'] | undefined): void {
    void vscode.commands.executeCommand('setContext', 'gantry.review', kind);
  }
}

/** Where is heard of what an engine has. */
export interface ReviewedEngines {
  readonly onDidChangeInventory: Event<unknown>;
  get(id: string):
    | {
        readonly inventory: {
          readonly phase: { readonly kind: string };
          readonly containers: ReadonlyMap<string, unknown>;
          readonly images: ReadonlyMap<string, unknown>;
        };
      }
    | undefined;
}

type Reading = Promise<ComparedFile | undefined>;

/** Reads both sides; where one fails, the other is not read to its end. */
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

/** Shows the view's own progress bar while something goes on. */
async function withBar<T>(work: Promise<T>): Promise<T> {
  void vscode.window.withProgress({ location: { viewId: 'gantry.changeTree' } }, () =>
    // How it ends is told by who asked for it.
    work.then(
      () => undefined,
      () => undefined,
    ),
  );
  return work;
}
