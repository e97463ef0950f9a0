import type { Sample } from '../engine/statistics/readSample.ts';
import type { Reading } from './reading.ts';

/**
 * Returns the reading of a sample.
 *
 * @param before the sample before, of the same run of the container, if there is one.
 */
export function toReading({ at, sample }: ReceivedSample, before?: ReceivedSample): Reading {
  const { engineAt: _, cpuMs: __, ...amounts } = sample;
  return { at, cpuPercent: before && cpuBetween(before, { at, sample }), ...amounts };
}

/** A sample, and when it arrived. */
export interface ReceivedSample {
  /** Time of this machine, in milliseconds since 1970. */
  readonly at: number;
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
  // By the clock of the engine, unless it was set back meanwhile: the answer may have been on its way for long.
  const byEngineMs = from === undefined || to === undefined ? 0 : to - from;
  const elapsedMs = byEngineMs > 0 ? byEngineMs : next.at - before.at;
  if (elapsedMs <= 0) return undefined;
  return Math.min((spentMs / elapsedMs) * 100, MOST_PERCENT);
}

/** No machine has more processors than 100,000. */
const MOST_PERCENT = 10_000_000;
