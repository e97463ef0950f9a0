import * as vscode from 'vscode';
import { whenFound, type Clock } from '../time.ts';
import { DisposableStore, Emitter, type Disposable, type Event } from '../lifetime.ts';
import type { AgeTimer } from './ageTimer.ts';
import type { Folds } from './folds.ts';
import type { RenderContext } from './rowPresentation.ts';
import type { TreeNode } from './treeNode.ts';
import type { Rows } from './rows.ts';
import { Tree } from './tree.ts';
import type { LoadState } from './loadState.ts';

/** So long a view waits for the engine's first answer before it says that it is connecting. */
const FIRST_ANSWER_LIMIT = 1000;
/** So long a row that is to be revealed may take to be there. */
const REVEAL_LIMIT = 10_000;

type Find = () => TreeNode | undefined;

/** One view of the editor: its tree, and what is around it. */
export class TreeViewHost implements Disposable {
  readonly #options: TreeViewHostOptions;
  readonly #store = new DisposableStore();
  readonly #used = this.#store.add(new Emitter<void>());
  readonly #tree: Tree;
  readonly #view: vscode.TreeView<TreeNode>;
  #revealing = new AbortController();
  #toReveal: TreeNode | undefined;
  #wanted: { readonly find: Find; readonly otherwise: Find } | undefined;

  /** Fires when a person sees the view or selects something in it. */
  readonly onDidUse = this.#used.event;

  constructor(id: string, options: TreeViewHostOptions) {
    this.#options = options;
    this.#tree = this.#store.add(new Tree({ ...options, untilKnown: () => this.#untilKnown() }));
    this.#view = this.#store.add(
      vscode.window.createTreeView(id, {
        treeDataProvider: this.#tree,
        canSelectMany: true,
        showCollapseAll: options.showCollapseAll,
      }),
    );
    this.#store.add(
      this.#view.onDidChangeVisibility(({ visible }) => {
        this.#see(visible);
      }),
    );
    this.#store.add(
      this.#view.onDidChangeSelection(() => {
        this.#used.fire();
      }),
    );
    this.#keepFolds(options.folds);
  }

  get selection(): readonly TreeNode[] {
    // What nobody sees is not meant.
    return this.#view.visible ? this.#view.selection : [];
  }

  /** What is said above the rows; empty for nothing. */
  setMessage(message: string): void {
    // Every setting of it holds back the rows, even where nothing changes.
    if ((this.#view.message ?? '') !== message) this.#view.message = message;
  }

  /** What is said beside the view's title. */
  setDescription(description: string): void {
    if ((this.#view.description ?? '') !== description) this.#view.description = description;
  }

  setBadge(value: number, tooltip: string): void {
    if ((this.#view.badge?.value ?? 0) === value) return;
    this.#view.badge = value === 0 ? undefined : { value, tooltip };
  }

  /** Selects a row as soon as `find` finds it and the view is seen; `otherwise` is for when it never does. */
  reveal(find: Find, otherwise: Find): void {
    this.#revealing.abort();
    this.#toReveal = undefined;
    this.#wanted = { find, otherwise };
    // Before a view was seen nothing is listed: the wait begins with that.
    if (this.#options.loadState() !== 'unasked') void this.#awaitWanted();
  }

  async #awaitWanted(): Promise<void> {
    const wanted = this.#wanted;
    this.#wanted = undefined;
    if (!wanted) return;
    const { signal } = (this.#revealing = new AbortController());
    const { rows, clock } = this.#options;
    const options = { clock, limit: REVEAL_LIMIT, signal };
    const node = (await whenFound(wanted.find, rows.onDidChange, options)) ?? wanted.otherwise();
    if (signal.aborted || !node) return;
    this.#toReveal = node;
    if (this.#view.visible) this.#revealNow();
  }

  dispose(): void {
    this.#revealing.abort();
    this.#store.dispose();
  }

  #keepFolds(folds: Folds): void {
    this.#store.add(
      this.#view.onDidCollapseElement(({ element }) => {
        folds.set(element, true);
      }),
    );
    this.#store.add(
      this.#view.onDidExpandElement(({ element }) => {
        folds.set(element, false);
      }),
    );
  }

  #see(isVisible: boolean): void {
    this.#tree.setVisible(isVisible);
    if (!isVisible) return;
    this.#used.fire();
    void this.#awaitWanted();
    this.#revealNow();
  }

  #revealNow(): void {
    const node = this.#toReveal;
    this.#toReveal = undefined;
    if (!node) return;
    // The editor looks for the row among those it has been told of.
    this.#tree.flush();
    // A row that went meanwhile cannot be revealed, and nobody misses it.
    this.#view.reveal(node, { select: true, focus: false }).then(undefined, () => undefined);
  }

  #untilKnown(): Promise<unknown> | undefined {
    const { loadState, onDidChangeLoadState, rows, clock } = this.#options;
    // The other view's list may take longer: rows that are there are shown.
    const isKnown = (): true | undefined =>
      loadState() !== 'known' && rows.roots.length === 0 ? undefined : true;
    if (isKnown()) return undefined;
    return whenFound(isKnown, onDidChangeLoadState, { clock, limit: FIRST_ANSWER_LIMIT });
  }
}

export interface TreeViewHostOptions {
  readonly rows: Rows;
  readonly contextOf: (node: TreeNode) => RenderContext;
  readonly clock: Clock;
  readonly ages: AgeTimer;
  readonly folds: Folds;
  /** How far it is known what there is: nothing was asked yet, the answer is awaited, or it is known. */
  readonly loadState: () => LoadState;
  /** Fires when that may have changed. */
  readonly onDidChangeLoadState: Event<unknown>;
  readonly showCollapseAll: boolean;
}
