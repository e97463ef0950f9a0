import type { Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';
import type { Pace } from './patternList.ts';

/** Number of names read together. */
const AT_ONCE = 1024;
/** Number of items sorted without yielding. */
const SORTED_AT_ONCE = 512;

/**
 * Yields what is in a folder as it is read. Names are bytes. Other work runs in between, also in a folder with a
 * million files.
 *
 * @param pace is counted on for each name.
 */
export async function* listFolder(path: string, pace: Pace): AsyncGenerator<Dirent<Buffer>> {
  const options: object = { encoding: 'buffer', bufferSize: AT_ONCE };
  // The types of Node do not have this encoding.
  const found: AsyncIterable<unknown> = await opendir(path, options);
  for await (const one of found as AsyncIterable<Dirent<Buffer>>) {
    pace.count(1);
    if (pace.isDue) await pace.rest();
    yield one;
  }
}

/** Returns the items in their order. @param pace is counted on for each comparison. */
export async function sortedInTurns<T>(
  items: readonly T[],
  compare: (a: T, b: T) => number,
  pace: Pace,
): Promise<readonly T[]> {
  let runs: (readonly T[])[] = [];
  for (let at = 0; at < items.length; at += SORTED_AT_ONCE) {
    const run = items.slice(at, at + SORTED_AT_ONCE).sort(compare);
    pace.count(run.length * Math.ceil(Math.log2(run.length + 1)));
    if (pace.isDue) await pace.rest();
    runs.push(run);
  }
  while (runs.length > 1) {
    const merged: (readonly T[])[] = [];
    for (let at = 0; at < runs.length; at += 2)
      merged.push(await mergedInTurns(runs[at] ?? [], runs[at + 1] ?? [], compare, pace));
    runs = merged;
  }
  return runs[0] ?? [];
}

async function mergedInTurns<T>(
  left: readonly T[],
  right: readonly T[],
  compare: (a: T, b: T) => number,
  pace: Pace,
): Promise<readonly T[]> {
  const merged: T[] = [];
  const rights = right.values();
  let next = rights.next();
  for (const one of left) {
    for (; !next.done && compare(next.value, one) < 0; next = rights.next()) {
      merged.push(next.value);
      pace.count(1);
      if (pace.isDue) await pace.rest();
    }
    merged.push(one);
    pace.count(1);
    if (pace.isDue) await pace.rest();
  }
  for (; !next.done; next = rights.next()) {
    merged.push(next.value);
    pace.count(1);
    if (pace.isDue) await pace.rest();
  }
  return merged;
}
