import * as l10n from '@vscode/l10n';
import { isAnonymousVolume, isUp, type Container, type Image } from '../../engine/model.ts';
import { isPlainCache } from '../../engine/system/buildCache.ts';
import { projectOf } from '../../projects/projectLabels.ts';
import { formatNames } from '../ui/formatNames.ts';
import { cleanupCandidates, type Candidate, type CandidateUser } from './cleanupCandidates.ts';
import { keyOf, type CleanupItem, type EngineContents } from './cleanupItem.ts';
import { CLEANUP_KINDS, type CleanupKind } from '../../engine/system/cleanupKinds.ts';

/** Decision on whether an item can be removed. */
export interface Verdict {
  readonly item: CleanupItem;
  /** Why it stays, as part of a sentence; undefined if it can be removed. */
  readonly reason: string | undefined;
  /** Items that have to be removed before it. */
  readonly needs: readonly CandidateUser[];
}

/** Which unused things to remove. */
interface CleanupScope {
  readonly kinds: readonly CleanupKind[];
  /** Also tagged images, named volumes, and the build cache that images share. */
  readonly all: boolean;
  /** Only what is older, in milliseconds since 1970. */
  readonly until?: number | undefined;
  /** Returns whether the user never wants to remove an item. */
  readonly isExcluded?: (item: CleanupItem) => boolean;
}

/**
 * Judges everything that an engine has, in an order in which it can be removed.
 *
 * @param keep returns why an item is kept that could be removed.
 */
export function judge(
  found: EngineContents,
  keep: (item: CleanupItem) => string | undefined,
): readonly Verdict[] {
  const all = new Map(cleanupCandidates(found).map((one) => [keyOf(one.item), one]));
  const verdicts = new Map<string, Verdict>();
  const isStuck = ({ key }: CandidateUser): boolean => verdicts.get(key)?.reason !== undefined;
  for (const [key, candidate] of usersFirst(all)) {
    const { item, fixed, users } = candidate;
    const stuck = users.filter((user) => !all.has(user.key) || isStuck(user));
    const reason = fixed ?? (stuck.length > 0 ? usedMessage(item, stuck) : keep(item));
    verdicts.set(key, { item, reason, needs: users });
  }
  const rest = [...all].filter(([key]) => !verdicts.has(key));
  const inCycle = rest.map(([, { item, users }]): Verdict => {
    return { item, reason: usedMessage(item, users), needs: [] };
  });
  const judged = [...verdicts.values(), ...inCycle];
  return CLEANUP_KINDS.flatMap((kind) => judged.filter(({ item }) => item.kind === kind));
}

/** Judges for a prune: only what is in the scope is removed. */
export function judgeForPrune(
  found: EngineContents,
  { kinds, all, until, isExcluded }: CleanupScope,
): readonly Verdict[] {
  const keep = (item: CleanupItem): string | undefined => {
    if (!kinds.includes(item.kind)) return l10n.t('not selected');
    if (isExcluded?.(item)) return excludedMessage();
    if (!isOld(dateOf(item), until)) return l10n.t('newer than the given duration');
    return all ? undefined : cautionOf(item);
  };
  return judge(found, keep).filter(({ item }) => kinds.includes(item.kind));
}

/** Returns what a prune removes, in the order of removal. */
export function findUnused(found: EngineContents, scope: CleanupScope): readonly CleanupItem[] {
  return judgeForPrune(found, scope).flatMap(({ item, reason }) =>
    reason === undefined ? [item] : [],
  );
}

/** Returns why an unused item is removed only on explicit request; undefined if it is easy to make again. */
export function cautionOf(item: CleanupItem): string | undefined {
  switch (item.kind) {
    case 'images':
      if (isDangling(item.seen)) return undefined;
      return item.seen.tags.length > 0 ? l10n.t('tagged image') : l10n.t('pulled by digest');
    case 'volumes':
      return isAnonymousVolume(item.seen) ? undefined : l10n.t('named volume');
    case 'buildCache':
      if (item.seen.isShared) return l10n.t('shared with an image');
      return isPlainCache(item.seen) ? undefined : l10n.t('internal record of the builder');
    case 'containers':
    case 'networks':
      return undefined;
  }
}

/**
 * Whether to suggest the removal of an unused item. A container that was never started may be about to be, and the
 * log and the files of one that failed are needed to find out why. What a running project has, it may use again.
 *
 * @param running from {@link runningProjects}.
 */
export function isEasyToReplace(item: CleanupItem, running: ReadonlySet<string>): boolean {
  const project = 'labels' in item.seen ? projectOf(item.seen) : undefined;
  if (project !== undefined && running.has(project)) return false;
  if (item.kind === 'containers') return item.seen.state === 'exited' && item.seen.exitCode === 0;
  return cautionOf(item) === undefined;
}

/** Returns the projects of which a container is up. */
export function runningProjects(containers: readonly Container[]): ReadonlySet<string> {
  return new Set(containers.filter(isUp).flatMap((one) => projectOf(one) ?? []));
}

/** One that was pulled by digest has a name. */
function isDangling({ tags, digests }: Image): boolean {
  return tags.length === 0 && digests.length === 0;
}

/** Returns that the user never wants to remove an item, as part of a sentence. */
export function excludedMessage(): string {
  return l10n.t('excluded by you');
}

/** Returns when the item was created, or for the build cache last used: ISO 8601; empty if unknown. */
export function dateOf(item: CleanupItem): string {
  return item.kind === 'buildCache' ? item.seen.usedAt : item.seen.createdAt;
}

/** Whether a date is known and before the limit. */
function isOld(moment: string, until: number | undefined): boolean {
  return until === undefined || Date.parse(moment) <= until;
}

/** Returns each candidate after all its users. Leaves out those in a cycle, which no correct engine reports. */
function usersFirst(all: ReadonlyMap<string, Candidate>): readonly [string, Candidate][] {
  const left = new Map<string, number>();
  const used = new Map<string, string[]>();
  for (const [key, { users }] of all) {
    const known = users.filter((user) => all.has(user.key));
    left.set(key, known.length);
    for (const user of known) {
      const keys = used.get(user.key);
      if (keys) keys.push(key);
      else used.set(user.key, [key]);
    }
  }
  const queue = [...all].filter(([key]) => left.get(key) === 0);
  // The loop also visits what it adds.
  for (const [user] of queue) {
    for (const key of used.get(user) ?? []) {
      const count = (left.get(key) ?? 0) - 1;
      left.set(key, count);
      const candidate = all.get(key);
      if (count === 0 && candidate) queue.push([key, candidate]);
    }
  }
  return queue;
}

/** Returns what uses an item, as part of a sentence. */
export function usedMessage(item: CleanupItem, users: readonly CandidateUser[]): string {
  if (item.kind === 'buildCache') return l10n.t('another record needs it');
  const containers = users.filter(({ kind }) => kind === 'containers');
  const names = (containers.length > 0 ? containers : users).map(({ name }) => name);
  return containers.length > 0
    ? l10n.t('used by {0}', formatNames(names, 3))
    : l10n.t('parent of {0}', formatNames(names, 3));
}
