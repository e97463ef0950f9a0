import { CLEANUP_KINDS, type CleanupKind } from '../engine/system/cleanupKinds.ts';
import { AGE_GROUPS, type PageItem } from './protocol.ts';

/** Groups items: kinds in the order of removal, projects and worktrees by name, and ages from young to old. */
export function groupItems(items: readonly PageItem[], by: Grouping): readonly ItemGroup[] {
  const groups = Map.groupBy(items, (item) => idOf(item, by));
  const ids = [...groups.keys()].sort((a, b) => order(a, by) - order(b, by) || compare(a, b));
  return ids.map((id) => ({ id, items: (groups.get(id) ?? []).toSorted(byUse) }));
}

export const GROUPINGS = ['kind', 'project', 'worktree', 'age'] as const;

export type Grouping = (typeof GROUPINGS)[number];

/** Items with something in common. */
export interface ItemGroup {
  /** A kind, the name of a project or worktree, or an age group; empty for what belongs to none. */
  readonly id: string;
  /** Removable ones first, then by size. */
  readonly items: readonly PageItem[];
}

/**
 * Returns the keys of the selected items. Something that another item needs is selected only together with it.
 *
 * @param choices what the user selected or deselected; what is missing is as suggested.
 * @param only nothing of another kind is suggested.
 */
export function selectedKeys(
  items: readonly PageItem[],
  choices: ReadonlyMap<string, boolean>,
  only?: CleanupKind,
): ReadonlySet<string> {
  const selected = new Set<string>();
  // What an item needs comes before it.
  for (const item of items) {
    const { key, kind, isSuggested } = item;
    const isSelected = choices.get(key) ?? (isSuggested && (only ?? kind) === kind);
    if (isSelected && canSelect(item, selected)) selected.add(key);
  }
  return selected;
}

/** Whether an item can be selected, next to those that are. */
export function canSelect({ state, needs }: PageItem, selected: ReadonlySet<string>): boolean {
  return state === 'removable' && needs.every((key) => selected.has(key));
}

/** The disk space that a removal reclaims. */
interface Reclaimed {
  /** In bytes. */
  readonly size: number;
  /** Whether it may be more: layers that only removed images share are reclaimed, too. */
  readonly isAtLeast: boolean;
}

/** Sums up what the removal of items reclaims. */
export function reclaimedBy(items: readonly PageItem[]): Reclaimed {
  return {
    size: items.reduce((sum, { size = 0 }) => sum + size, 0),
    isAtLeast: items.some(({ kind, size }) => size === undefined || kind === 'images'),
  };
}

function idOf(item: PageItem, by: Grouping): string {
  return by === 'age' ? item.ageGroup : item[by];
}

function order(id: string, by: Grouping): number {
  if (by === 'project' || by === 'worktree') return Number(id === '');
  const ids: readonly string[] = by === 'kind' ? CLEANUP_KINDS : AGE_GROUPS;
  return ids.indexOf(id);
}

function compare(a: string, b: string): number {
  return a.localeCompare(b, undefined, { numeric: true });
}

function byUse(a: PageItem, b: PageItem): number {
  const rank = ({ state }: PageItem): number => Number(state !== 'removable');
  const size = (item: PageItem): number => item.size ?? item.atMost ?? 0;
  return rank(a) - rank(b) || size(b) - size(a) || compare(a.name, b.name);
}
