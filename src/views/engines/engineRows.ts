import type { EndpointCandidate } from '../../engine/discovery/endpointCandidate.ts';
import type { Activity } from '../../inventory/activity.ts';
import type { Inventory, InventoryChange } from '../../inventory/inventory.ts';
import { DisposableStore, Emitter, type Disposable, type Event } from '../../lifetime.ts';
import { EngineNode, type EngineNodeOptions } from './engineNode.ts';
import type { RenderContext } from '../rowPresentation.ts';
import type { TreeNode } from '../treeNode.ts';
import { ChangeBuilder, type Rows, type TreeRowsChange } from '../rows.ts';

/** The rows of one view: those of the one engine, or a row for each engine with its own below. */
export class EngineRows<R extends DisposableRows> implements Rows, Disposable {
  readonly #options: EngineRowsOptions<R>;
  readonly #store = new DisposableStore();
  readonly #changes = this.#store.add(new Emitter<TreeRowsChange>());
  #entries: readonly Entry<R>[] = [];
  #areSeveral = false;

  readonly onDidChange = this.#changes.event;

  constructor(parts: EngineRowsOptions<R>) {
    this.#options = parts;
    this.#take();
    this.#store.add(
      parts.engines.onDidChange(() => {
        this.#retake();
      }),
    );
  }

  get roots(): readonly TreeNode[] {
    return this.#entries.flatMap(({ node, rows }) => (node ? [node] : rows.roots));
  }

  get size(): number {
    return this.#entries.reduce((sum, { rows }) => sum + rows.size, 0);
  }

  /** The row, of the first engine that has it. */
  find(id: string, reference?: string): TreeNode | undefined {
    return this.#firstOf(this.#entries, id, reference);
  }

  /** The row in one engine. */
  findIn(engine: string, id: string, reference?: string): TreeNode | undefined {
    const entries = this.#entries.filter((entry) => entry.engine.id === engine);
    return this.#firstOf(entries, id, reference);
  }

  /** What a row's looks depend on. */
  contextOf(node: TreeNode): RenderContext {
    const entry = this.#entries.find(({ engine }) => engine.id === node.engine) ?? this.#entries[0];
    if (!entry) throw new Error('A row without an engine');
    return this.#options.contextOf(entry.engine);
  }

  /** Does something with the rows of each engine. */
  each(edit: (rows: R) => void): void {
    for (const { rows } of this.#entries) edit(rows);
  }

  /** Says that the engines' own rows look different. */
  repaintEngines(): void {
    const change = new ChangeBuilder();
    for (const { node } of this.#entries) if (node) change.repaint(node);
    if (!change.isEmpty) this.#changes.fire(change);
  }

  dispose(): void {
    for (const entry of this.#entries) entry.store.dispose();
    this.#entries = [];
    this.#store.dispose();
  }

  #firstOf(
    entries: readonly Entry<R>[],
    id: string,
    reference: string | undefined,
  ): TreeNode | undefined {
    for (const { rows } of entries) {
      const node = rows.find(id, reference);
      if (node) return node;
    }
    return undefined;
  }

  #retake(): void {
    const change = new ChangeBuilder();
    const before = this.#entries;
    this.#take();
    const kept = new Set(this.#entries);
    for (const { node, rows } of before.filter((entry) => !kept.has(entry))) {
      const gone = node ? [node, ...descendants(node)] : rows.roots.flatMap(withDescendants);
      for (const one of gone) change.remove(one);
    }
    change.resetRoots();
    for (const entry of before) if (!kept.has(entry)) entry.store.dispose();
    this.#changes.fire(change);
  }

  /** Rows keep their place as long as their engine does, and as long as it is one or several. */
  #take(): void {
    const { engines } = this.#options;
    const isOtherMode = engines.areSeveral !== this.#areSeveral;
    this.#areSeveral = engines.areSeveral;
    const before = isOtherMode ? [] : this.#entries;
    this.#entries = engines.all.map(
      (engine) => before.find((entry) => entry.engine === engine) ?? this.#open(engine),
    );
  }

  #open(engine: DisplayedEngine): Entry<R> {
    const store = new DisposableStore();
    const node = this.#areSeveral ? new EngineNode(this.#options.nodeOf(engine)) : undefined;
    const rows = store.add(this.#options.make(engine, node));
    node?.show(rows);
    store.add(
      rows.onDidChange((change) => {
        this.#changes.fire(change);
      }),
    );
    store.add(this.#repaintOnPhase(engine, node));
    return { engine, rows, node, store };
  }

  /** The row of an engine says how it is; all rows say whether they may be out of date. */
  #repaintOnPhase({ inventory }: DisplayedEngine, node: EngineNode | undefined): Disposable {
    let wasLost = inventory.lostAt !== undefined;
    return inventory.onDidChange(({ phase }) => {
      if (!phase) return;
      const isLost = inventory.lostAt !== undefined;
      const change = new ChangeBuilder();
      if (node) change.repaint(node);
      else if (isLost !== wasLost) change.resetRoots();
      wasLost = isLost;
      if (!change.isEmpty) this.#changes.fire(change);
    });
  }
}

/** One engine as the views know it. */
export interface DisplayedEngine {
  readonly id: string;
  readonly name: string;
  readonly inventory: Inventory;
  readonly activity: Activity;
  readonly engine: {
    readonly endpoint: { readonly url: string } | undefined;
    /** Where the last search looked in vain. */
    readonly attempts: readonly { readonly candidate: EndpointCandidate }[];
  };
}

/** The engines that are shown. */
export interface DisplayedEngines {
  readonly all: readonly DisplayedEngine[];
  readonly areSeveral: boolean;
  /** Fires when one came or went. */
  readonly onDidChange: Event<void>;
  /** Fires when what is known of any of them changed. */
  readonly onDidChangeInventory: Event<InventoryChange>;
}

/** The rows of one engine. */
export type DisposableRows = Rows & Disposable;

/** How the rows of one view are made. */
export interface EngineRowsOptions<R extends DisposableRows> {
  readonly engines: DisplayedEngines;
  readonly contextOf: (engine: DisplayedEngine) => RenderContext;
  readonly make: (engine: DisplayedEngine, top: TreeNode | undefined) => R;
  readonly nodeOf: (engine: DisplayedEngine) => EngineNodeOptions;
}

interface Entry<R extends DisposableRows> {
  readonly engine: DisplayedEngine;
  readonly rows: R;
  readonly node: EngineNode | undefined;
  readonly store: DisposableStore;
}

function withDescendants(node: TreeNode): readonly TreeNode[] {
  return [node, ...descendants(node)];
}

function descendants(node: TreeNode): readonly TreeNode[] {
  return (node.children ?? []).flatMap(withDescendants);
}
