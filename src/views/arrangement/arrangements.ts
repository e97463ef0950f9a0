import { Emitter, type Event, type Memento } from '../../base/lifetime.ts';
import { asList, asRecord } from '../../engine/wire/wire.ts';
import type { Pins } from './pins.ts';
import { LONGEST, type FilterKey, type RowFacts } from './parseFilter.ts';

/** How the rows of each view are filtered, grouped, and sorted: as chosen in this workspace, else as set. */
export class Arrangements {
  readonly #memory: Memento;
  readonly #defaults: (view: ArrangedView) => Partial<Arrangement>;
  readonly #kept: Record<ArrangedView, KeptView>;
  readonly #changes = new Emitter<ArrangedView>();

  /** Fires when the rows of a view are to be arranged anew. */
  readonly onDidChange: Event<ArrangedView> = this.#changes.event;

  /** @param defaults the settings of a view. */
  constructor(memory: Memento, defaults: (view: ArrangedView) => Partial<Arrangement>) {
    this.#memory = memory;
    this.#defaults = defaults;
    const kept = asRecord(memory.get(KEY));
    const views = asRecord(kept['version'] === VERSION ? kept['views'] : undefined);
    const read = (view: ArrangedView): KeptView => readView(view, asRecord(views[view]));
    this.#kept = {
      containers: read('containers'),
      images: read('images'),
      volumes: read('volumes'),
      networks: read('networks'),
    };
  }

  of(view: ArrangedView): Arrangement {
    return { ...PLAIN, ...this.#defaults(view), ...this.#kept[view].chosen };
  }

  /** The filters that were used last, the newest first. */
  recent(view: ArrangedView): readonly string[] {
    return this.#kept[view].recent;
  }

  /** Shows the rows in another way, for as long as the window is open. */
  show(view: ArrangedView, change: Partial<Arrangement>): void {
    const { chosen, recent } = this.#kept[view];
    this.#kept[view] = { chosen: { ...chosen, ...change }, recent };
    this.#changes.fire(view);
  }

  /** Keeps what is shown for this workspace. */
  keep(view: ArrangedView): void {
    const { chosen, recent } = this.#kept[view];
    const filter = chosen.filter?.trim() ?? '';
    const others = recent.filter((one) => one !== filter);
    const all = filter === '' ? recent : [filter, ...others].slice(0, MOST_RECENT);
    this.#kept[view] = { chosen, recent: all };
    void this.#memory.update(KEY, { version: VERSION, views: this.#kept });
  }

  /** Goes back to the setting. */
  reset(view: ArrangedView, ...fields: readonly (keyof Arrangement)[]): void {
    const { chosen, recent } = this.#kept[view];
    const rest = Object.entries(chosen).filter(([name]) => !fields.some((one) => one === name));
    this.#kept[view] = { chosen: Object.fromEntries(rest), recent };
    this.keep(view);
    this.#changes.fire(view);
  }
}

export type ArrangedView = 'containers' | 'images' | 'volumes' | 'networks';

/** How the rows of a view are shown. */
export interface Arrangement {
  readonly filter: string;
  /** One of the `groups` of the view, or `label:` and the name of a label. */
  readonly groupBy: string;
  readonly sortBy: string;
  /** Whether what belongs to the workspace comes first. */
  readonly isWorkspaceFirst: boolean;
  /** Whether stopped containers or dangling images are hidden. */
  readonly isHiding: boolean;
}

/** The rows of the views, as commands see them. */
export interface ArrangedRows {
  readonly arrangements: Arrangements;
  readonly pins: Pins;
  countRows(view: ArrangedView): RowCount;
  /** Returns what filters know of all objects of a view, also of those without a row. */
  factsOf(view: ArrangedView): Iterable<RowFacts>;
}

/** Number of rows that are shown, and of all. */
export interface RowCount {
  readonly shown: number;
  readonly all: number;
}

/** What can be chosen for a view. */
interface ViewChoices {
  /** The keys of its filter. */
  readonly keys: readonly FilterKey[];
  readonly groups: readonly string[];
  readonly sorts: readonly string[];
}

export const CHOICES: Readonly<Record<ArrangedView, ViewChoices>> = {
  containers: {
    keys: [
      ...(['state', 'health', 'image', 'label', 'network'] as const),
      ...(['volume', 'port', 'project', 'engine', 'workspace'] as const),
    ],
    groups: ['project', 'image', 'network', 'state', 'engine', 'label', 'none'],
    sorts: ['name', 'created', 'state', 'port', 'cpu', 'memory'],
  },
  images: {
    keys: ['state', 'image', 'engine'],
    groups: ['none', 'repository', 'registry'],
    sorts: ['name', 'newest', 'size'],
  },
  volumes: {
    keys: ['state', 'label', 'volume', 'project', 'engine'],
    groups: [],
    sorts: ['name', 'created'],
  },
  networks: {
    keys: ['state', 'label', 'network', 'project', 'engine'],
    groups: [],
    sorts: ['name', 'created'],
  },
};

/** Whether an order depends on what containers use. */
export function isMeasured(sortBy: string): boolean {
  return sortBy === 'cpu' || sortBy === 'memory';
}

/** Returns the name of the label that containers are grouped by; undefined if they are not. */
export function groupLabelOf(groupBy: string): string | undefined {
  return groupBy.startsWith('label:') ? groupBy.slice('label:'.length) : undefined;
}

/** Whether a view can be grouped like this. */
export function isGrouping(view: ArrangedView, groupBy: string): boolean {
  const label = groupLabelOf(groupBy);
  if (label === undefined) return groupBy !== 'label' && CHOICES[view].groups.includes(groupBy);
  return CHOICES[view].groups.includes('label') && label !== '' && label.length <= LONGEST;
}

/** The arrangement without settings and choices. */
export const PLAIN: Arrangement = {
  filter: '',
  groupBy: 'project',
  sortBy: 'name',
  isWorkspaceFirst: false,
  isHiding: false,
};

const KEY = 'gantry.arrangements';
/** Changes with the shape of what is kept. What another version has kept is ignored. */
const VERSION = 1;
const MOST_RECENT = 10;

interface KeptView {
  readonly chosen: Partial<Arrangement>;
  readonly recent: readonly string[];
}

/** Reads what another window, or another version, has written. One odd field spoils that field alone. */
function readView(view: ArrangedView, kept: Readonly<Record<string, unknown>>): KeptView {
  const { filter, groupBy, sortBy, isWorkspaceFirst, isHiding } = asRecord(kept['chosen']);
  const recent = asList(kept['recent']);
  return {
    chosen: {
      ...(isFilter(filter) && { filter }),
      ...(typeof groupBy === 'string' && isGrouping(view, groupBy) && { groupBy }),
      ...(typeof sortBy === 'string' && CHOICES[view].sorts.includes(sortBy) && { sortBy }),
      ...(typeof isWorkspaceFirst === 'boolean' && { isWorkspaceFirst }),
      ...(typeof isHiding === 'boolean' && { isHiding }),
    },
    recent: recent.filter(isFilter).slice(0, MOST_RECENT),
  };
}

function isFilter(value: unknown): value is string {
  return typeof value === 'string' && value.length <= LONGEST;
}
