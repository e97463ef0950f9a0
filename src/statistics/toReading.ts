import type { Sample } from '../engine/statistics/readSample.ts';
import type { Reading } from './reading.ts';

/**
 * Returns the reading of a sample.
 *
 * @param before the sample before, of the same run of the container, if there is one.
 */
export function toReading(received: ReceivedSample, before?: ReceivedSample): Reading {
  const { at, sample } = received;
  const { engineAt: _, cpuMs: __, ...amounts } = sample;
  return { at, cpuPercent: before && cpuBetween(before, received), ...amounts };
}

/** A sample, and when it arrived. */
export interface ReceivedSample {
  /** Time of this machine, in milliseconds since 1970. */
  readonly at: number;
  /** When it was asked for. Undefined if the engine sent it by itself. */
  readonly askedAt?: number | undefined;
  readonly sample: Sample;
}

/** Whether a sample continues the run of another one: the counters of a new run begin at zero. */
export function isSameRun({ sample: before }: ReceivedSample, { sample }: ReceivedSample): boolean {
  return (
    sample.cpuMs >= before.cpuMs &&
    sample.networkReceived >= before.networkReceived &&
    sample.networkSent >= before.networkSent
  );
}

function cpuBetween(before: ReceivedSample, next: ReceivedSample): number | undefined {
  const spentMs = next.sample.cpuMs - before.sample.cpuMs;
  const { engineAt: from } = before.sample;
  const { engineAt: to } = next.sample;
  // By the clock of the engine: the answer may have been on its way for long.
  const byEngineMs = from === undefined || to === undefined ? 0 : to - from;
  const elapsedMs = byEngineMs > 0 ? within(byEngineMs, before, next) : next.at - before.at;
  if (elapsedMs <= 0) return undefined;
  return Math.min((spentMs / elapsedMs) * 100, MOST_PERCENT);
}

/** Returns a time between two samples as far as it is possible: the clock of the engine may have been set meanwhile. */
function within(elapsedMs: number, before: ReceivedSample, next: ReceivedSample): number {
  const shortestMs = next.askedAt === undefined ? 0 : next.askedAt - before.at;
  const longestMs = before.askedAt === undefined ? Infinity : next.at - before.askedAt;
  return Math.min(Math.max(elapsedMs, shortestMs), longestMs);
}

/** No machine has more processors than 100,000. */
const MOST_PERCENT = 10_000_000;
