import type { Engines } from '../../engines/engines.ts';
import type { EngineUnit } from '../../engines/engineUnit.ts';
import { isTroubled, isUp, type Container } from '../../engine/model.ts';
import type { InventoryChange } from '../../inventory/inventory.ts';
import { DisposableStore, Emitter, type Disposable, type Event } from '../../base/lifetime.ts';
import { isOfFolders } from '../../projects/fileAccess.ts';
import type { Orphans } from '../../projects/orphans.ts';
import { projectOf, uncreatedServices, withoutFinished } from '../../projects/projectLabels.ts';
import type { KnownWorktrees } from '../../projects/worktrees/knownWorktrees.ts';
import type { ShownWorktree } from '../../views/rowPresentation.ts';
import { countedParts } from '../../views/containers/presentProject.ts';

/** The compose projects of the workspace, on all engines. A change only costs what its own projects have. */
export class WorkspaceProjects implements Disposable {
  readonly #parts: WorkspaceProjectsParts;
  readonly #store = new DisposableStore();
  readonly #changes = this.#store.add(new Emitter<void>());
  readonly #projects = new Map<string, Members>();
  /** The projects of each container, by its ID. There are two if an engine was added twice. */
  readonly #homes = new Map<string, readonly Members[]>();

  /** Fires when a project may have changed. */
  readonly onDidChange: Event<void> = this.#changes.event;

  constructor(parts: WorkspaceProjectsParts) {
    this.#parts = parts;
    const { engines, orphans, worktrees } = parts;
    this.#store.listen(engines.onDidChangeInventory, (change) => this.#apply(change));
    this.#store.listen(engines.onDidChange, () => this.reset());
    for (const { onDidChange } of [orphans, worktrees])
      this.#store.listen(onDidChange, () => this.#count(this.#projects.values()));
    this.reset();
  }

  /** The projects of connected engines: those with trouble first, then by name. */
  get all(): readonly WorkspaceProject[] {
    return [...this.#projects.values()]
      .filter(({ unit }) => unit.inventory.phase.kind === 'live')
      .flatMap(({ now }) => now ?? [])
      .toSorted((a, b) => Number(b.isTroubled) - Number(a.isTroubled) || compare(a.name, b.name));
  }

  /** Looks at all containers: other folders or engines are open. */
  reset(): void {
    this.#projects.clear();
    this.#homes.clear();
    for (const unit of this.#parts.engines.all)
      for (const container of unit.inventory.containers.values()) this.#place(container, unit);
    this.#count(this.#projects.values());
  }

  dispose(): void {
    this.#store.dispose();
  }

  #apply({ containers, phase }: InventoryChange): void {
    const changed = new Set<Members>();
    for (const id of containers) {
      for (const before of this.#homes.get(id) ?? []) {
        changed.add(before);
        before.ids.delete(id);
      }
      this.#homes.delete(id);
      for (const unit of this.#parts.engines.all) {
        const container = unit.inventory.containers.get(id);
        const home = container && this.#place(container, unit);
        if (home) changed.add(home);
      }
    }
    if (changed.size > 0 || phase) this.#count(changed);
  }

  /** Returns the project of a container; undefined if it is of none of the workspace. */
  #place(container: Container, unit: EngineUnit): Members | undefined {
    if (!isOfFolders(container, this.#parts.folders())) return undefined;
    const name = projectOf(container) ?? '';
    const key = `${unit.id}\n${name}`;
    const home = this.#projects.get(key) ?? { key, unit, name, ids: new Set() };
    this.#projects.set(key, home);
    this.#homes.set(container.id, [...(this.#homes.get(container.id) ?? []), home]);
    home.ids.add(container.id);
    this.#parts.worktrees.follow(container);
    return home;
  }

  #count(changed: Iterable<Members>): void {
    for (const one of changed) {
      if (one.ids.size === 0) this.#projects.delete(one.key);
      else one.now = projectOfMembers(one, this.#parts);
    }
    this.#changes.fire();
  }
}

/** A project, in the numbers of its row. */
export interface WorkspaceProject {
  /** As in the labels: not for display. */
  readonly name: string;
  /** What its row is named: with the branch, if it is that of a worktree. Not for display as it is. */
  readonly title: string;
  readonly engine: Pick<EngineUnit, 'id' | 'name'>;
  readonly up: number;
  readonly total: number;
  /** Whether a container is unhealthy or restarting. */
  readonly isTroubled: boolean;
  /** The words of its row: `4 of 5 up`, `1 unhealthy`. */
  readonly words: readonly string[];
}

export interface WorkspaceProjectsParts {
  readonly engines: Pick<Engines, 'all' | 'onDidChange' | 'onDidChangeInventory'>;
  /** Knows which services a plain Up would create. */
  readonly orphans: Pick<Orphans, 'of' | 'onDidChange'>;
  readonly worktrees: Pick<KnownWorktrees<ShownWorktree>, 'of' | 'follow' | 'onDidChange'>;
  /** The paths of the folders of the workspace. */
  readonly folders: () => readonly string[];
}

interface Members {
  readonly key: string;
  readonly unit: EngineUnit;
  readonly name: string;
  /** The IDs of the containers. */
  readonly ids: Set<string>;
  now?: WorkspaceProject;
}

function projectOfMembers(
  { unit, name, ids }: Members,
  { orphans, worktrees }: Pick<WorkspaceProjectsParts, 'orphans' | 'worktrees'>,
): WorkspaceProject {
  const { containers } = unit.inventory;
  const all = [...ids].flatMap((id) => containers.get(id) ?? []);
  const members = withoutFinished(all.map((container) => ({ container, isUp: isUp(container) })));
  const known = orphans.of(unit);
  const expected = all.map((one) => known.filesOf(one)?.expected).find((one) => one !== undefined);
  const missing = expected ? uncreatedServices(all, expected).length : 0;
  const [sample] = all;
  return {
    name,
    title: (sample && worktrees.of(sample)?.title) ?? name,
    engine: unit,
    up: members.filter((one) => one.isUp).length,
    total: members.length + missing,
    isTroubled: members.some(({ container }) => isTroubled(container)),
    words: countedParts(members, missing),
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
