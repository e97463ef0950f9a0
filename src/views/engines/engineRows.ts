import type { KnownEngine, KnownEngines } from '../../inventory/knownEngine.ts';
import { DisposableStore, type Disposable } from '../../base/lifetime.ts';
import { EngineNode, type EngineNodeOptions } from './engineNode.ts';
import type { RenderContext } from '../rowPresentation.ts';
import type { TreeNode } from '../treeNode.ts';
import { Rows } from '../rows.ts';

/** The rows of one view: the rows of the only engine, or one row per engine with its rows below. */
export class EngineRows<R extends Rows> extends Rows {
  readonly #options: EngineRowsOptions<R>;
  #entries: readonly Entry<R>[] = [];
  #areSeveral = false;
  #isFlat = false;

  constructor(parts: EngineRowsOptions<R>) {
    super();
    this.#options = parts;
    this.#update();
    this.store.listen(parts.engines.onDidChange, this.#retake);
  }

  get roots(): readonly TreeNode[] {
    if (!this.#isFlat)
      return this.#entries.flatMap(({ node, rows }) => (node ? [node] : rows.roots));
    const [first] = this.#entries;
    const rows = this.#entries.flatMap((entry) => entry.rows.roots);
    return [...rows.sort((a, b) => first?.rows.compare?.(a, b) ?? 0), ...this.#silent];
  }

  /** The engines whose state has to be shown, although their rows are not below them. */
  get #silent(): readonly TreeNode[] {
    return this.#entries.flatMap(({ engine, node }) =>
      node && engine.inventory.phase.kind !== 'live' ? [node] : [],
    );
  }

  get size(): number {
    return this.#entries.reduce((sum, { rows }) => sum + rows.size, 0);
  }

  /** Returns the row of a container or image in `engine`, or in the first engine that has it. */
  find(id: string, reference?: string, engine?: string): TreeNode | undefined {
    for (const entry of this.#entries) {
      const matches = engine === undefined || entry.engine.id === engine;
      const node = matches ? entry.rows.find(id, reference) : undefined;
      if (node) return node;
    }
    return undefined;
  }

  contextOf(node: TreeNode): RenderContext {
    const entry = this.#entries.find(({ engine }) => engine.id === node.engine) ?? this.#entries[0];
    if (!entry) throw new Error('A row without an engine');
    return this.#options.contextOf(entry.engine);
  }

  /** Opens the rows anew if they are now shown in one list, or below their engines again. */
  refold(): void {
    const isFlat = this.#options.engines.areSeveral && this.#options.isFlat?.() === true;
    if (isFlat !== this.#isFlat) this.#retake();
  }

  /** Calls `edit` with the rows of each engine. */
  each(edit: (rows: R) => void): void {
    for (const { rows } of this.#entries) edit(rows);
  }

  repaintEngines(): void {
    this.change((change) => {
      for (const { node } of this.#entries) if (node) change.repaint(node);
    });
  }

  override dispose(): void {
    for (const entry of this.#entries) entry.store.dispose();
    this.#entries = [];
    super.dispose();
  }

  readonly #retake = (): void => {
    const before = this.#entries;
    this.#update();
    const kept = new Set(this.#entries);
    const gone = before.filter((entry) => !kept.has(entry));
    this.change((change) => {
      for (const { node, rows } of gone) {
        for (const root of [...(node ? [node] : []), ...rows.roots]) {
          for (const one of withDescendants(root)) change.remove(one);
        }
      }
      change.resetRoots();
      for (const { store } of gone) store.dispose();
    });
  };

  /** Rows are kept as long as their engine exists and the view does not switch between one and several engines. */
  #update(): void {
    const { engines } = this.#options;
    const isFlat = engines.areSeveral && this.#options.isFlat?.() === true;
    const isOtherMode = engines.areSeveral !== this.#areSeveral || isFlat !== this.#isFlat;
    this.#areSeveral = engines.areSeveral;
    this.#isFlat = isFlat;
    const before = isOtherMode ? [] : this.#entries;
    this.#entries = engines.all.map(
      (engine) => before.find((entry) => entry.engine === engine) ?? this.#open(engine),
    );
  }

  #open(engine: KnownEngine): Entry<R> {
    const store = new DisposableStore();
    const node = this.#areSeveral ? new EngineNode(engine, this.#options) : undefined;
    const rows = store.add(this.#options.make(engine, this.#isFlat ? undefined : node));
    if (!this.#isFlat) node?.show(rows);
    store.add(this.forward(rows));
    store.add(this.#repaintOnPhase(engine, node));
    return { engine, rows, node, store };
  }

  /**
   * Repaints the engine row on each phase change. Without one, repaints all rows when the connection is lost or
   * restored.
   */
  #repaintOnPhase({ inventory }: KnownEngine, node: EngineNode | undefined): Disposable {
    let wasLost = inventory.lostAt !== undefined;
    return inventory.onDidChange(({ phase }) => {
      if (!phase) return;
      const isLost = inventory.lostAt !== undefined;
      this.change((change) => {
        if (node && !this.#isFlat) change.repaint(node);
        else if (this.#isFlat) change.resetRoots();
        else if (isLost !== wasLost) change.resetRoots();
      });
      wasLost = isLost;
    });
  }
}

interface EngineRowsOptions<R extends Rows> extends EngineNodeOptions {
  readonly engines: KnownEngines;
  readonly contextOf: (engine: KnownEngine) => RenderContext;
  readonly make: (engine: KnownEngine, top: TreeNode | undefined) => R;
  /** Whether the rows of several engines are in one list, instead of below a row for each engine. */
  readonly isFlat?: () => boolean;
}

interface Entry<R extends Rows> {
  readonly engine: KnownEngine;
  readonly rows: R;
  readonly node: EngineNode | undefined;
  readonly store: DisposableStore;
}

function withDescendants(node: TreeNode): readonly TreeNode[] {
  return [node, ...(node.children ?? []).flatMap(withDescendants)];
}
