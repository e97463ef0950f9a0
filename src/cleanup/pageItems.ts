import * as l10n from '@vscode/l10n';
import {
  cautionOf,
  dateOf,
  isEasyToReplace,
  runningProjects,
  usedMessage,
  type Verdict,
} from '../commands/system/cleanupVerdicts.ts';
import type { CleanupItem, EngineContents } from '../commands/system/cleanupItem.ts';
import { keyOf, labelOf, tagCountOf } from '../commands/system/cleanupItem.ts';
import { isPredefinedNetwork } from '../engine/model.ts';
import { formatShortAge } from '../inventory/age.ts';
import { oneLine } from '../base/plainText.ts';
import { PROJECT, projectOf } from '../projects/projectLabels.ts';
import { joinParts } from '../views/format.ts';
import type { AgeGroup, PageItem } from './protocol.ts';

const MOST_ITEMS = 5000;
/** Maximum number of characters of a name or a note. */
const TEXT_LIMIT = 300;
/** Maximum number of characters of all names of an image: it loses all of them, so that they are not cut. */
const TAGS_LIMIT = 20_000;

/**
 * Returns what the page shows of verdicts, in the same order, and how many it leaves out: the smallest, and what only
 * becomes unused after more than fits. Networks of the engine are never shown.
 */
export function pageItems(
  verdicts: readonly Verdict[],
  facts: ItemFacts,
): { readonly items: readonly PageItem[]; readonly hidden: number } {
  const projects = projectsOfImages(facts.found);
  const suggested = new Set<string>();
  const isEasy = easyJudge(facts.found, suggested);
  const items = verdicts.filter(isOfUser).map((verdict): PageItem => {
    const { item } = verdict;
    const key = keyOf(item);
    const isSuggested = isEasy(verdict);
    if (isSuggested) suggested.add(key);
    const project =
      'labels' in item.seen ? projectOf(item.seen) : projects.get(item.id)?.values().next().value;
    return {
      key,
      seen: facts.seenOf(item),
      kind: item.kind,
      name: oneLine(labelOf(item), item.kind === 'images' ? TAGS_LIMIT : TEXT_LIMIT),
      tags: tagCountOf(item),
      size: item.size,
      atMost: item.kind === 'images' ? item.seen.size : undefined,
      ...ageOf(item, facts.now),
      project: oneLine(project ?? '', TEXT_LIMIT),
      worktree: oneLine(
        facts.worktrees.get(labelledProject(item) ?? project ?? '') ?? '',
        TEXT_LIMIT,
      ),
      note: oneLine(joinParts(noteOf(verdict), tagsOf(item)), TEXT_LIMIT),
      state: verdict.reason === undefined ? 'removable' : 'kept',
      isSuggested,
      isExcluded: facts.isExcluded(item),
      needs: verdict.needs.map((need) => need.key),
    };
  });
  return largest(items);
}

/** Further facts about the items. */
interface ItemFacts {
  readonly found: EngineContents;
  readonly isExcluded: (item: CleanupItem) => boolean;
  /** Returns what identifies an item as it is now. */
  readonly seenOf: (item: CleanupItem) => string;
  /** The names of worktrees, by the projects that are of them. */
  readonly worktrees: ReadonlyMap<string, string>;
  /** In milliseconds since 1970. */
  readonly now: number;
}

/** Compose has not always put more on volumes and networks than the name of the project. */
function labelledProject({ kind, seen }: CleanupItem): string | undefined {
  return kind === 'volumes' || kind === 'networks' ? seen.labels[PROJECT] : undefined;
}

function isOfUser({ item }: Verdict): boolean {
  return item.kind !== 'networks' || !isPredefinedNetwork(item.seen);
}

/** Each with everything that has to be removed before it: without that, it could not be selected. */
function largest(items: readonly PageItem[]) {
  if (items.length <= MOST_ITEMS) return { items, hidden: 0 };
  const sizeOf = ({ size, atMost }: PageItem): number => size ?? atMost ?? 0;
  const all = new Map(items.map((one) => [one.key, one]));
  const shown = new Set<PageItem>();
  for (const item of items.toSorted((a, b) => sizeOf(b) - sizeOf(a))) {
    const added = withNeeds(item, all, shown);
    if (shown.size + added.size <= MOST_ITEMS) for (const one of added) shown.add(one);
  }
  return { items: items.filter((one) => shown.has(one)), hidden: items.length - shown.size };
}

/** Returns an item and what it needs, directly or not, without what is shown; not all of it if that is too much. */
function withNeeds(
  item: PageItem,
  all: ReadonlyMap<string, PageItem>,
  shown: ReadonlySet<PageItem>,
): ReadonlySet<PageItem> {
  const added = new Set(shown.has(item) ? [] : [item]);
  // The loop also visits what it adds.
  for (const { needs, state } of added) {
    if (state === 'kept' || shown.size + added.size > MOST_ITEMS) break;
    for (const key of needs) {
      const one = all.get(key);
      if (one && !shown.has(one)) added.add(one);
    }
  }
  return added;
}

/** Nothing that only becomes unused by the removal of a container. */
function easyJudge(
  { containers }: EngineContents,
  suggested: ReadonlySet<string>,
): (verdict: Verdict) => boolean {
  const running = runningProjects(containers);
  return ({ item, reason, needs }) => {
    if (reason !== undefined || !isEasyToReplace(item, running)) return false;
    return needs.every(({ kind, key }) => kind !== 'containers' && suggested.has(key));
  };
}

/** Images have no project of their own. One that several projects use belongs to none of them. */
function projectsOfImages({ containers }: EngineContents): ReadonlyMap<string, Set<string>> {
  const all = new Map<string, Set<string>>();
  for (const one of containers) {
    const project = projectOf(one);
    if (project === undefined) continue;
    all.set(one.imageId, (all.get(one.imageId) ?? new Set()).add(project));
  }
  return new Map([...all].filter(([, { size }]) => size === 1));
}

/** The row may be too narrow for all tags of an image. */
function tagsOf(item: CleanupItem): string {
  const tags = tagCountOf(item);
  return tags > 1 ? l10n.t('{0} tags', tags) : '';
}

function noteOf({ item, reason, needs }: Verdict): string {
  if (reason !== undefined) return reason;
  const containers = needs.filter(({ kind }) => kind === 'containers');
  if (containers.length > 0) return usedMessage(item, containers);
  if (item.kind === 'containers')
    return item.seen.state === 'created'
      ? l10n.t('never started')
      : item.seen.status || item.seen.state;
  return cautionOf(item) ?? l10n.t('unused');
}

const DAY = 24 * 60 * 60 * 1000;

function ageOf(item: CleanupItem, now: number) {
  const at = Date.parse(dateOf(item));
  if (Number.isNaN(at)) return { age: '', ageGroup: 'unknown' } as const;
  return {
    age: formatShortAge({ earliest: at, latest: at }, now),
    ageGroup: ageGroupOf((now - at) / DAY),
  };
}

function ageGroupOf(days: number): AgeGroup {
  if (days < 1) return 'day';
  if (days < 7) return 'week';
  return days < 30 ? 'month' : 'older';
}
