import type { Connection } from '../http/connection.ts';
import type { Health } from '../model.ts';
import { asNumber, asRecord, asTexts } from '../wire/wire.ts';
import type { ContainerDetails } from './containerDetails.ts';
import { asHealth } from './readContainer.ts';

/** The health check of a container, and its result. */
export interface ContainerHealth {
  /** Undefined before the first start, and on engines that report none. */
  readonly status: Health | undefined;
  /** Milliseconds between two checks. */
  readonly intervalMs: number;
  /** Milliseconds after a start by which the engine has a result, regardless of the checks. */
  readonly settledAfterMs: number;
}

/** Default of engines for a field that is not set, in nanoseconds. */
const USUAL = { Interval: 30e9, Timeout: 30e9, StartPeriod: 0 } as const;
const USUAL_RETRIES = 3;
/** Bounds for what an image may ask for. */
const SHORTEST_MS = 1000;
const LONGEST_MS = 3_600_000;

/** Reads the health of an inspected container; undefined if it has no health check. */
export function readContainerHealth({
  raw,
}: Pick<ContainerDetails, 'raw'>): ContainerHealth | undefined {
  const wire = asRecord(raw);
  const check = asRecord(asRecord(wire['Config'])['Healthcheck']);
  const status = asHealth(asRecord(asRecord(wire['State'])['Health'])['Status']);
  const [kind = 'NONE'] = asTexts(check['Test']);
  if (kind === 'NONE' && status === undefined) return undefined;
  const millisecondsOf = (field: keyof typeof USUAL): number =>
    ((asNumber(check[field]) ?? 0) || USUAL[field]) / 1e6;
  const intervalMs = millisecondsOf('Interval');
  const retries = (asNumber(check['Retries']) ?? 0) || USUAL_RETRIES;
  // One more than the failures that make it unhealthy: the first may begin before the start period ends.
  const checksMs = (intervalMs + millisecondsOf('Timeout')) * (retries + 1);
  return {
    status,
    intervalMs: bounded(intervalMs),
    settledAfterMs: bounded(millisecondsOf('StartPeriod') + checksMs),
  };
}

function bounded(milliseconds: number): number {
  return Math.min(Math.max(milliseconds, SHORTEST_MS), LONGEST_MS);
}

/**
 * Runs the health check of a container now: `GET /libpod/containers/{id}/healthcheck`. Only for Podman.
 *
 * @throws EngineError if it has none, or is not running.
 */
export async function runHealthcheck(
  connection: Connection,
  id: string,
  signal?: AbortSignal,
): Promise<void> {
  const path = `/libpod/containers/${encodeURIComponent(id.toWellFormed())}/healthcheck`;
  // No time limit: the check has its own.
  await connection.send({ method: 'GET', path, limitMs: 0, signal });
}
