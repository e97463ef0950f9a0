import { capabilitiesOf } from '../engine/capabilities/capabilities.ts';
import {
  readContainerHealth,
  runHealthcheck,
  type ContainerHealth,
} from '../engine/containers/containerHealth.ts';
import type { ContainerDetails } from '../engine/containers/containerDetails.ts';
import { inspectContainer } from '../engine/containers/containers.ts';
import { failedWith, isLost, unlessNotFound } from '../engine/errors.ts';
import type { Connection } from '../engine/http/connection.ts';
import { isInterruption } from '../engine/containers/reconnectingWait.ts';
import { Alarm } from '../inventory/alarm.ts';
import type { Inventory } from '../inventory/inventory.ts';
import type { Disposable } from '../base/lifetime.ts';
import type { Clock } from '../base/time.ts';
import { askUntilReached, type EngineAccess } from './interruptions.ts';

/**
 * Waits until a container is healthy, or cannot become it. Inspects it after each of its events. If the engine
 * may not run health checks itself, runs them at the interval of the check. A lost connection does not end the wait.
 *
 * @throws EngineError; the signal's reason if aborted.
 */
export async function waitUntilHealthy(
  id: string,
  world: WaitWorld,
  signal: AbortSignal,
): Promise<WaitEnd> {
  const { inventory, clock } = world;
  const startedAt = clock.now();
  let limitMs = LONGEST_OUTAGE_MS;
  const ask = <T>(work: (connection: Connection) => Promise<T>): Promise<T> =>
    askUntilReached(world, () => limitMs, signal, work);
  const { runsHealthchecks } = capabilitiesOf(await ask((connection) => connection.info(signal)));
  const changes = new Changes(id, inventory, clock);
  let probeAt = runsHealthchecks ? Infinity : startedAt;
  try {
    for (;;) {
      const isProbing = clock.now() >= probeAt;
      if (isProbing) await ask((connection) => probe(connection, id, signal));
      changes.forget();
      const details = await ask((connection) =>
        unlessNotFound(inspectContainer(connection, id, signal)),
      );
      const health = details && readContainerHealth(details);
      const end = endOf(details, health);
      if (end || !health) return end ?? { kind: 'noCheck' };
      limitMs = health.settledAfterMs;
      const now = clock.now();
      const left = startedAt + health.settledAfterMs - now;
      if (left <= 0) return { kind: 'late', afterMs: health.settledAfterMs };
      if (isProbing) probeAt = now + health.intervalMs;
      await changes.next(Math.max(Math.min(left, probeAt - now), 0), signal);
    }
  } finally {
    changes.dispose();
  }
}

/** Time that the engine may be out of reach, if the limit of the check is not known. */
const LONGEST_OUTAGE_MS = 60_000;

/** Dependencies of a wait for a container. */
export interface WaitWorld extends EngineAccess {
  /** Reports when a container may have changed. */
  readonly inventory: Pick<Inventory, 'onDidChange'>;
}

export type WaitEnd =
  | { readonly kind: 'healthy' | 'completed' | 'unhealthy' | 'noCheck' | 'gone' }
  | { readonly kind: 'exited'; readonly exitCode: number }
  /** Without a result in time. */
  | { readonly kind: 'late'; readonly afterMs: number };

/** The changes of one container. */
class Changes implements Disposable {
  readonly #alarm: Alarm;
  readonly #subscription: Disposable;
  #isPending = false;

  constructor(id: string, { onDidChange }: WaitWorld['inventory'], clock: Clock) {
    this.#alarm = new Alarm(clock);
    this.#subscription = onDidChange(({ containers }) => {
      if (!containers.has(id)) return;
      this.#isPending = true;
      this.#alarm.wake();
    });
  }

  /** Called before the container is inspected: that shows all earlier changes. */
  forget(): void {
    this.#isPending = false;
  }

  /** Resolves after the next change since {@link forget}, or after some milliseconds. */
  async next(milliseconds: number, signal: AbortSignal): Promise<void> {
    if (!this.#isPending) await this.#alarm.sleep(milliseconds, signal);
  }

  dispose(): void {
    this.#subscription.dispose();
  }
}

/** Returns undefined while the result is open. */
function endOf(
  details: ContainerDetails | undefined,
  health: ContainerHealth | undefined,
): WaitEnd | undefined {
  if (!details) return { kind: 'gone' };
  if (!details.isRunning) return { kind: 'exited', exitCode: details.exitCode };
  const status = health?.status;
  return status === 'healthy' || status === 'unhealthy' ? { kind: status } : undefined;
}

/** A probe that the engine refuses has no result: the container itself shows why. So has one that was interrupted. */
async function probe(connection: Connection, id: string, signal: AbortSignal): Promise<void> {
  try {
    await runHealthcheck(connection, id, signal);
  } catch (error) {
    if (isInterruption(error)) return;
    if (isLost(error) || !failedWith(error, 'notFound', 'conflict', 'badRequest', 'failed'))
      throw error;
  }
}
