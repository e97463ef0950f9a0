import { DisposableStore, type Disposable, type Event } from '../base/lifetime.ts';
import type { KnownEngine, KnownEngines } from '../inventory/knownEngine.ts';
import type { Orphans } from '../projects/orphans.ts';
import type { KnownWorktrees } from '../projects/worktrees/knownWorktrees.ts';
import type { WorkspacePlaces } from '../projects/workspace/workspacePlaces.ts';
import { canCheckNewer, type NewerImages } from '../registries/transfers/newerImages.ts';
import type { Transfers } from '../registries/transfers/transfers.ts';
import type {
  ArrangedRows,
  ArrangedView,
  Arrangements,
  RowCount,
} from './arrangement/arrangements.ts';
import type { RowFacts } from './arrangement/parseFilter.ts';
import type { Pins } from './arrangement/pins.ts';
import { containerFacts } from './containers/containerFacts.ts';
import { ContainerRows } from './containers/containerRows.ts';
import type { LateUsage } from './containers/lateUsage.ts';
import { EngineRows } from './engines/engineRows.ts';
import { containersNote, imagesNote, networksNote, volumesNote } from './engines/engineState.ts';
import { imageFacts, type ImageArrangement } from './images/imageArrangement.ts';
import { ImageRows, referencesOf } from './images/imageRows.ts';
import { NetworkRows } from './networks/networkRows.ts';
import { networkFacts } from './networks/presentNetwork.ts';
import type { RenderContext, ShownWorktree } from './rowPresentation.ts';
import type { Rows } from './rows.ts';
import { TransferRows } from './transfers/transferRows.ts';
import type { TreeNode } from './treeNode.ts';
import { volumeFacts } from './volumes/presentVolume.ts';
import { VolumeRows } from './volumes/volumeRows.ts';

/** The rows of the views of containers, images, volumes and networks, arranged as the user wants them. */
export class ViewRows implements ArrangedRows, Disposable {
  readonly #options: ViewRowsOptions;
  readonly #store = new DisposableStore();
  readonly arrangements: Arrangements;
  readonly pins: Pins;
  readonly containers: EngineRows<ContainerRows>;
  readonly images: EngineRows<TransferRows>;
  readonly volumes: EngineRows<VolumeRows>;
  readonly networks: EngineRows<NetworkRows>;
  /** What containers use. Set once their view exists. */
  usage: LateUsage | undefined;

  constructor(options: ViewRowsOptions) {
    this.#options = options;
    this.arrangements = options.arrangements;
    this.pins = options.pins;
    const { arrangements } = options;
    const filterOf = (view: ArrangedView): string => arrangements.of(view).filter;
    this.containers = this.#rowsOf(
      (engine) => containersNote(engine, arrangements.of('containers')),
      (engine, top) =>
        new ContainerRows(engine.id, this.#contextOf(engine), top, arrangements.of('containers')),
      this.#isMixed,
    );
    this.images = this.#rowsOf(
      (engine) => imagesNote(engine, filterOf('images')),
      (engine, top) => this.#imagesOf(engine, top),
    );
    this.volumes = this.#rowsOf(
      (engine) => volumesNote(engine, filterOf('volumes')),
      (engine, top) =>
        new VolumeRows(engine.id, this.#contextOf(engine), top, arrangements.of('volumes')),
    );
    this.networks = this.#rowsOf(
      (engine) => networksNote(engine, filterOf('networks')),
      (engine, top) =>
        new NetworkRows(engine.id, this.#contextOf(engine), top, arrangements.of('networks')),
    );
    this.#store.listen(options.pins.onDidChange, this.#reorder);
    // Only a filter or an order that looked at places has made them known.
    this.#store.listen(options.places.onDidChange, this.#reorder);
  }

  /** Returns how many rows a view shows, and how many it would show without a filter. */
  countRows(view: ArrangedView): RowCount {
    const { engines } = this.#options;
    const count = (of: (engine: KnownEngine) => number): number =>
      engines.all.reduce((sum, engine) => sum + of(engine), 0);
    switch (view) {
      case 'containers':
        return {
          shown: this.containers.size,
          all: count(({ inventory }) => inventory.containers.size),
        };
      case 'images': {
        let all = 0;
        this.images.each(({ own }) => {
          all += own.total;
        });
        return { shown: this.images.size, all };
      }
      case 'volumes':
      case 'networks': {
        const { size } = view === 'volumes' ? this.volumes : this.networks;
        return { shown: size, all: count(({ inventory }) => inventory[view].entries.size) };
      }
    }
  }

  *factsOf(view: ArrangedView): Iterable<RowFacts> {
    for (const engine of this.#options.engines.all) {
      const context = this.#contextOf(engine);
      const { containers, images, volumes, networks } = engine.inventory;
      if (view === 'containers')
        for (const one of containers.values()) yield containerFacts(one, context);
      if (view === 'images')
        for (const image of images.values())
          for (const reference of referencesOf(image))
            yield imageFacts({ reference, image }, context);
      if (view === 'volumes')
        for (const one of volumes.entries.values()) yield volumeFacts(one, context);
      if (view === 'networks')
        for (const one of networks.entries.values()) yield networkFacts(one, context);
    }
  }

  /** Shows the rows of a view as they are to be arranged now. */
  arrange(view: ArrangedView): void {
    const arrangement = this.#options.arrangements.of(view);
    switch (view) {
      case 'containers':
        this.containers.refold();
        this.containers.each((rows) => rows.arrange(arrangement));
        break;
      case 'images': {
        const wanted = this.#imageArrangement;
        this.images.each(({ own }) => own.arrange(wanted));
        break;
      }
      case 'volumes':
        this.volumes.each((rows) => rows.arrange(arrangement));
        break;
      case 'networks':
        this.networks.each((rows) => rows.arrange(arrangement));
    }
    // The message below an engine without rows depends on the filter.
    this[view].repaintEngines();
  }

  dispose(): void {
    this.#store.dispose();
  }

  get #imageArrangement(): ImageArrangement {
    const { filter, groupBy, sortBy, isHiding } = this.#options.arrangements.of('images');
    return {
      filter,
      groupBy: groupBy as ImageArrangement['groupBy'],
      sortBy: sortBy as ImageArrangement['sortBy'],
      showDangling: !isHiding,
    };
  }

  /** Whether the containers of all engines are in one list. */
  readonly #isMixed = (): boolean =>
    this.#options.engines.areSeveral &&
    this.#options.arrangements.of('containers').groupBy === 'none';

  readonly #reorder = (): void => this.containers.each((rows) => rows.reorder());

  #contextOf(engine: KnownEngine): RenderContext {
    const { id, inventory, activity } = engine;
    const { newer, orphans, knownWorktrees: worktrees, pins, places } = this.#options;
    return {
      inventory,
      activity,
      now: Date.now,
      orphans: orphans.of(engine),
      worktrees,
      engineLabel: engine.name,
      isMixed: this.#isMixed,
      pins,
      usageOf: (ids) => this.usage?.format(id, ids) ?? '',
      readingOf: (container, engine = id) => this.usage?.readingOf(engine, container),
      workspaceOf: (container) =>
        places.namesOf(container, engine.engine.endpoint?.transport.kind === 'socket'),
      freshness: (image, reference) => {
        if (!canCheckNewer(inventory.phase)) return undefined;
        return newer.isNewer({ engine: id, reference }, image) ? 'newer' : 'askable';
      },
    };
  }

  #imagesOf(engine: KnownEngine, top: TreeNode | undefined): TransferRows {
    const { transfers, newer, describe } = this.#options;
    const own = new ImageRows(engine.id, this.#contextOf(engine), top, this.#imageArrangement);
    return new TransferRows(own, { transfers, newer, describe });
  }

  #rowsOf<R extends Rows>(
    whenEmpty: (engine: KnownEngine) => string,
    make: (engine: KnownEngine, top: TreeNode | undefined) => R,
    isFlat?: () => boolean,
  ): EngineRows<R> {
    const { engines, preferred } = this.#options;
    const isPreferred = ({ id }: KnownEngine): boolean => id === preferred.id;
    const contextOf = (engine: KnownEngine): RenderContext => this.#contextOf(engine);
    return this.#store.add(
      new EngineRows({
        engines,
        make,
        contextOf,
        isPreferred,
        whenEmpty,
        ...(isFlat && { isFlat }),
      }),
    );
  }
}

export interface ViewRowsOptions {
  readonly engines: KnownEngines;
  /** The workspace default engine, used by commands that run without a row. */
  readonly preferred: { readonly id: string | undefined; readonly onDidChange: Event<void> };
  readonly transfers: Transfers;
  readonly newer: NewerImages;
  readonly orphans: Orphans;
  readonly knownWorktrees: KnownWorktrees<ShownWorktree>;
  readonly arrangements: Arrangements;
  readonly pins: Pins;
  /** Knows which containers belong to the workspace. */
  readonly places: WorkspacePlaces;
  /** Returns the error message to show to the user. */
  readonly describe: (error: unknown) => string;
}
