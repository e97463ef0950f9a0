import { capabilitiesOf } from '../capabilities/capabilities.ts';
import type { Connection } from '../http/connection.ts';
import type { ContainerDetails } from './containerDetails.ts';
import { waitAcrossReconnects } from './reconnectingWait.ts';
import { inspectContainer } from './containers.ts';
import { containerPath } from '../wire/wire.ts';
import { failedWith, isRefusal, unlessNotFound } from '../errors.ts';
import type { EngineRequest } from '../http/engineRequest.ts';
import { sentence } from '../../base/sentence.ts';

/** Options of a stop or restart. */
interface LifecycleOptions {
  readonly timeoutSeconds?: number;
}

/** Starts a container: `POST /containers/{id}/start`. */
export async function startContainer(
  connection: Connection,
  id: string,
  signal?: AbortSignal,
): Promise<{ readonly outcome: 'started' | 'alreadyStarted' }> {
  // No time limit: a start may take long (mounts, networks, plugins), and the engine reports its result.
  const reply = await sendOperation(connection, id, 'start', {}, 0, signal);
  return { outcome: reply === 304 ? 'alreadyStarted' : 'started' };
}

/**
 * Stops a container: `POST /containers/{id}/stop`.
 *
 * @param options `timeoutSeconds`: how long to wait for the container to exit before it is killed; -1 waits
 *   forever. Default: the timeout of the container, else that of the engine.
 */
export async function stopContainer(
  connection: Connection,
  id: string,
  options: LifecycleOptions = {},
  signal?: AbortSignal,
): Promise<{ readonly outcome: 'stopped' | 'alreadyStopped' }> {
  const status = await sendEnding(connection, id, 'stop', options, signal);
  return { outcome: status === 304 ? 'alreadyStopped' : 'stopped' };
}

/** Restarts a container, or starts a stopped one: `POST /containers/{id}/restart`. Options as for `stopContainer`. */
export async function restartContainer(
  connection: Connection,
  id: string,
  options: LifecycleOptions = {},
  signal?: AbortSignal,
): Promise<{ readonly outcome: 'restarted' }> {
  await sendEnding(connection, id, 'restart', options, signal);
  return { outcome: 'restarted' };
}

/** Sends a signal: `POST /containers/{id}/kill`. @param options `signal`: name or number; default KILL. */
export async function killContainer(
  connection: Connection,
  id: string,
  options: { readonly signal?: string } = {},
  signal?: AbortSignal,
): Promise<{ readonly outcome: 'killed' | 'alreadyStopped' }> {
  const isAlreadyDone = (now: ContainerDetails): boolean => !now.isRunning;
  const run = sendOperation(connection, id, 'kill', { signal: options.signal }, 0, signal);
  const done = await ignoreIfAlready(connection, id, isAlreadyDone, signal, run);
  return { outcome: done ? 'killed' : 'alreadyStopped' };
}

/** Pauses all processes: `POST /containers/{id}/pause`. */
export async function pauseContainer(
  connection: Connection,
  id: string,
  signal?: AbortSignal,
): Promise<{ readonly outcome: 'paused' | 'alreadyPaused' }> {
  const isAlreadyDone = (now: ContainerDetails): boolean => now.state === 'paused';
  const run = sendOperation(connection, id, 'pause', {}, undefined, signal);
  const done = await ignoreIfAlready(connection, id, isAlreadyDone, signal, run);
  return { outcome: done ? 'paused' : 'alreadyPaused' };
}

/** Resumes all processes: `POST /containers/{id}/unpause`. */
export async function unpauseContainer(
  connection: Connection,
  id: string,
  signal?: AbortSignal,
): Promise<{ readonly outcome: 'unpaused' | 'alreadyUnpaused' }> {
  const isAlreadyDone = (now: ContainerDetails): boolean => now.state === 'running';
  const run = sendOperation(connection, id, 'unpause', {}, undefined, signal);
  const done = await ignoreIfAlready(connection, id, isAlreadyDone, signal, run);
  return { outcome: done ? 'unpaused' : 'alreadyUnpaused' };
}

/** Renames a container: `POST /containers/{id}/rename`. @throws EngineError `conflict` if the name is in use. */
export async function renameContainer(
  connection: Connection,
  id: string,
  name: string,
  signal?: AbortSignal,
): Promise<{ readonly outcome: 'renamed' | 'alreadyNamed' }> {
  const isAlreadyDone = (now: ContainerDetails): boolean => now.name === name;
  try {
    const run = sendOperation(connection, id, 'rename', { name }, undefined, signal);
    const done = await ignoreIfAlready(connection, id, isAlreadyDone, signal, run);
    return { outcome: done ? 'renamed' : 'alreadyNamed' };
  } catch (error) {
    if (!failedWith(error, 'failed')) throw error;
    // Podman 5 responds with status 500 and an error of its database, so look up the name.
    const holder = await inspectContainer(connection, name, signal).catch(() => undefined);
    // A text that is not a name may still be the prefix of an ID.
    if (holder?.name !== name) throw error;
    const engineMessage = sentence('The container name "{0}" is already in use.', name);
    throw error.with({ reason: 'conflict', status: undefined, engineMessage });
  }
}

/**
 * Removes a container: `DELETE /containers/{id}`.
 *
 * @param options `force`: also if it is running; `volumes`: with its anonymous volumes.
 */
export async function removeContainer(
  connection: Connection,
  id: string,
  options: { readonly force?: boolean; readonly volumes?: boolean } = {},
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
 * Returns whether the container disappears by another removal, for example because it was created with `--rm`:
 * engines refuse a second removal while the first is running.
 */
async function isBeingRemoved(
  connection: Connection,
  id: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const now = await unlessNotFound(inspectContainer(connection, id, signal));
  if (now?.state !== 'removing') return now === undefined;
  const connect = (): Promise<Connection> => Promise.resolve(connection);
  const wait = { connect, id, condition: 'removed', signal } as const;
  const end = waitAcrossReconnects(wait).then(({ exit }) => exit);
  return (await unlessNotFound(end))?.error === undefined;
}

/** Sends an operation and resolves to the HTTP status. */
async function sendOperation(
  connection: Connection,
  id: string,
  operation: string,
  query: NonNullable<EngineRequest['query']>,
  limitMs: number | undefined,
  signal: AbortSignal | undefined,
): Promise<number> {
  const path = containerPath(id, operation);
  return (await connection.send({ method: 'POST', path, query, signal, limitMs })).status;
}

/**
 * Awaits an operation and resolves to false if it failed because the container is already in the wanted state.
 * The engines use different statuses for this, so the state itself is checked.
 */
async function ignoreIfAlready(
  connection: Connection,
  id: string,
  isAlreadyDone: (now: ContainerDetails) => boolean,
  signal: AbortSignal | undefined,
  run: Promise<unknown>,
): Promise<boolean> {
  try {
    await run;
    return true;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const now = await inspectContainer(connection, id, signal).catch(() => undefined);
    if (now && isAlreadyDone(now)) return false;
    throw error;
  }
}

/** Sends a stop or a restart. Docker accepts it for a paused container; for Podman 4, unpause the container first. */
async function sendEnding(
  connection: Connection,
  id: string,
  operation: 'stop' | 'restart',
  options: LifecycleOptions,
  signal: AbortSignal | undefined,
): Promise<number> {
  const t = await graceOnWire(connection, options, signal);
  // No time limit: the timeout may be that of the container, which only the engine knows.
  const send = (): Promise<number> => sendOperation(connection, id, operation, { t }, 0, signal);
  try {
    return await send();
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const now = await inspectContainer(connection, id, signal);
    if (now.state !== 'paused') throw error;
    await unpauseContainer(connection, id, signal);
    return send();
  }
}

/** 68 years. */
const LONGEST_GRACE_SECONDS = 2 ** 31 - 1;

async function graceOnWire(
  connection: Connection,
  { timeoutSeconds }: LifecycleOptions,
  signal: AbortSignal | undefined,
): Promise<number | undefined> {
  if (timeoutSeconds === undefined || timeoutSeconds >= 0) return timeoutSeconds;
  const { supportsEndlessGrace } = capabilitiesOf(await connection.info(signal));
  return supportsEndlessGrace ? timeoutSeconds : LONGEST_GRACE_SECONDS;
}
