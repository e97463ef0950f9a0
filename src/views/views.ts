import * as vscode from 'vscode';
import type { Clock } from '../time.ts';
import type { L10n } from '../l10n.ts';
import { DisposableStore, type Disposable } from '../lifetime.ts';
import { canCheckNewer, type NewerImages } from '../transfers/newerImages.ts';
import type { Transfers } from '../transfers/transfers.ts';
import { AgeTimer } from './ageTimer.ts';
import { formatImageCount, type Arrangement } from './arrangement.ts';
import { ContainerRows } from './containers/containerRows.ts';
import type { EngineFlags } from './engines/presentEngine.ts';
import type { EngineNodeOptions } from './engines/engineNode.ts';
import {
  EngineRows,
  type DisposableRows,
  type DisplayedEngine,
  type DisplayedEngines,
} from './engines/engineRows.ts';
import { Folds, type FoldMemory } from './folds.ts';
import { ImageRows } from './images/imageRows.ts';
import type { RenderContext } from './rowPresentation.ts';
import type { TreeNode } from './treeNode.ts';
import { TreeViewHost } from './treeViewHost.ts';
import {
  lostMessage,
  engineSourceOf,
  gantryStateOf,
  unlistedMessage,
  unreachableMessage,
} from './engines/gantryState.ts';
import { TransferRows } from './transfers/transferRows.ts';
import { loadStateOf, type LoadState } from './loadState.ts';

/** Both views, as commands know them. */
export interface Views extends Disposable {
  /** Which of them a person saw or selected something in last. */
  readonly lastUsed: ViewName;
  /** The selected rows of a view; none while it is hidden. */
  selection(view: ViewName): readonly TreeNode[];
  /**
   * Selects the row of a container or image of an engine as soon as it is there and its view is seen; for a row
   * of an image with several names, that of `reference`.
   */
  reveal(engine: string, id: string, reference?: string): void;
  /** What the images that are shown have in their names; empty for all. */
  imageFilter: string;
  /** Paints the rows of the engines anew: what the person says of them changed. */
  repaintEngines(): void;
}

export interface ViewsOptions {
  readonly engines: DisplayedEngines;
  readonly clock: Clock;
  readonly transfers: Transfers;
  readonly newer: NewerImages;
  /** Keeps which rows are folded. */
  readonly foldMemory: FoldMemory;
  readonly l10n: L10n;
  readonly settings: {
    readonly hideStopped: () => boolean;
    readonly images: () => Omit<Arrangement, 'filter'>;
    readonly onDidChange: (
      name: 'containers.hideStopped' | 'images',
      listener: () => void,
    ) => Disposable;
  };
  /** What a person has said of an engine. */
  readonly flagsOf: (engine: DisplayedEngine) => EngineFlags;
  /** An error as a sentence. */
  readonly describe: (error: unknown) => string;
  /** Called once, when one of the views is seen for the first time. */
  readonly onFirstVisible: () => void;
}

export type ViewName = 'containers' | 'images';

/** Makes the views `gantry.containers` and `gantry.images` and keeps them true. */
export function createViews(options: ViewsOptions): Views {
  return new BothViews(options);
}

/** What is said around the rows. */
interface Around {
  readonly state: string;
  /** What named the address of the engine. */
  readonly source: string;
  /** Above rows that may be out of date. */
  readonly message: string;
  /** Beside the title of the view that says how to get an engine; '' for one that nobody named. */
  readonly address: string;
  /** In the other view, if it has no rows. */
  readonly line: string;
  /** Why there are no images, or not those of now. */
  readonly unlisted: string;
}

class BothViews implements Views {
  readonly #options: ViewsOptions;
  readonly #store = new DisposableStore();
  readonly #containerRows: EngineRows<ContainerRows>;
  readonly #imageRows: EngineRows<TransferRows<ImageRows>>;
  readonly #ages: AgeTimer;
  readonly #folds: Folds;
  readonly #hosts: Readonly<Record<ViewName, TreeViewHost>>;
  #lastUsed: ViewName = 'containers';
  #hasBeenSeen = false;
  #imageFilter = '';
  #reported = new Map<string, unknown>();

  constructor(options: ViewsOptions) {
    this.#options = options;
    const { clock, l10n, settings } = options;
    this.#ages = this.#store.add(new AgeTimer(clock));
    this.#folds = new Folds(options.foldMemory);
    this.#containerRows = this.#rowsOf(
      () => l10n.t('No containers'),
      (engine, top) => {
        const filter = { hideStopped: settings.hideStopped() };
        return new ContainerRows(engine.id, this.#contextOf(engine), filter, top);
      },
    );
    this.#imageRows = this.#rowsOf(
      ({ inventory }) => {
        const unlisted = unlistedMessage(inventory.phase, l10n);
        if (unlisted !== '') return unlisted;
        return this.#imageFilter === ''
          ? l10n.t('No images')
          : l10n.t('No image has this in its name');
      },
      (engine, top) => this.#imagesOf(engine, top),
    );
    this.#hosts = {
      containers: this.#open('containers', this.#containerRows, true),
      images: this.#open('images', this.#imageRows, false),
    };
    this.#listen();
    this.#tell();
  }

  get lastUsed(): ViewName {
    return this.#lastUsed;
  }

  get imageFilter(): string {
    return this.#imageFilter;
  }

  set imageFilter(filter: string) {
    if (filter === this.#imageFilter) return;
    this.#imageFilter = filter;
    this.#arrange();
  }

  selection(view: ViewName): readonly TreeNode[] {
    return this.#hosts[view].selection;
  }

  reveal(engine: string, id: string, reference?: string): void {
    const isImage = id.startsWith('sha256:');
    const rows = isImage ? this.#imageRows : this.#containerRows;
    const pane = isImage ? this.#hosts.images : this.#hosts.containers;
    pane.reveal(
      () => rows.findIn(engine, id, reference),
      () => rows.findIn(engine, id),
    );
  }

  repaintEngines(): void {
    this.#containerRows.repaintEngines();
    this.#imageRows.repaintEngines();
  }

  dispose(): void {
    this.#store.dispose();
  }

  get #arrangement(): Arrangement {
    return { ...this.#options.settings.images(), filter: this.#imageFilter };
  }

  #arrange(): void {
    const arrangement = this.#arrangement;
    this.#imageRows.each((rows) => {
      rows.own.arrange(arrangement);
    });
    // An engine without any says whether the filter is why.
    this.#imageRows.repaintEngines();
    this.#tell();
  }

  #contextOf({ id, inventory, activity }: DisplayedEngine): RenderContext {
    const { l10n, clock, newer } = this.#options;
    return {
      ...{ inventory, activity, l10n, now: () => clock.now() },
      freshness: (image, reference) => {
        if (!canCheckNewer(inventory.phase)) return undefined;
        return newer.isNewer({ engine: id, reference }, image) ? 'newer' : 'askable';
      },
    };
  }

  #imagesOf(engine: DisplayedEngine, top: TreeNode | undefined): TransferRows<ImageRows> {
    const { transfers, newer, describe } = this.#options;
    const scene = this.#contextOf(engine);
    const own = new ImageRows(engine.id, scene, top, this.#arrangement);
    return new TransferRows(own, {
      engine: engine.id,
      context: scene,
      transfers,
      newer,
      describe,
      top,
    });
  }

  #rowsOf<R extends DisposableRows>(
    whenEmpty: (engine: DisplayedEngine) => string,
    make: (engine: DisplayedEngine, top: TreeNode | undefined) => R,
  ): EngineRows<R> {
    const { engines } = this.#options;
    return this.#store.add(
      new EngineRows({
        engines,
        make,
        contextOf: (engine) => this.#contextOf(engine),
        nodeOf: (engine) => this.#nodeOf(engine, whenEmpty),
      }),
    );
  }

  #nodeOf(
    shown: DisplayedEngine,
    whenEmpty: (engine: DisplayedEngine) => string,
  ): EngineNodeOptions {
    const { flagsOf } = this.#options;
    const { id, name, inventory, engine } = shown;
    return {
      id,
      whenEmpty: () => whenEmpty(shown),
      facts: () => ({
        name,
        phase: inventory.phase,
        address: engine.endpoint?.url,
        ...flagsOf(shown),
      }),
    };
  }

  #open<R extends DisposableRows>(
    name: ViewName,
    rows: EngineRows<R>,
    canFold: boolean,
  ): TreeViewHost {
    const { engines, clock } = this.#options;
    const pane = this.#store.add(
      new TreeViewHost(`gantry.${name}`, {
        rows,
        clock,
        ages: this.#ages,
        folds: this.#folds,
        contextOf: (node) => rows.contextOf(node),
        loadState: () => knowledgeOfAll(engines),
        onDidChangeLoadState: engines.onDidChangeInventory,
        showCollapseAll: canFold,
      }),
    );
    this.#store.add(
      pane.onDidUse(() => {
        this.#use(name);
      }),
    );
    return pane;
  }

  #use(name: ViewName): void {
    this.#lastUsed = name;
    if (this.#hasBeenSeen) return;
    this.#hasBeenSeen = true;
    this.#options.onFirstVisible();
  }

  #listen(): void {
    const { engines, settings } = this.#options;
    const tell = (): void => {
      this.#tell();
    };
    // Heard after the rows: they are in the editor's hands before a message, which can wait.
    this.#store.add(engines.onDidChangeInventory(tell));
    this.#store.add(engines.onDidChange(tell));
    this.#store.add(
      settings.onDidChange('containers.hideStopped', () => {
        const filter = { hideStopped: settings.hideStopped() };
        this.#containerRows.each((rows) => {
          rows.setFilter(filter);
        });
        this.#tell();
      }),
    );
    this.#store.add(
      settings.onDidChange('images', () => {
        this.#arrange();
      }),
    );
  }

  #imageCount(): string {
    const { engines, l10n } = this.#options;
    const all = engines.all.reduce((sum, { inventory }) => sum + inventory.images.size, 0);
    return formatImageCount({ shown: this.#imageRows.size, all, filter: this.#imageFilter }, l10n);
  }

  /** Says around the rows what there is to say. */
  #tell(): void {
    const { engines, l10n } = this.#options;
    const { containers, images } = this.#hosts;
    const troubled = engines.all.reduce((sum, { inventory }) => sum + inventory.troubledCount, 0);
    const { state, source, message, address, line, unlisted } = this.#around();
    this.#setContext('gantry.state', state);
    this.#setContext('gantry.isLost', message !== '');
    this.#setContext('gantry.engineSource', source);
    this.#setContext('gantry.severalEngines', engines.areSeveral);
    this.#setContext('gantry.images.isFiltered', this.#imageFilter !== '');
    images.setDescription(this.#imageCount());
    containers.setBadge(troubled, l10n.t('{0} unhealthy or restarting', troubled));
    // An empty view has its welcome instead, which a message would hide.
    const hasContainers = this.#containerRows.size > 0;
    const hasImages = this.#imageRows.size > 0;
    containers.setMessage(hasContainers ? message : '');
    containers.setDescription(hasContainers ? '' : address);
    // What the other view says above its rows is not said twice.
    const aboveImages = hasContainers ? '' : message;
    const ofImages = hasImages ? aboveImages : line;
    // Images that cannot be listed are not none: in place of the welcome, too.
    images.setMessage(unlisted === '' ? ofImages : unlisted);
  }

  /** Of several engines, each says in its own row how it is. */
  #around(): Around {
    const { engines, l10n } = this.#options;
    const nothing = { source: '', message: '', address: '', line: '', unlisted: '' };
    const [only] = engines.all;
    if (engines.areSeveral || !only) return { state: 'ready', ...nothing };
    const { phase } = only.inventory;
    const found = only.engine.attempts[0]?.candidate.found;
    const state = gantryStateOf(phase, found);
    if (phase.kind !== 'lost') {
      return { state, ...nothing, unlisted: unlistedMessage(phase, l10n) };
    }
    const { error } = phase;
    const source = engineSourceOf(found);
    return {
      ...nothing,
      state,
      source,
      message: lostMessage(error, l10n),
      address: source === '' ? '' : (error.endpoint ?? ''),
      line: unreachableMessage(error, found, l10n),
    };
  }

  #setContext(key: string, value: unknown): void {
    if (this.#reported.get(key) === value) return;
    this.#reported.set(key, value);
    void vscode.commands.executeCommand('setContext', key, value);
  }
}

/** Several engines are known at once: each has its row, whatever there is to say in it. */
function knowledgeOfAll({ all, areSeveral }: DisplayedEngines): LoadState {
  const [only] = all;
  if (!only) return 'known';
  const knowledge = loadStateOf(only.inventory);
  return areSeveral && knowledge === 'awaited' ? 'known' : knowledge;
}
