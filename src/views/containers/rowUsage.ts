import { hasProcess } from '../../engine/model.ts';
import type { KnownEngine, KnownEngines } from '../../inventory/knownEngine.ts';
import type { Reading } from '../../statistics/reading.ts';
import type { Statistics } from '../../statistics/statistics.ts';
import { DisposableStore, type Disposable, type Event } from '../../base/lifetime.ts';
import type { Clock } from '../../base/time.ts';
import type { EngineRows } from '../engines/engineRows.ts';
import { GroupNode, type TreeNode } from '../treeNode.ts';
import { ContainerNode, ProjectNode, ServiceNode } from './containerNode.ts';
import type { ContainerRows } from './containerRows.ts';
import { formatUsage } from './formatUsage.ts';

/**
 * What the containers with a row use. Read only while the view is visible and the window is in use: no request is sent
 * otherwise.
 */
export class RowUsage implements Disposable {
  readonly #options: RowUsageOptions;
  readonly #store = new DisposableStore();
  readonly #engines = new Map<KnownEngine, ReadEngine>();
  #isAway = false;
  #leaving: Disposable | undefined;

  constructor(options: RowUsageOptions) {
    this.#options = options;
    const { engines, window } = options;
    this.#isAway = !window.isFocused();
    this.#store.listen(window.onDidChangeFocus, () => this.#followFocus());
    this.#store.listen(engines.onDidChange, () => this.update());
    this.update();
  }

  /** Reads what should be read: call it when the view is shown or hidden, or one of its rows is opened or folded. */
  update(): void {
    const { engines, isVisible } = this.#options;
    const wanted = new Set(isVisible() && !this.#isAway ? engines.all : []);
    for (const engine of this.#engines.keys()) if (!wanted.has(engine)) this.#close(engine);
    for (const read of this.#engines.values()) read.shown = undefined;
    for (const engine of wanted) if (!this.#engines.has(engine)) void this.#open(engine);
  }

  /** Returns what containers use together; empty if not all that run were read, or none runs. */
  format(engine: string, ids: readonly string[]): string {
    const { inventory } = this.#options.engines.get(engine) ?? {};
    if (!inventory || inventory.lostAt !== undefined) return '';
    // One that waits for its next start uses nothing.
    const running = ids.filter((id) => {
      const container = inventory.containers.get(id);
      return container !== undefined && hasProcess(container);
    });
    const readings = running.map((id) => this.readingOf(engine, id));
    if (readings.length === 0 || !readings.every((one) => one !== undefined)) return '';
    const { statistics } = this.#readOf(engine) ?? {};
    return formatUsage(
      readings,
      running.some((id) => statistics?.isOld(id)),
    );
  }

  /** Returns the last reading of a container, as long as it is read again and again. */
  readingOf(engine: string, id: string): Reading | undefined {
    return this.#readOf(engine)?.statistics?.currentOf(id);
  }

  dispose(): void {
    this.#leaving?.dispose();
    for (const engine of this.#engines.keys()) this.#close(engine);
    this.#store.dispose();
  }

  #readOf(engine: string): ReadEngine | undefined {
    const one = this.#options.engines.get(engine);
    return one && this.#engines.get(one);
  }

  #close(engine: KnownEngine): void {
    const read = this.#engines.get(engine);
    this.#engines.delete(engine);
    read?.store.dispose();
    if (!read?.statistics) return;
    // What nobody reads any more is no longer shown, also by rows that were made since the last reading.
    const made = this.#usingRows(engine.id, this.#shownIds(engine.id));
    this.#options.repaint([...new Set([...read.texts.keys(), ...made])]);
  }

  async #open(engine: KnownEngine): Promise<void> {
    const read: ReadEngine = { store: new DisposableStore(), texts: new Map() };
    this.#engines.set(engine, read);
    const statistics = await this.#options.statisticsOf(engine.id);
    if (!statistics || this.#engines.get(engine) !== read) return;
    read.statistics = statistics;
    read.store.listen(statistics.onDidRead, (ids) => this.#repaint(engine.id, read, ids));
    read.store.listen(this.#options.rows.onDidChange, ({ gone }) => {
      read.shown = undefined;
      for (const node of gone) read.texts.delete(node);
    });
    const ids = (): Iterable<string> => (read.shown ??= this.#shownIds(engine.id));
    read.store.add(statistics.watch({ ids, interval: ROW_MS }));
    const selected = (): Iterable<string> => this.#selectedIds(engine.id);
    read.store.add(statistics.watch({ ids: selected, interval: SELECTED_MS }));
  }

  #followFocus(): void {
    const { window, clock } = this.#options;
    if (!window.isFocused()) {
      // The event also fires for other changes of the window.
      this.#leaving ??= clock.after(AWAY_MS, () => {
        this.#isAway = true;
        this.update();
      });
      return;
    }
    this.#leaving?.dispose();
    this.#leaving = undefined;
    if (!this.#isAway) return;
    this.#isAway = false;
    this.update();
  }

  /** Returns the containers that have a row in an expanded group; of very many only those that the user has named. */
  #shownIds(engine: string): readonly string[] {
    const shown: ContainerNode[] = [];
    const add = (nodes: readonly TreeNode[]): void => {
      for (const node of nodes) {
        if (shown.length > MOST_ROWS) return;
        if (node instanceof ContainerNode) {
          if (node.engine === engine && node.isUp) shown.push(node);
          // A service shows the sum of its containers, also if it is folded.
        } else if (node instanceof ServiceNode || this.#options.isOpen(node))
          add(node.children ?? []);
      }
    };
    const { rows, isPinned } = this.#options;
    add(rows.roots);
    if (shown.length <= MOST_ROWS) return shown.map(({ container }) => container.id);
    const pinned: string[] = [];
    rows.each((one) => {
      if (one.engine !== engine) return;
      for (const node of one.all) if (node.isUp && isPinned(node)) pinned.push(node.container.id);
    });
    return pinned.slice(0, MOST_ROWS);
  }

  #selectedIds(engine: string): readonly string[] {
    const selected = this.#options.selection().filter((node) => node.engine === engine);
    const containers = selected.filter((node) => node instanceof ContainerNode);
    return containers.slice(0, MOST_SELECTED).map(({ container }) => container.id);
  }

  /** Returns the rows of containers, and of their services and projects. */
  #usingRows(engine: string, ids: readonly string[]): ReadonlySet<UsingNode> {
    const using = new Set<UsingNode>();
    for (const id of ids) {
      const node = this.#options.rows.find(id, undefined, engine);
      for (let one = node; one; one = one.parent) if (isUsing(one)) using.add(one);
    }
    return using;
  }

  #repaint(engine: string, { texts }: ReadEngine, ids: readonly string[]): void {
    const { rows, repaint } = this.#options;
    const changed = [...this.#usingRows(engine, ids)].filter((node) => {
      const text = this.format(engine, idsOf(node));
      const isSame = (texts.get(node) ?? '') === text;
      texts.set(node, text);
      return !isSame;
    });
    if (changed.length > 0) repaint(changed);
    rows.each((one) => {
      if (one.engine === engine) one.resort(ids);
    });
  }
}

interface ReadEngine {
  readonly store: DisposableStore;
  /** The text that each row has shown last. A row is painted again only if it changes. */
  readonly texts: Map<TreeNode, string>;
  /** The containers to read, until rows change. */
  shown?: readonly string[] | undefined;
  statistics?: Statistics;
}

export interface RowUsageOptions {
  readonly engines: KnownEngines;
  readonly rows: EngineRows<ContainerRows>;
  /** Resolves to the statistics of an engine by its ID; undefined if there is no such engine. */
  readonly statisticsOf: (engine: string) => Promise<Statistics | undefined>;
  readonly isVisible: () => boolean;
  /** Whether the rows below a row are shown. */
  readonly isOpen: (node: TreeNode) => boolean;
  readonly isPinned: (node: ContainerNode) => boolean;
  readonly selection: () => readonly TreeNode[];
  readonly repaint: (nodes: readonly TreeNode[]) => void;
  readonly window: { readonly isFocused: () => boolean; readonly onDidChangeFocus: Event<unknown> };
  readonly clock: Clock;
}

const ROW_MS = 5000;
const SELECTED_MS = 2000;
/** Up to so many containers are read. */
const MOST_ROWS = 40;
const MOST_SELECTED = 5;
/** Time without focus after which nobody is assumed to look. */
const AWAY_MS = 60_000;

type UsingNode = ContainerNode | ServiceNode | ProjectNode;

function isUsing(node: TreeNode): node is UsingNode {
  return (
    node instanceof ContainerNode || node instanceof ServiceNode || node instanceof ProjectNode
  );
}

function idsOf(node: TreeNode): readonly string[] {
  if (node instanceof ContainerNode) return [node.container.id];
  return node instanceof GroupNode ? node.children.flatMap(idsOf) : [];
}
