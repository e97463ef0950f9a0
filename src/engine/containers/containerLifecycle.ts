import type { L10n } from '../../l10n.ts';
import { capabilitiesOf } from '../capabilities.ts';
import type { Connection } from '../http/connection.ts';
import type { ContainerDetails } from './containerDetails.ts';
import { waitForContainer } from './waitForContainer.ts';
import { containerPath, inspectContainer } from './containers.ts';
import { EngineError, failedWith } from '../errors.ts';
import type { EngineRequest } from '../http/engineRequest.ts';

/** What every verb on a container takes besides its own options. */
interface LifecycleOptions {
  readonly timeoutSeconds?: number | undefined;
}

/** Starts a container: `POST /containers/{id}/start`. */
export async function startContainer(
  connection: Connection,
  id: string,
  signal?: AbortSignal,
): Promise<{ readonly outcome: 'started' | 'alreadyStarted' }> {
  // No limit: an engine takes its time for a start (mounts, networks, plug-ins), and says how it ended.
  const reply = await sendOperation(connection, id, 'start', {}, 0, signal);
  return { outcome: reply === 304 ? 'alreadyStarted' : 'started' };
}

/**
 * Stops a container: `POST /containers/{id}/stop`.
 *
 * @param options `timeoutSeconds`: how long it may take to end by itself before it is killed; -1 for ever.
 * Default: the container's own, else the engine's.
 */
export async function stopContainer(
  connection: Connection,
  id: string,
  options: LifecycleOptions = {},
  signal?: AbortSignal,
): Promise<{ readonly outcome: 'stopped' | 'alreadyStopped' }> {
  const t = await graceOnWire(connection, options, signal);
  const status = await unpauseThenRetry(connection, id, signal, () =>
    // No limit: the grace may be the container's own, which only the engine knows.
    sendOperation(connection, id, 'stop', { t }, 0, signal),
  );
  return { outcome: status === 304 ? 'alreadyStopped' : 'stopped' };
}

/** Stops and starts again, or starts a stopped one: `POST /containers/{id}/restart`. Options as for stop. */
export async function restartContainer(
  connection: Connection,
  id: string,
  options: LifecycleOptions = {},
  signal?: AbortSignal,
): Promise<{ readonly outcome: 'restarted' }> {
  const t = await graceOnWire(connection, options, signal);
  await unpauseThenRetry(connection, id, signal, () =>
    sendOperation(connection, id, 'restart', { t }, 0, signal),
  );
  return { outcome: 'restarted' };
}

/** Sends a signal: `POST /containers/{id}/kill`. @param options `signal` by name or number; default KILL. */
export async function killContainer(
  connection: Connection,
  id: string,
  options: { readonly signal?: string | undefined } = {},
  signal?: AbortSignal,
): Promise<{ readonly outcome: 'killed' | 'alreadyStopped' }> {
  const isSo = (now: ContainerDetails): boolean => !now.isRunning;
  const done = await ignoreIfAlready(connection, id, isSo, signal, () =>
    sendOperation(connection, id, 'kill', { signal: options.signal }, 0, signal),
  );
  return { outcome: done ? 'killed' : 'alreadyStopped' };
}

/** Freezes all processes: `POST /containers/{id}/pause`. */
export async function pauseContainer(
  connection: Connection,
  id: string,
  signal?: AbortSignal,
): Promise<{ readonly outcome: 'paused' | 'alreadyPaused' }> {
  const isSo = (now: ContainerDetails): boolean => now.state === 'paused';
  const done = await ignoreIfAlready(connection, id, isSo, signal, () =>
    sendOperation(connection, id, 'pause', {}, undefined, signal),
  );
  return { outcome: done ? 'paused' : 'alreadyPaused' };
}

/** Lets them run on: `POST /containers/{id}/unpause`. */
export async function unpauseContainer(
  connection: Connection,
  id: string,
  signal?: AbortSignal,
): Promise<{ readonly outcome: 'unpaused' | 'alreadyUnpaused' }> {
  const isSo = (now: ContainerDetails): boolean => now.state === 'running';
  const done = await ignoreIfAlready(connection, id, isSo, signal, () =>
    sendOperation(connection, id, 'unpause', {}, undefined, signal),
  );
  return { outcome: done ? 'unpaused' : 'alreadyUnpaused' };
}

/** Gives another name: `POST /containers/{id}/rename`. @throws EngineError `conflict` if it is taken. */
export async function renameContainer(
  connection: Connection,
  id: string,
  name: string,
  l10n: L10n,
  signal?: AbortSignal,
): Promise<{ readonly outcome: 'renamed' | 'alreadyNamed' }> {
  const isSo = (now: ContainerDetails): boolean => now.name === name;
  try {
    const done = await ignoreIfAlready(connection, id, isSo, signal, () =>
      sendOperation(connection, id, 'rename', { name }, undefined, signal),
    );
    return { outcome: done ? 'renamed' : 'alreadyNamed' };
  } catch (error) {
    if (!failedWith(error, 'failed') || !(await isTaken(connection, name, signal))) throw error;
    throw nameTaken(error, name, l10n);
  }
}

/** Podman 5 answers 500 with the words of its database, so the name itself is looked up. */
async function isTaken(
  connection: Connection,
  name: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const holder = await inspectContainer(connection, name, signal).catch(() => undefined);
  // A text that is no name can still be the beginning of an id.
  return holder?.name === name;
}

function nameTaken({ endpoint, operation }: EngineError, name: string, l10n: L10n): EngineError {
  const engineMessage = l10n.t('The container name "{0}" is already in use.', name);
  return new EngineError('conflict', { engineMessage, endpoint, operation });
}

/**
 * Removes a container: `DELETE /containers/{id}`.
 *
 * @param options `force`: also while it runs; `volumes`: with its anonymous volumes.
 */
export async function removeContainer(
  connection: Connection,
  id: string,
  options: { readonly force?: boolean | undefined; readonly volumes?: boolean | undefined } = {},
  signal?: AbortSignal,
): Promise<{ readonly outcome: 'removed' | 'alreadyGone' }> {
  try {
    await connection.send({
      method: 'DELETE',
      path: containerPath(id),
      query: { force: options.force, v: options.volumes },
      limitMs: 0,
      signal,
    });
    return { outcome: 'removed' };
  } catch (error) {
    if (failedWith(error, 'notFound')) return { outcome: 'alreadyGone' };
    if (!isRefusal(error) || !(await isBeingRemoved(connection, id, signal))) throw error;
    return { outcome: 'alreadyGone' };
  }
}

/**
 * Whether it is gone after somebody else's removal, as that of a container which removes itself: engines refuse
 * a second one while the first is under way.
 */
async function isBeingRemoved(
  connection: Connection,
  id: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  try {
    const { state } = await inspectContainer(connection, id, signal);
    if (state !== 'removing') return false;
    const { exit } = await waitForContainer(connection, id, 'removed', signal);
    return (await exit).error === undefined;
  } catch (error) {
    if (failedWith(error, 'notFound')) return true;
    throw error;
  }
}

/** A no to what was asked. The engines give it different statuses: what it is about, only the state tells. */
function isRefusal(error: unknown): boolean {
  return failedWith(error, 'conflict', 'badRequest', 'failed');
}

/** Sends a verb and hands back the status. */
async function sendOperation(
  connection: Connection,
  id: string,
  operation: string,
  query: NonNullable<EngineRequest['query']>,
  limitMs: number | undefined,
  signal: AbortSignal | undefined,
): Promise<number> {
  const path = containerPath(id, operation);
  const limit = limitMs === undefined ? {} : { limitMs };
  return (await connection.send({ method: 'POST', path, query, signal, ...limit })).status;
}

/**
 * Runs a verb; where it fails because the container is so already, that is no failure. The engines answer
 * that with different statuses, so the state itself is looked at.
 */
async function ignoreIfAlready(
  connection: Connection,
  id: string,
  isSo: (now: ContainerDetails) => boolean,
  signal: AbortSignal | undefined,
  run: () => Promise<unknown>,
): Promise<boolean> {
  try {
    await run();
    return true;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const now = await inspectContainer(connection, id, signal).catch(() => undefined);
    if (now && isSo(now)) return false;
    throw error;
  }
}

/** Docker stops a paused container, Podman 4 has to be asked to let it run on first. */
async function unpauseThenRetry(
  connection: Connection,
  id: string,
  signal: AbortSignal | undefined,
  run: () => Promise<number>,
): Promise<number> {
  try {
    return await run();
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const now = await inspectContainer(connection, id, signal);
    if (now.state !== 'paused') throw error;
    await unpauseContainer(connection, id, signal);
    return run();
  }
}

/** Sixty-eight years. */
const LONGEST_GRACE_SECONDS = 2 ** 31 - 1;

async function graceOnWire(
  connection: Connection,
  { timeoutSeconds }: LifecycleOptions,
  signal: AbortSignal | undefined,
): Promise<number | undefined> {
  if (timeoutSeconds === undefined || timeoutSeconds >= 0) return timeoutSeconds;
  const { takesEndlessGrace } = capabilitiesOf(await connection.info(signal));
  return takesEndlessGrace ? timeoutSeconds : LONGEST_GRACE_SECONDS;
}
