import { capabilitiesOf } from '../capabilities/capabilities.ts';
import type { Connection } from '../http/connection.ts';
import { asRecord } from '../wire/wire.ts';
import { memoryLimitOf } from './containerDetails.ts';
import { inspectContainer } from './containers.ts';

/**
 * Asks how the last run of a container ended. Podman is asked by its own API: only there it says whether a client stopped
 * or killed the container, and not before version 5.
 *
 * @returns undefined if it runs.
 */
export async function inspectEnd(
  connection: Connection,
  id: string,
  signal?: AbortSignal,
): Promise<RunEnd | undefined> {
  const { reportsStops } = capabilitiesOf(await connection.info(signal));
  const details = await inspectContainer(connection, id, signal, reportsStops ? '' : '/libpod');
  if (details.isRunning && details.state !== 'restarting') return undefined;
  const state = asRecord(asRecord(details.raw)['State']);
  const limitBytes = memoryLimitOf(details);
  const memoryKill = limitBytes === undefined ? {} : { limitBytes };
  return {
    wasStopped: state['StoppedByUser'] === true,
    ...(details.wasOutOfMemory && { memoryKill }),
  };
}

/** How a run of a container ended. */
export interface RunEnd {
  /** Whether the engine says that a client stopped it. Podman says so after any signal. */
  readonly wasStopped: boolean;
  /** If it was killed for lack of memory. */
  readonly memoryKill?: MemoryKill;
}

/** How a container was killed because it exceeded its memory limit. */
export interface MemoryKill {
  /** In bytes; undefined if it has none, and the host was out of memory. */
  readonly limitBytes?: number;
}
