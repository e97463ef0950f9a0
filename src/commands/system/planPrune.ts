import type { Connection } from '../../engine/http/connection.ts';
import { type DiskUse, engineTime } from '../../engine/system/system.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { judgeForPrune, runningProjects } from './cleanupVerdicts.ts';
import { type CleanupItem, isExcludedBy } from './cleanupItem.ts';
import type { CleanupKind } from '../../engine/system/cleanupKinds.ts';
import { listContents } from './listContents.ts';
import { parseDuration } from '../../engine/options/quantities.ts';

/**
 * Finds what is not used and not excluded by the user. Asks the engine and does not use what a view shows.
 *
 * @throws InputError if `until` is not a duration; EngineError.
 */
export async function planPrune(
  { engine, window: { exclusions }, unit }: CommandContext,
  { kinds, all = false, until }: PruneScope,
  signal: AbortSignal,
): Promise<PrunePlan> {
  const age = parseAge(until);
  const connection = await engine.connect(signal);
  const limit = await momentOfAge(connection, age, signal);
  const found = await listContents(connection, kinds, signal);
  const scope = { kinds, all, until: limit, isExcluded: isExcludedBy(exclusions.of(unit.id)) };
  const items: CleanupItem[] = [];
  const kept = new Map<CleanupItem, string>();
  for (const { item, reason } of judgeForPrune(found, scope))
    if (reason === undefined) items.push(item);
    else kept.set(item, reason);
  const running = runningProjects(found.containers);
  return { connection, items, kept, running, use: found.use?.images };
}

/** Items that a prune removes, and those that it keeps. */
export interface PrunePlan {
  readonly connection: Connection;
  /** In the order of removal. */
  readonly items: readonly CleanupItem[];
  /** Why everything else of these kinds is kept, as part of a sentence. */
  readonly kept: ReadonlyMap<CleanupItem, string>;
  /** See `runningProjects`. */
  readonly running: ReadonlySet<string>;
  /** Space that images use before; undefined if the engine does not report it. */
  readonly use: DiskUse | undefined;
}

/** Which unused things to remove. */
interface PruneScope {
  readonly kinds: readonly CleanupKind[];
  /** Also tagged images, named volumes, and the build cache that images share. */
  readonly all?: boolean | undefined;
  /** Keep what is younger than this duration. */
  readonly until?: string | undefined;
}

/** Checks the `until` of an argument. Returns milliseconds. @throws InputError if it is not a duration. */
function parseAge(until: string | undefined): number | undefined {
  return until === undefined ? undefined : parseDuration(until) / 1_000_000;
}

/** Returns when something must have been made to have this age now, in milliseconds since 1970 of the engine. */
async function momentOfAge(
  connection: Connection,
  age: number | undefined,
  signal: AbortSignal,
): Promise<number | undefined> {
  if (age === undefined) return undefined;
  const seconds = await engineTime(connection, signal);
  return (seconds === undefined ? Date.now() : Number(seconds) * 1000) - age;
}
