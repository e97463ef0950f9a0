import type { Connection } from '../engine/http/connection.ts';
import type { Sample } from '../engine/statistics/readSample.ts';
import type { Clock } from '../base/time.ts';
import type { Reading } from './reading.ts';
import { openSampler } from './sampler.ts';
import { isSameRun, toReading, type ReceivedSample } from './toReading.ts';

/**
 * Reads containers once, with their rates: samples them two times, about a second apart.
 *
 * @param ids full IDs.
 * @returns the readings by ID, without containers that do not run.
 * @throws EngineError; the reason of the signal.
 */
export async function readOnce(
  connection: Connection,
  ids: readonly string[],
  clock: Clock,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Reading>> {
  const first = new Map<string, ReceivedSample>();
  const readings = new Map<string, Reading>();
  const receive = (id: string, sample: Sample): void => {
    const received = { at: clock.now(), sample };
    const before = first.get(id);
    // One that began anew meanwhile has no rate yet.
    if (before && isSameRun(before, received)) readings.set(id, toReading(received, before));
    else first.set(id, received);
  };
  const sampler = await openSampler(connection, signal);
  try {
    for (let round = 0; round < MOST_ROUNDS; round++) {
      if (round > 0) await clock.delay(PAUSE_MS, signal);
      const due = ids.filter((id) => !readings.has(id));
      await sampler.sample(due, new Set(ids), receive, signal);
      if (readings.size === ids.length) break;
    }
  } finally {
    sampler.dispose();
  }
  return readings;
}

/** An engine that samples once a second may send the first sample after two. */
const MOST_ROUNDS = 4;
const PAUSE_MS = 1000;
