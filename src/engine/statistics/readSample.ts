import { asList, asNumber, asRecord, asText } from '../wire/wire.ts';

type Wire = Readonly<Record<string, unknown>>;

/**
 * Reads one record of `GET /containers/{id}/stats`, on Linux with cgroup v1 or v2. Undefined if it says nothing: that
 * of a container that does not run has only zeros.
 */
export function readSample(value: unknown): Sample | undefined {
  const wire = asRecord(value);
  const engineAt = momentOf(Date.parse(asText(wire['read'])));
  const cpuNanos = countIn(asRecord(asRecord(wire['cpu_stats'])['cpu_usage'])['total_usage']);
  const memory = asRecord(wire['memory_stats']);
  const usage = countIn(memory['usage']);
  if (engineAt === undefined || cpuNanos === undefined || usage === undefined) return undefined;
  const networks = Object.values(asRecord(wire['networks'])).slice(0, MOST_PARTS).map(asRecord);
  const blocks = asRecord(wire['blkio_stats'])['io_service_bytes_recursive'];
  return {
    engineAt,
    cpuMs: cpuNanos / NANOS_PER_MS,
    memoryBytes: Math.max(0, usage - cacheIn(asRecord(memory['stats']), usage)),
    memoryLimitBytes: limitIn(memory['limit']),
    networkReceived: sumOf(networks, 'rx_bytes'),
    networkSent: sumOf(networks, 'tx_bytes'),
    blockRead: blockBytes(blocks, 'r'),
    blockWritten: blockBytes(blocks, 'w'),
    pids: countIn(asRecord(wire['pids_stats'])['current']),
  };
}

/** What an engine counts of a running container at one moment. Two of them give a rate. */
export interface Sample extends UsedAmounts {
  /** By the clock of the engine, in milliseconds since 1970. Undefined if it does not say. */
  readonly engineAt: number | undefined;
  /** CPU time since the start, of all processors together, in milliseconds. */
  readonly cpuMs: number;
}

/** What a container uses at one moment, or has used since its start. */
export interface UsedAmounts {
  /** Memory in use without the cache of files that can be dropped, in bytes. */
  readonly memoryBytes: number;
  /** The memory limit in bytes: that of the container, otherwise that of the host. Undefined if unknown. */
  readonly memoryLimitBytes: number | undefined;
  /** Bytes since the start of the container. */
  readonly networkReceived: number;
  readonly networkSent: number;
  /** Bytes since the start of the container. Undefined if the engine does not say. */
  readonly blockRead: number | undefined;
  readonly blockWritten: number | undefined;
  /** Number of processes and threads. Undefined if the engine does not say. */
  readonly pids: number | undefined;
}

/**
 * Reads one entry of `GET /libpod/containers/stats`. Undefined if the container does not run.
 *
 * @returns with the full ID of the container.
 */
export function readPodmanSample(
  value: unknown,
): { readonly id: string; readonly sample: Sample } | undefined {
  const wire = asRecord(value);
  const id = asText(wire['ContainerID']);
  const cpuNanos = countIn(wire['CPUNano']);
  const memoryBytes = countIn(wire['MemUsage']);
  const pids = countIn(wire['PIDs']);
  // One that has stopped meanwhile has zeros.
  if (cpuNanos === undefined || memoryBytes === undefined || (cpuNanos === 0 && memoryBytes === 0))
    return undefined;
  // Podman 4 counts them itself.
  const { Network: network } = wire;
  const networks = Object.values(asRecord(network)).slice(0, MOST_PARTS).map(asRecord);
  const { NetInput: received, NetOutput: sent } = wire;
  return {
    id,
    sample: {
      engineAt: momentOf((asNumber(wire['SystemNano']) ?? 0) / NANOS_PER_MS),
      cpuMs: cpuNanos / NANOS_PER_MS,
      memoryBytes,
      memoryLimitBytes: limitIn(wire['MemLimit']),
      networkReceived: countIn(received) ?? sumOf(networks, 'RxBytes'),
      networkSent: countIn(sent) ?? sumOf(networks, 'TxBytes'),
      blockRead: countIn(wire['BlockInput']),
      blockWritten: countIn(wire['BlockOutput']),
      pids,
    },
  };
}

const NANOS_PER_MS = 1_000_000;
/** More interfaces or disks than a container has. */
const MOST_PARTS = 1000;
/** No counter of Linux is higher: 64 bits. */
const HIGHEST_COUNT = 2 ** 64;
/** A limit from here on is none: a cgroup without one writes the largest number of pages. */
const NO_LIMIT = 2 ** 60;
/** The latest time that a `Date` can have. */
const LATEST_MS = 8.64e15;

function countIn(value: unknown): number | undefined {
  const count = asNumber(value);
  return count !== undefined && count >= 0 && count <= HIGHEST_COUNT ? count : undefined;
}

function limitIn(value: unknown): number | undefined {
  const limit = countIn(value);
  return limit !== undefined && limit > 0 && limit < NO_LIMIT ? limit : undefined;
}

/** Engines write the year 1 for "never". */
function momentOf(at: number): number | undefined {
  return at > 0 && at <= LATEST_MS ? at : undefined;
}

/** The cache of files that were not used for long, as `docker stats` leaves it out: by cgroup v1, else by v2. */
function cacheIn(stats: Wire, usage: number): number {
  for (const name of ['total_inactive_file', 'inactive_file']) {
    const cache = countIn(stats[name]);
    if (cache !== undefined && cache < usage) return cache;
  }
  return 0;
}

function sumOf(parts: readonly Wire[], name: string): number {
  const sum = parts.reduce((all, part) => all + (countIn(part[name]) ?? 0), 0);
  return Math.min(sum, HIGHEST_COUNT);
}

/** @param first the first letter of the operation, which is `Read` or `read`. */
function blockBytes(blocks: unknown, first: 'r' | 'w'): number | undefined {
  if (!Array.isArray(blocks)) return undefined;
  const parts = asList(blocks).slice(0, MOST_PARTS).map(asRecord);
  return sumOf(
    parts.filter(({ op }) => asText(op).slice(0, 1).toLowerCase() === first),
    'value',
  );
}
