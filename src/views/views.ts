import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { CandidateOrigin } from '../engine/discovery/endpointCandidate.ts';
import { reportsNetworks, type Phase } from '../inventory/phase.ts';
import type { NetworkMember } from '../inventory/membersOf.ts';
import type { KnownEngine, KnownEngines } from '../inventory/knownEngine.ts';
import { DisposableStore, type Disposable, type Memento } from '../base/lifetime.ts';
import { wallClock } from '../base/time.ts';
import { settings } from '../base/settings.ts';
import { canHaveDevContainers, DEV_CONTAINERS } from '../base/devContainers.ts';
import { formatCount } from './format.ts';
import { isMeasured, type ArrangedView } from './arrangement/arrangements.ts';
import type { EngineRows } from './engines/engineRows.ts';
import { Folds } from './folds.ts';
import type { Rows } from './rows.ts';
import type { RowKind, TreeNode } from './treeNode.ts';
import { TreeViewHost, type TreeViewHostOptions } from './treeViewHost.ts';
import {
  engineLostMessage,
  engineSourceOf,
  gantryStateOf,
  unlistedMessage,
  unreachableMessage,
  loadStateOfList,
  networksMessage,
  volumesMessage,
} from './engines/engineState.ts';
import type { DraggedContainers } from './draggedContainers.ts';
import { ContainerNode } from './containers/containerNode.ts';
import { MemberNode, NetworkNode } from './networks/networkNode.ts';
import { LateUsage } from './containers/lateUsage.ts';
import type { RowUsageOptions } from './containers/rowUsage.ts';
import { visibleList } from './visibleList.ts';
import { ViewRows, type ViewRowsOptions } from './viewRows.ts';

/**
 * The views of containers, images, volumes and networks, with their messages, descriptions, badge, and context keys.
 */
export class Views implements Disposable {
  readonly #options: ViewsOptions;
  readonly #store = new DisposableStore();
  /** The rows of the views. */
  readonly rows: ViewRows;
  readonly #folds: Folds;
  readonly #hosts: Readonly<Record<ArrangedView, TreeViewHost>>;
  readonly #usage: LateUsage;
  #lastUsed: `${ViewKind}s` = 'containers';
  #reported = new Map<string, unknown>();

  constructor(options: ViewsOptions) {
    this.#options = options;
    this.#folds = new Folds(options.foldMemory);
    this.rows = this.#store.add(new ViewRows(options));
    this.#hosts = {
      containers: this.#open('containers', this.rows.containers, true, { commandOf }),
      images: this.#open('images', this.rows.images, false),
      volumes: this.#openList('volumes', this.rows.volumes),
      networks: this.#openList('networks', this.rows.networks),
    };
    this.#usage = this.#store.add(this.#openUsage());
    this.rows.usage = this.#usage;
    this.#listen();
    this.#showState();
    this.#showUsage();
  }

  /** Returns the selected rows of a visible view if it was used last or is known to have the focus. */
  selection(kind: ViewKind, isFocused: boolean): readonly TreeNode[] {
    const view = `${kind}s` as const;
    if (!isFocused && this.#lastUsed !== view) return [];
    if (view !== 'builds') return this.#hosts[view].selection;
    const { visible, selection } = this.#options.builds;
    return visible ? selection : [];
  }

  /** See {@link TreeViewHost.reveal}. */
  reveal(engine: string, id: string, reference?: string): void {
    const host = this.#hosts[id.startsWith('sha256:') ? 'images' : 'containers'];
    host.reveal(engine, id, reference);
  }

  dispose(): void {
    this.#store.dispose();
  }

  /** Opens a view of a list that is requested only while the view is visible. */
  #openList<R extends Rows>(name: 'volumes' | 'networks', rows: EngineRows<R>): TreeViewHost {
    const host = this.#open(name, rows, name === 'networks', {
      stateOf: ({ inventory }) => loadStateOfList(inventory[name].state, inventory.phase),
      ...(name === 'networks' && {
        onDrop: this.#connect.bind(this),
        onExpand: this.#loadAliases.bind(this),
      }),
    });
    const list = visibleList(this.#options.engines, ({ inventory }) => {
      if (name === 'networks' && !reportsNetworks(inventory.phase)) inventory.networks.markStale();
      return inventory[name].look();
    });
    this.#store.add(list);
    this.#store.listen(host.onDidChangeVisibility, (isVisible) => {
      list.setVisible(isVisible);
      this.#showCounts();
    });
    return host;
  }

  #openUsage(): LateUsage {
    const { containers: host } = this.#hosts;
    const { engines, pins, statisticsOf } = this.#options;
    const usage = new LateUsage({
      engines,
      rows: this.rows.containers,
      statisticsOf,
      isVisible: () => host.isVisible,
      isOpen: (node) => host.isOpen(node),
      isPinned: ({ pin }) => pins.has(pin),
      selection: () => host.selection,
      repaint: (nodes) => host.repaint(nodes),
      window: {
        isFocused: () => vscode.window.state.focused,
        onDidChangeFocus: vscode.window.onDidChangeWindowState,
      },
      clock: wallClock,
    });
    this.#store.listen(host.onDidChangeVisibility, () => usage.update());
    this.#store.listen(host.onDidFold, () => usage.update());
    return usage;
  }

  /** Shows what containers use if it is set, or if they are sorted by it. */
  readonly #showUsage = (): void => {
    const { sortBy } = this.#options.arrangements.of('containers');
    const isShown = settings.containerStatistics() || isMeasured(sortBy);
    this.#setContext('gantry.containers.hasStatistics', isShown);
    void this.#usage.show(isShown);
  };

  #open<R extends Rows>(
    name: ArrangedView,
    rows: EngineRows<R>,
    canFold: boolean,
    more: Pick<TreeViewHostOptions, 'stateOf' | 'onDrop' | 'onExpand' | 'commandOf'> = {},
  ): TreeViewHost {
    const { engines, arrangements } = this.#options;
    const isFiltered = (): boolean => arrangements.of(name).filter !== '';
    const folding = { folds: this.#folds, showCollapseAll: canFold, isFiltered };
    const options = { rows, engines, ...folding, ...more };
    const pane = this.#store.add(new TreeViewHost(`gantry.${name}`, options));
    this.#store.listen(pane.onDidUse, () => this.#use(name));
    return pane;
  }

  /** Connects containers that were dropped on a network. */
  #connect(target: TreeNode, { engine, ids }: DraggedContainers): void {
    const network = target instanceof MemberNode ? target.network : target;
    const rows = ids.flatMap((id) => this.rows.containers.find(id, undefined, engine) ?? []);
    if (!(network instanceof NetworkNode) || network.engine !== engine || rows.length === 0) return;
    this.#options.connect([network, ...rows]);
  }

  #loadAliases(node: TreeNode): Promise<readonly TreeNode[]> | undefined {
    const { engines, aliasesOf } = this.#options;
    const engine = engines.get(node.engine);
    if (!engine || !(node instanceof NetworkNode)) return undefined;
    return node.loadAliases((member) => aliasesOf(engine, member));
  }

  #use(name: `${ViewKind}s`): void {
    this.#lastUsed = name;
    this.#options.engines.start();
  }

  #listen(): void {
    const { engines, preferred, builds } = this.#options;
    this.#store.listen(builds.onDidChangeVisibility, ({ visible }) => {
      if (visible) this.#use('builds');
    });
    this.#store.listen(builds.onDidChangeSelection, () => this.#use('builds'));
    this.#store.listen(preferred.onDidChange, () => {
      const { containers, images, volumes, networks } = this.rows;
      for (const rows of [containers, images, volumes, networks]) rows.repaintEngines();
    });
    // Registered after the rows, so that VS Code receives the rows before the message, which can wait.
    this.#store.listen(engines.onDidChangeInventory, this.#showState);
    this.#store.listen(engines.onDidChange, this.#showState);
    // A stopped container that is hidden gets its row back while it restarts.
    this.#store.listen(this.rows.containers.onDidChange, () => {
      this.#hosts.containers.setDescription(this.#containerCount());
    });
    const { arrangements } = this.#options;
    this.#store.listen(arrangements.onDidChange, (view) => {
      this.rows.arrange(view);
      this.#showState();
      this.#showUsage();
    });
    this.#store.add(
      settings.onDidChange('containers.hideStopped', () => {
        arrangements.reset('containers', 'isHiding');
      }),
    );
    this.#store.add(settings.onDidChange('containers.statistics', this.#showUsage));
    this.#store.add(
      settings.onDidChange('containers.openOnClick', () => this.#hosts.containers.repaintAll()),
    );
    this.#store.add(
      settings.onDidChange('images', () => {
        arrangements.reset('images', 'groupBy', 'sortBy', 'isHiding');
      }),
    );
  }

  /** Shows next to the title of each view how many objects it has, as far as that is known. */
  #showCounts(): void {
    const { containers, images, volumes, networks } = this.#hosts;
    images.setDescription(this.#countOf('images'));
    containers.setDescription(this.#containerCount());
    // The list of a hidden view is not kept up to date.
    volumes.setDescription(volumes.isVisible ? this.#countOf('volumes') : '');
    networks.setDescription(networks.isVisible ? this.#countOf('networks') : '');
  }

  #countOf(view: ArrangedView): string {
    const { filter } = this.#options.arrangements.of(view);
    return formatCount({ ...this.rows.countRows(view), filter });
  }

  /** Without rows, the welcome content explains how to get an engine: its address, if it was configured. */
  #containerCount(): string {
    const { engines } = this.#options;
    const [only] = engines.areSeveral ? [] : engines.all;
    const phase = only?.inventory.phase;
    if (this.rows.containers.size > 0 || phase?.kind !== 'lost') return this.#countOf('containers');
    const found = only?.engine.attempts[0]?.candidate.found;
    return engineSourceOf(found) === '' ? '' : (phase.error.endpoint ?? '');
  }

  /** Updates everything around the rows. If there are several engines, each row shows the state of its engine. */
  readonly #showState = (): void => {
    const { engines } = this.#options;
    const { containers, images, volumes, networks } = this.#hosts;
    const troubled = engines.all.reduce((sum, { inventory }) => sum + inventory.troubledCount, 0);
    const [only] = engines.areSeveral ? [] : engines.all;
    const phase = only?.inventory.phase;
    const error = phase?.kind === 'lost' ? phase.error : undefined;
    const found = only?.engine.attempts[0]?.candidate.found;
    const source = error ? engineSourceOf(found) : '';
    this.#setContext('gantry.state', phase ? gantryStateOf(phase, found) : 'ready');
    this.#setContext('gantry.isLost', error !== undefined);
    this.#setContext('gantry.engineSource', source);
    this.#setContext('gantry.severalEngines', engines.areSeveral);
    const isThere = vscode.extensions.getExtension(DEV_CONTAINERS) !== undefined;
    this.#setContext('gantry.canAttachEditor', canHaveDevContainers(vscode.env, isThere));
    for (const view of ['containers', 'images', 'volumes', 'networks'] as const) {
      const { filter, isHiding } = this.#options.arrangements.of(view);
      this.#setContext(`gantry.${view}.isFiltered`, filter !== '');
      this.#setContext(`gantry.${view}.isHiding`, isHiding);
    }
    this.#showCounts();
    this.#setContext('gantry.volumes.isLoading', only?.inventory.volumes.state === 'unknown');
    this.#setContext('gantry.networks.isLoading', only?.inventory.networks.state === 'unknown');
    containers.setBadge(troubled, l10n.t('{0} unhealthy or restarting', troubled));
    // An empty view shows its welcome content, which a message would hide.
    const hasContainers = this.rows.containers.size > 0;
    containers.setMessage(hasContainers && error ? engineLostMessage(error) : '');
    images.setMessage(this.#imageMessage(phase, found));
    volumes.setMessage(only ? volumesMessage(only.inventory) : '');
    networks.setMessage(only ? networksMessage(only.inventory) : '');
  };

  #imageMessage(phase: Phase | undefined, found: CandidateOrigin | undefined): string {
    // Images that cannot be listed do not mean that there are none, so the message also replaces the welcome content.
    if (phase?.kind !== 'lost') return phase ? unlistedMessage(phase) : '';
    if (this.rows.images.size === 0) return unreachableMessage(phase.error, found);
    // Do not repeat the message of the Containers view.
    return this.rows.containers.size > 0 ? '' : engineLostMessage(phase.error);
  }

  #setContext(key: string, value: unknown): void {
    if (this.#reported.get(key) === value) return;
    this.#reported.set(key, value);
    void vscode.commands.executeCommand('setContext', key, value);
  }
}

/** By default a row has no command, so that a click only selects it. */
function commandOf(node: TreeNode): vscode.Command | undefined {
  if (!(node instanceof ContainerNode) || settings.openOnClick() === 'nothing') return undefined;
  // Without arguments: VS Code keeps them for a row only until it is drawn again, and a click meanwhile is an error.
  return { command: 'gantry.containers.openRow', title: '' };
}

export interface ViewsOptions extends ViewRowsOptions {
  readonly engines: KnownEngines & { start(): void };
  /** The view of builds, whose rows are loaded later. */
  readonly builds: Pick<
    vscode.TreeView<TreeNode>,
    'visible' | 'selection' | 'onDidChangeVisibility' | 'onDidChangeSelection'
  >;
  /** Connects containers to a network, by their rows. */
  readonly connect: (rows: readonly TreeNode[]) => void;
  /** Resolves to the statistics of an engine by its ID; undefined if there is no such engine. */
  readonly statisticsOf: RowUsageOptions['statisticsOf'];
  readonly aliasesOf: (engine: KnownEngine, member: NetworkMember) => Promise<readonly string[]>;
  /** Stores which rows are collapsed. */
  readonly foldMemory: Memento;
}

/** Kind of the rows of a view here; the Files view is a room of its own. */
type ViewKind = Exclude<RowKind, 'file'>;
