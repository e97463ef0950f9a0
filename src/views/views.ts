import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { CandidateOrigin } from '../engine/discovery/endpointCandidate.ts';
import { reportsNetworks, type Phase } from '../inventory/phase.ts';
import type { NetworkMember } from '../inventory/membersOf.ts';
import type { KnownEngine, KnownEngines } from '../inventory/knownEngine.ts';
import { DisposableStore, type Disposable, type Event, type Memento } from '../base/lifetime.ts';
import type { Orphans } from '../projects/orphans.ts';
import { settings } from '../base/settings.ts';
import { canCheckNewer, type NewerImages } from '../registries/transfers/newerImages.ts';
import type { Transfers } from '../registries/transfers/transfers.ts';
import { formatCount } from './format.ts';
import type { ImageArrangement } from './images/imageArrangement.ts';
import { ContainerRows } from './containers/containerRows.ts';
import { EngineRows } from './engines/engineRows.ts';
import { Folds } from './folds.ts';
import { ImageRows } from './images/imageRows.ts';
import type { RenderContext } from './rowPresentation.ts';
import type { Rows } from './rows.ts';
import type { RowKind, TargetKind, TreeNode } from './treeNode.ts';
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
  containersNote,
  imagesNote,
  networksNote,
  volumesNote,
} from './engines/engineState.ts';
import type { DraggedContainers } from './draggedContainers.ts';
import { MemberNode, NetworkNode } from './networks/networkNode.ts';
import { NetworkRows } from './networks/networkRows.ts';
import { TransferRows } from './transfers/transferRows.ts';
import { visibleList } from './visibleList.ts';
import { VolumeRows } from './volumes/volumeRows.ts';

/**
 * The views of containers, images, volumes and networks, with their messages, descriptions, badge, and context keys.
 */
export class Views implements Disposable {
  readonly #options: ViewsOptions;
  readonly #store = new DisposableStore();
  readonly #containerRows: EngineRows<ContainerRows>;
  readonly #imageRows: EngineRows<TransferRows>;
  readonly #volumeRows: EngineRows<VolumeRows>;
  readonly #networkRows: EngineRows<NetworkRows>;
  readonly #folds: Folds;
  readonly #hosts: Readonly<Record<ViewName, TreeViewHost>>;
  #lastUsed: `${RowKind}s` = 'containers';
  #imageFilter = '';
  #reported = new Map<string, unknown>();

  constructor(options: ViewsOptions) {
    this.#options = options;
    this.#folds = new Folds(options.foldMemory);
    this.#containerRows = this.#rowsOf(
      (engine) => containersNote(engine, settings.hideStopped()),
      (engine, top) =>
        new ContainerRows(engine.id, this.#contextOf(engine), settings.hideStopped(), top),
    );
    this.#imageRows = this.#rowsOf(
      (engine) => imagesNote(engine, this.#imageFilter),
      (engine, top) => this.#imagesOf(engine, top),
    );
    this.#volumeRows = this.#rowsOf(
      volumesNote,
      (engine, top) => new VolumeRows(engine.id, this.#contextOf(engine), top),
    );
    this.#networkRows = this.#rowsOf(
      networksNote,
      (engine, top) => new NetworkRows(engine.id, this.#contextOf(engine), top),
    );
    this.#hosts = {
      containers: this.#open('containers', this.#containerRows, true),
      images: this.#open('images', this.#imageRows, false),
      volumes: this.#openList('volumes', this.#volumeRows),
      networks: this.#openList('networks', this.#networkRows),
    };
    this.#listen();
    this.#showState();
  }

  /** Text that the shown images contain in their names; empty for all images. */
  get imageFilter(): string {
    return this.#imageFilter;
  }

  set imageFilter(filter: string) {
    if (filter === this.#imageFilter) return;
    this.#imageFilter = filter;
    this.#arrange();
  }

  /** Returns the selected rows of a visible view if it was used last or is known to have the focus. */
  selection(kind: RowKind, isFocused: boolean): readonly TreeNode[] {
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

  get #arrangement(): ImageArrangement {
    return { ...settings.images(), filter: this.#imageFilter };
  }

  readonly #arrange = (): void => {
    const arrangement = this.#arrangement;
    this.#imageRows.each((rows) => rows.own.arrange(arrangement));
    // The message below an engine without images depends on the filter.
    this.#imageRows.repaintEngines();
    this.#showState();
  };

  #contextOf(engine: KnownEngine): RenderContext {
    const { id, inventory, activity } = engine;
    const { newer, orphans } = this.#options;
    return {
      inventory,
      activity,
      now: Date.now,
      orphans: orphans.of(engine),
      freshness: (image, reference) => {
        if (!canCheckNewer(inventory.phase)) return undefined;
        return newer.isNewer({ engine: id, reference }, image) ? 'newer' : 'askable';
      },
    };
  }

  #imagesOf(engine: KnownEngine, top: TreeNode | undefined): TransferRows {
    const { transfers, newer, describe } = this.#options;
    const own = new ImageRows(engine.id, this.#contextOf(engine), top, this.#arrangement);
    return new TransferRows(own, { transfers, newer, describe });
  }

  #rowsOf<R extends Rows>(
    whenEmpty: (engine: KnownEngine) => string,
    make: (engine: KnownEngine, top: TreeNode | undefined) => R,
  ): EngineRows<R> {
    const { engines, preferred } = this.#options;
    const isPreferred = ({ id }: KnownEngine): boolean => id === preferred.id;
    const contextOf = (engine: KnownEngine): RenderContext => this.#contextOf(engine);
    return this.#store.add(new EngineRows({ engines, make, contextOf, isPreferred, whenEmpty }));
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

  #open<R extends Rows>(
    name: ViewName,
    rows: EngineRows<R>,
    canFold: boolean,
    more: Pick<TreeViewHostOptions, 'stateOf' | 'onDrop' | 'onExpand'> = {},
  ): TreeViewHost {
    const { engines } = this.#options;
    const options = { rows, engines, folds: this.#folds, showCollapseAll: canFold, ...more };
    const pane = this.#store.add(new TreeViewHost(`gantry.${name}`, options));
    this.#store.listen(pane.onDidUse, () => this.#use(name));
    return pane;
  }

  /** Connects containers that were dropped on a network. */
  #connect(target: TreeNode, { engine, ids }: DraggedContainers): void {
    const network = target instanceof MemberNode ? target.network : target;
    const rows = ids.flatMap((id) => this.#containerRows.find(id, undefined, engine) ?? []);
    if (!(network instanceof NetworkNode) || network.engine !== engine || rows.length === 0) return;
    this.#options.connect([network, ...rows]);
  }

  #loadAliases(node: TreeNode): Promise<readonly TreeNode[]> | undefined {
    const { engines, aliasesOf } = this.#options;
    const engine = engines.get(node.engine);
    if (!engine || !(node instanceof NetworkNode)) return undefined;
    return node.loadAliases((member) => aliasesOf(engine, member));
  }

  #use(name: `${RowKind}s`): void {
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
      const all = [this.#containerRows, this.#imageRows, this.#volumeRows, this.#networkRows];
      for (const rows of all) rows.repaintEngines();
    });
    // Registered after the rows, so that VS Code receives the rows before the message, which can wait.
    this.#store.listen(engines.onDidChangeInventory, this.#showState);
    this.#store.listen(engines.onDidChange, this.#showState);
    // A stopped container that is hidden gets its row back while it restarts.
    this.#store.listen(this.#containerRows.onDidChange, () => {
      this.#hosts.containers.setDescription(this.#containerCount());
    });
    this.#store.add(
      settings.onDidChange('containers.hideStopped', () => {
        const hideStopped = settings.hideStopped();
        this.#containerRows.each((rows) => rows.setHideStopped(hideStopped));
        this.#showState();
      }),
    );
    this.#store.add(settings.onDidChange('images', this.#arrange));
  }

  /** Shows next to the title of each view how many objects it has, as far as that is known. */
  #showCounts(): void {
    const { containers, images, volumes, networks } = this.#hosts;
    let total = 0;
    this.#imageRows.each(({ own }) => {
      total += own.total;
    });
    const counted = { shown: this.#imageRows.size, all: total, filter: this.#imageFilter };
    images.setDescription(formatCount(counted));
    containers.setDescription(this.#containerCount());
    for (const [host, { size }] of [
      [volumes, this.#volumeRows],
      [networks, this.#networkRows],
    ] as const) {
      // The list of a hidden view is not kept up to date.
      host.setDescription(host.isVisible ? formatCount({ shown: size, all: size }) : '');
    }
  }

  /** Without rows, the welcome content explains how to get an engine: its address, if it was configured. */
  #containerCount(): string {
    const { engines } = this.#options;
    const shown = this.#containerRows.size;
    const all = engines.all.reduce((sum, { inventory }) => sum + inventory.containers.size, 0);
    const [only] = engines.areSeveral ? [] : engines.all;
    const phase = only?.inventory.phase;
    if (shown > 0 || phase?.kind !== 'lost') return formatCount({ shown, all });
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
    this.#setContext('gantry.images.isFiltered', this.#imageFilter !== '');
    this.#showCounts();
    this.#setContext('gantry.volumes.isLoading', only?.inventory.volumes.state === 'unknown');
    this.#setContext('gantry.networks.isLoading', only?.inventory.networks.state === 'unknown');
    containers.setBadge(troubled, l10n.t('{0} unhealthy or restarting', troubled));
    // An empty view shows its welcome content, which a message would hide.
    const hasContainers = this.#containerRows.size > 0;
    containers.setMessage(hasContainers && error ? engineLostMessage(error) : '');
    images.setMessage(this.#imageMessage(phase, found));
    volumes.setMessage(only ? volumesMessage(only.inventory) : '');
    networks.setMessage(only ? networksMessage(only.inventory) : '');
  };

  #imageMessage(phase: Phase | undefined, found: CandidateOrigin | undefined): string {
    // Images that cannot be listed do not mean that there are none, so the message also replaces the welcome content.
    if (phase?.kind !== 'lost') return phase ? unlistedMessage(phase) : '';
    if (this.#imageRows.size === 0) return unreachableMessage(phase.error, found);
    // Do not repeat the message of the Containers view.
    return this.#containerRows.size > 0 ? '' : engineLostMessage(phase.error);
  }

  #setContext(key: string, value: unknown): void {
    if (this.#reported.get(key) === value) return;
    this.#reported.set(key, value);
    void vscode.commands.executeCommand('setContext', key, value);
  }
}

export interface ViewsOptions {
  readonly engines: KnownEngines & { start(): void };
  /** The workspace default engine, used by commands that run without a row. */
  readonly preferred: { readonly id: string | undefined; readonly onDidChange: Event<void> };
  /** The view of builds, whose rows are loaded later. */
  readonly builds: Pick<
    vscode.TreeView<TreeNode>,
    'visible' | 'selection' | 'onDidChangeVisibility' | 'onDidChangeSelection'
  >;
  readonly transfers: Transfers;
  readonly newer: NewerImages;
  readonly orphans: Orphans;
  /** Connects containers to a network, by their rows. */
  readonly connect: (rows: readonly TreeNode[]) => void;
  readonly aliasesOf: (engine: KnownEngine, member: NetworkMember) => Promise<readonly string[]>;
  /** Stores which rows are collapsed. */
  readonly foldMemory: Memento;
  /** Returns the error message to show to the user. */
  readonly describe: (error: unknown) => string;
}

type ViewName = `${TargetKind}s`;
