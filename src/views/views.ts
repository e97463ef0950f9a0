import * as vscode from 'vscode';
import type { Activity } from '../inventory/activity.ts';
import type { Clock } from '../inventory/clock.ts';
import type { Inventory } from '../inventory/inventory.ts';
import type { L10n } from '../l10n.ts';
import { DisposableStore, type Disposable } from '../lifetime.ts';
import { AgeTimer } from './ageTimer.ts';
import { ContainerRows } from './containerRows.ts';
import { ImageRows } from './imageRows.ts';
import type { Scene } from './look.ts';
import type { TreeNode } from './nodes.ts';
import { Pane, type PaneOptions } from './pane.ts';
import { lostMessage, stateOf, type GantryState } from './stateText.ts';

/** Stands in node ids for the one engine there is so far. */
const ENGINE = 'default';

export interface ViewsOptions {
  readonly inventory: Inventory;
  readonly activity: Activity;
  readonly clock: Clock;
  readonly l10n: L10n;
  readonly settings: {
    readonly hideStopped: () => boolean;
    readonly onDidChange: (name: 'containers.hideStopped', listener: () => void) => Disposable;
  };
  /** Called once, when one of the views is seen for the first time. */
  readonly onFirstVisible: () => void;
}

export type ViewName = 'containers' | 'images';

/** Both views, as commands know them. */
export interface Views extends Disposable {
  /** Which of them a person saw or selected something in last. */
  readonly lastUsed: ViewName;
  /** The selected rows of a view; none while it is hidden. */
  selection(view: ViewName): readonly TreeNode[];
  /**
   * Selects the row of a container or image as soon as it is there and its view is seen; for a row of an
   * image with several names, that of `reference`.
   */
  reveal(id: string, reference?: string): void;
}

/** Makes the views `gantry.containers` and `gantry.images` and keeps them true. */
export function createViews(options: ViewsOptions): Views {
  return new BothViews(options);
}

class BothViews implements Views {
  readonly #options: ViewsOptions;
  readonly #store = new DisposableStore();
  readonly #containerRows: ContainerRows;
  readonly #imageRows: ImageRows;
  readonly #panes: Readonly<Record<ViewName, Pane>>;
  #lastUsed: ViewName = 'containers';
  #hasBeenSeen = false;
  #state: GantryState | undefined;

  constructor(options: ViewsOptions) {
    this.#options = options;
    const { inventory, activity, clock, l10n, settings } = options;
    const scene: Scene = { inventory, activity, l10n, now: () => clock.now() };
    const filter = { hideStopped: settings.hideStopped() };
    this.#containerRows = this.#store.add(new ContainerRows(ENGINE, scene, filter));
    this.#imageRows = this.#store.add(new ImageRows(ENGINE, scene));
    const shared = { scene, clock, inventory, ages: this.#store.add(new AgeTimer(clock)) };
    this.#panes = {
      containers: this.#open('containers', {
        ...shared,
        rows: this.#containerRows,
        showCollapseAll: true,
      }),
      images: this.#open('images', { ...shared, rows: this.#imageRows, showCollapseAll: false }),
    };
    this.#listen();
    this.#tell();
  }

  get lastUsed(): ViewName {
    return this.#lastUsed;
  }

  selection(view: ViewName): readonly TreeNode[] {
    return this.#panes[view].selection;
  }

  reveal(id: string, reference?: string): void {
    const rows = id.startsWith('sha256:') ? this.#imageRows : this.#containerRows;
    const pane = rows === this.#imageRows ? this.#panes.images : this.#panes.containers;
    pane.reveal(
      () => rows.find(id, reference),
      () => rows.find(id),
    );
  }

  dispose(): void {
    this.#store.dispose();
  }

  #open(name: ViewName, options: PaneOptions): Pane {
    const pane = this.#store.add(new Pane(`gantry.${name}`, options));
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
    const { inventory, settings } = this.#options;
    const tell = (): void => {
      this.#tell();
    };
    // Subscribed after the rows: they are in the editor's hands before a message, which can wait.
    this.#store.add(inventory.onDidChange(tell));
    this.#store.add(
      settings.onDidChange('containers.hideStopped', () => {
        this.#containerRows.setFilter({ hideStopped: settings.hideStopped() });
        this.#tell();
      }),
    );
  }

  /** Says around the rows what there is to say. */
  #tell(): void {
    const { inventory, l10n } = this.#options;
    const { containers, images } = this.#panes;
    const { phase } = inventory;
    const lost = phase.kind === 'lost' ? lostMessage(phase.error, l10n) : '';
    this.#setState(stateOf(phase));
    containers.setBadge(inventory.runningCount, l10n.t('{0} running', inventory.runningCount));
    // An empty view has its welcome instead, which a message would hide.
    containers.setMessage(this.#containerRows.size > 0 ? lost : '');
    images.setMessage(this.#imageRows.size > 0 ? lost : '');
  }

  #setState(state: GantryState): void {
    if (this.#state === state) return;
    this.#state = state;
    void vscode.commands.executeCommand('setContext', 'gantry.state', state);
  }
}
