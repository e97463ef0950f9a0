import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { RecordedBuild, type RecordedBuilds } from '../../builds/recordedBuilds.ts';
import type { BuildRun } from '../../builds/buildRun.ts';
import type { Builds } from '../../builds/builds.ts';
import type { RecordedFailures } from '../../builds/recordedFailures.ts';
import type { ShownBuild } from '../../builds/shownBuild.ts';
import type { KnownEngines } from '../../inventory/knownEngine.ts';
import { DisposableStore, type Disposable, toDisposable } from '../../base/lifetime.ts';
import { monotonicClock, wallClock, type Clock } from '../../base/time.ts';
import { AgeTimer } from '../ageTimer.ts';
import { loadStateOf } from '../engines/engineState.ts';
import { formatCount, formatLine } from '../format.ts';
import type { LazyTree, TreeSource } from '../lazyTree.ts';
import { RefreshQueue, TreeRowsChange } from '../rows.ts';
import { treeItem, treeTooltip } from '../treeItem.ts';
import type { TreeNode } from '../treeNode.ts';
import {
  BuildErrorNode,
  BuildNode,
  BuildNoteNode,
  BuildRow,
  StageNode,
  type BuildNote,
} from './buildNode.ts';
import type { BuildTexts } from './presentBuild.ts';

/** Interval at which the time of a running build is updated, in milliseconds. */
const TICK_MS = 1000;

/** The rows of the view `gantry.builds`: the builds of this window, and those in the history of the engines. */
export class BuildsTree implements TreeSource, Disposable {
  readonly #tree: Pick<LazyTree, 'view'>;
  readonly #parts: BuildsTreeParts;
  readonly #texts: BuildTexts;
  readonly #store = new DisposableStore();
  readonly #queue: RefreshQueue;
  readonly #ages: AgeTimer;
  /** Resources open while the view is visible. */
  #visible: DisposableStore | undefined;
  /** The histories that are followed. */
  readonly #watched = new Map<RecordedBuilds, Disposable>();
  #nodes = new Map<string, BuildNode>();
  /** The rows of the first level that VS Code was told of last. */
  #roots: readonly BuildRow[] = [];
  readonly #revealed = new WeakSet<BuildRun>();
  /** The engines without a history when the rows were made. */
  #limitedBefore: string | undefined;
  /** The value of the context key; undefined if it is that of an earlier extension host. */
  #wasLoaded: boolean | undefined;
  /** Pending while a build runs and the view is visible. */
  #ticking: Disposable | undefined;

  constructor(tree: Pick<LazyTree, 'refresh' | 'view'>, parts: BuildsTreeParts) {
    this.#tree = tree;
    this.#parts = parts;
    const { builds, engines, clock = monotonicClock, wall = wallClock } = parts;
    this.#queue = this.#store.add(
      new RefreshQueue(clock, (refresh) => tree.refresh(refresh === 'all' ? undefined : refresh)),
    );
    this.#ages = this.#store.add(new AgeTimer(wall, (rows) => this.#queue.repaint(rows)));
    const engineName = (id: string): string | undefined =>
      engines.areSeveral ? engines.get(id)?.name : undefined;
    const isInterrupted = (ref: string): boolean => parts.work?.isInterruptedBuild(ref) === true;
    this.#texts = { now: () => wall.now(), isInterrupted, engineName };
    this.#store.listen(builds.onDidChange, (changed) => {
      this.#update(changed);
      this.#revealFailures(changed);
    });
    this.#store.listen(engines.onDidChange, () => this.#watch());
    this.#store.listen(engines.onDidChangeInventory, () => this.#watch());
    this.#store.listen(tree.view.onDidChangeVisibility, ({ visible }) => this.#see(visible));
    this.#see(tree.view.visible);
  }

  async childrenOf(node: TreeNode | undefined): Promise<readonly TreeNode[]> {
    if (!node) return (this.#roots = this.#makeRoots());
    if (node instanceof BuildNode && node.build instanceof RecordedBuild) {
      try {
        await node.build.open();
      } catch (error) {
        return [new BuildErrorNode(node, this.#parts.describe(error))];
      }
    }
    return node.children ?? [];
  }

  itemOf(node: TreeNode): vscode.TreeItem {
    const { None, Expanded, Collapsed } = vscode.TreeItemCollapsibleState;
    if (!(node instanceof BuildRow)) throw new TypeError('not a row of this view');
    const isOpen = node instanceof BuildNode ? this.#isOpen(node) : node instanceof StageNode;
    const fold = !node.children ? None : isOpen ? Expanded : Collapsed;
    const look = node.present(this.#texts);
    this.#ages.record(node, look.age);
    return treeItem(node.id, look, fold);
  }

  tooltipOf(node: TreeNode): vscode.MarkdownString {
    return treeTooltip(node instanceof BuildRow ? node.tooltip() : []);
  }

  dispose(): void {
    this.#visible?.dispose();
    this.#ticking?.dispose();
    this.#store.dispose();
  }

  /**
   * Repaints the rows of builds that have changed. All rows are asked for only if one of the first level was added,
   * removed or moved: until then VS Code knows none of them, and a menu that is open loses its row.
   */
  #update(changed: ReadonlySet<ShownBuild>): void {
    // The message and the count are those of a visible view.
    const roots = this.#visible ? this.#makeRoots() : [];
    const isSame =
      roots.length === this.#roots.length &&
      roots.every((row, index) => isSameRow(row, this.#roots[index]));
    const stale = [...this.#nodes.values()].filter(({ build }) => changed.has(build));
    if (this.#visible && isSame) this.#queue.repaint(stale);
    else this.#refreshAll();
  }

  #refreshAll(): void {
    const change = new TreeRowsChange();
    change.resetRoots();
    this.#queue.add(change);
  }

  #makeRoots(): readonly BuildRow[] {
    this.#showLoaded();
    const builds = this.#buildRows();
    const problems = this.#problems();
    const limited = this.#limited();
    this.#limitedBefore = limited?.message;
    this.#showCount(builds.length);
    // A message takes several lines above the rows.
    const hasRows = builds.length > 0 || problems.length > 0;
    this.#tree.view.message = hasRows ? undefined : limited?.message;
    const notes = hasRows && limited ? [new BuildNoteNode(limited)] : [];
    return [...problems.map((one) => new BuildNoteNode(one)), ...builds, ...notes];
  }

  #showCount(all: number): void {
    const count = formatCount({ shown: all, all });
    if ((this.#tree.view.description ?? '') !== count) this.#tree.view.description = count;
  }

  /** Newest first. A build of this window is in the history, too, and is shown once. */
  #buildRows(): readonly BuildNode[] {
    const own = this.#parts.builds.all;
    const isOwn = new Set(own.map(keyOf));
    const others = this.#histories().flatMap(({ all }) => all);
    const shown = [...own, ...others.filter((build) => !isOwn.has(keyOf(build)))];
    const nodes = new Map<string, BuildNode>();
    for (const build of shown.toSorted((a, b) => b.startedAt - a.startedAt)) {
      const known = this.#nodes.get(keyOf(build));
      nodes.set(
        keyOf(build),
        known?.build === build ? known : new BuildNode(build, this.#parts.describe),
      );
    }
    this.#nodes = nodes;
    this.#tick();
    return [...nodes.values()];
  }

  /** Returns whether a row is expanded: what runs or has failed in this window is shown with its steps. */
  #isOpen({ build }: BuildNode): boolean {
    return !(build instanceof RecordedBuild) && build.phase !== 'canceled';
  }

  /** Scrolls to the step at which a build of this window has failed. The selection stays. */
  #revealFailures(changed: ReadonlySet<BuildRun>): void {
    for (const run of changed) {
      if (run.phase !== 'failed' || this.#revealed.has(run)) continue;
      this.#revealed.add(run);
      if (!this.#visible) continue;
      this.#buildRows();
      const row = this.#nodes.get(keyOf(run))?.failedRow;
      // A row that was removed in the meantime cannot be revealed.
      if (row) void this.#tree.view.reveal(row, { select: false }).then(undefined, () => undefined);
    }
  }

  #see(isVisible: boolean): void {
    if (isVisible === (this.#visible !== undefined)) return;
    this.#ages.setVisible(isVisible);
    this.#visible?.dispose();
    this.#ticking?.dispose();
    this.#ticking = undefined;
    this.#visible = isVisible ? new DisposableStore() : undefined;
    this.#showLoaded();
    // The histories of a hidden view are not followed.
    if (!isVisible) this.#showCount(0);
    if (!isVisible) return;
    // It may be the only view that is open.
    this.#parts.engines.start();
    // Nothing is known of the engines before.
    this.#watch();
  }

  /** Updates the times of running builds for as long as there are some. */
  #tick(): void {
    if (!this.#visible || this.#ticking || this.#running().length === 0) return;
    const { clock = monotonicClock } = this.#parts;
    this.#ticking = clock.after(TICK_MS, () => {
      this.#ticking = undefined;
      const running = this.#running();
      this.#queue.repaint(running);
      this.#tick();
    });
  }

  #running(): readonly BuildNode[] {
    return [...this.#nodes.values()].filter(({ build }) => build.phase === 'running');
  }

  /** Says whether a view without rows means that there are no builds. A hidden view does not know. */
  #showLoaded(): void {
    const { engines, historyOf } = this.#parts;
    const isLoaded =
      this.#visible !== undefined &&
      engines.all.every(
        ({ id, inventory }) => historyOf(id)?.isLoaded ?? loadStateOf(inventory.phase) === 'known',
      );
    if (isLoaded === this.#wasLoaded) return;
    this.#wasLoaded = isLoaded;
    void vscode.commands.executeCommand('setContext', 'gantry.builds.isLoaded', isLoaded);
  }

  /** Listens to the histories of the engines that are connected now, while the view is visible. */
  #watch(): void {
    const visible = this.#visible;
    if (!visible) return;
    const histories = this.#histories();
    const fresh = histories.filter((one) => !this.#watched.has(one));
    const gone = [...this.#watched].filter(([one]) => !histories.includes(one));
    const limited = this.#limited()?.message;
    if (fresh.length > 0 || gone.length > 0 || limited !== this.#limitedBefore) this.#refreshAll();
    for (const [, watching] of gone) watching.dispose();
    for (const history of fresh) visible.add(this.#follow(history));
    this.#showLoaded();
  }

  #follow(history: RecordedBuilds): Disposable {
    const store = new DisposableStore();
    const stop = new AbortController();
    store.add(history.watch());
    store.listen(history.onDidChange, (changed) => {
      this.#update(changed);
      this.#lookAtFailures(stop.signal);
    });
    const watching = toDisposable(() => {
      this.#watched.delete(history);
      stop.abort();
      store.dispose();
    });
    this.#watched.set(history, watching);
    return watching;
  }

  #lookAtFailures(signal: AbortSignal): void {
    const builds = this.#histories().flatMap(({ all }) => all);
    void this.#parts.failures.look(builds, signal);
  }

  #histories(): readonly RecordedBuilds[] {
    const { engines, historyOf } = this.#parts;
    return engines.all.flatMap(({ id }) => historyOf(id) ?? []);
  }

  /** Returns what to say if a connected engine keeps no history. */
  #limited(): BuildNote | undefined {
    const { engines, historyOf } = this.#parts;
    const live = engines.all.filter(({ inventory }) => inventory.phase.kind === 'live');
    const limited = live.filter(({ id }) => !historyOf(id));
    const [first] = limited;
    if (!first) return undefined;
    const names = limited.map(({ name }) => name).join(', ');
    const areAll = limited.length === engines.all.length;
    const message = areAll
      ? limitedMessage()
      : l10n.t('No build history: {0}. Only builds started in this window are shown.', names);
    const label = l10n.t('No build history');
    const description = areAll ? '' : names;
    return { kind: 'limited', engine: first.id, label, description, message };
  }

  /** Returns what to say of the histories that cannot be read. */
  #problems(): readonly BuildNote[] {
    const { engines, historyOf, describe } = this.#parts;
    return engines.all.flatMap(({ id }) => {
      const problem = historyOf(id)?.problem;
      if (problem === undefined) return [];
      const message = l10n.t('Could not read the build history. {0}', describe(problem));
      const description = this.#texts.engineName?.(id) ?? '';
      return [{ kind: 'failed', engine: id, label: formatLine(message), description, message }];
    });
  }
}

export interface BuildsTreeParts {
  readonly builds: Pick<Builds, 'all' | 'onDidChange'>;
  /** Returns the history of an engine, if it is connected and has one. */
  readonly historyOf: (engine: string) => RecordedBuilds | undefined;
  readonly engines: KnownEngines & {
    start(): void;
  };
  /** Shows why builds of other clients failed, as long as they can be seen here. */
  readonly failures: Pick<RecordedFailures, 'look'>;
  /** Returns the error message to show to the user. */
  readonly describe: (error: unknown) => string;
  /** Knows which builds the end of an earlier window has canceled. */
  readonly work?: { isInterruptedBuild(ref: string): boolean };
  readonly clock?: Clock;
  /** For the ages of builds. */
  readonly wall?: Clock;
}

function isSameRow(row: BuildRow, other: BuildRow | undefined): boolean {
  const isNote = row instanceof BuildNoteNode && other instanceof BuildNoteNode;
  return row === other || (isNote && row.says(other));
}

function keyOf({ engine, ref }: ShownBuild): string {
  return `${engine} ${ref}`;
}

function limitedMessage(): string {
  return l10n.t(
    'This engine keeps no build history. Only builds started in this window are shown.',
  );
}
