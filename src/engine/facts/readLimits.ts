import { USUAL_CPU_PERIOD } from '../options/optionReaders.ts';
import { asNumber } from '../wire/wire.ts';
import type { LimitFacts, LimitName } from './containerFacts.ts';

/** Fields of `HostConfig` that limit what a container uses. 0 is no limit. */
const FIELDS: readonly (readonly [LimitName, string])[] = [
  ['memory', 'Memory'],
  ['memoryReservation', 'MemoryReservation'],
  ['memorySwap', 'MemorySwap'],
  ['shmSize', 'ShmSize'],
  ['cpuShares', 'CpuShares'],
  ['pids', 'PidsLimit'],
];

/** Reads the limits of an inspected container, also those that are defaults of the engine. */
export function readLimits(host: Readonly<Record<string, unknown>>): readonly LimitFacts[] {
  const cpus = cpusOf(host);
  return [
    ...(cpus === undefined ? [] : [{ what: 'cpus' as const, value: cpus }]),
    ...FIELDS.flatMap(([what, field]) => {
      const value = asNumber(host[field]) ?? 0;
      return value > 0 ? [{ what, value }] : [];
    }),
  ];
}

function cpusOf(host: Readonly<Record<string, unknown>>): number | undefined {
  const nano = asNumber(host['NanoCpus']) ?? 0;
  if (nano > 0) return nano / 1e9;
  const quota = asNumber(host['CpuQuota']) ?? 0;
  const period = asNumber(host['CpuPeriod']) ?? 0;
  return quota > 0 ? quota / (period > 0 ? period : USUAL_CPU_PERIOD) : undefined;
}
