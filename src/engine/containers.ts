import type { Connection } from './connection.ts';
import type { EngineRequest } from './request.ts';
import { readContainerDetails, type ContainerDetails } from './containerDetails.ts';
import { readContainer } from './containerRecord.ts';
import { EngineError, failedWith } from './errors.ts';
import type { Container } from './model.ts';
import { asImageId, asNumber, asRecord, asText, asTexts } from './wire.ts';

/** What every verb on a container takes besides its own options. */
interface VerbOptions {
  readonly timeoutSeconds?: number | undefined;
}

const STOP_MARGIN_SECONDS = 30;
const DEFAULT_GRACE_SECONDS = 10;

/** The path of one container, or of one of its operations. */
export function containerPath(id: string, operation = ''): string {
  return `/containers/${encodeURIComponent(id.toWellFormed())}${operation === '' ? '' : `/${operation}`}`;
}

/**
 * Lists containers: `GET /containers/json`.
 *
 * @param options `all`: stopped ones, too (default: running only); `ids`: these alone, by full id.
 */
export async function listContainers(
  connection: Connection,
  options: { readonly all?: boolean; readonly ids?: readonly string[] },
  signal?: AbortSignal,
): Promise<readonly Container[]> {
  // An empty filter is none: the engine would tell of everything.
  if (options.ids?.length === 0) return [];
  const all = options.all === true ? true : undefined;
  const filters = {
    ...(options.ids === undefined ? {} : { id: options.ids }),
    ...(all ? {} : await runningFilter(connection, signal)),
  };
  const reply = await connection.send({
    method: 'GET',
    path: '/containers/json',
    query: { all, filters: Object.keys(filters).length ? JSON.stringify(filters) : undefined },
    signal,
  });
  const list = reply.json();
  if (!Array.isArray(list)) throw badAnswer(connection, 'GET /containers/json');
  return list.map(readContainer).filter((one) => one !== undefined);
}

/** What Podman has to be told for "running" to mean what it means to Docker: a paused container, too. */
async function runningFilter(
  connection: Connection,
  signal: AbortSignal | undefined,
): Promise<Readonly<Record<string, readonly string[]>>> {
  const { product } = await connection.info(signal);
  return product === 'podman' ? { status: ['running', 'paused'] } : {};
}

/** Everything about one container: `GET /containers/{id}/json`. */
export async function inspectContainer(
  connection: Connection,
  id: string,
  signal?: AbortSignal,
): Promise<ContainerDetails> {
  const path = containerPath(id, 'json');
  const details = readContainerDetails(
    (await connection.send({ method: 'GET', path, signal })).json(),
  );
  if (details.id === '') throw badAnswer(connection, `GET ${path}`);
  return details;
}

/** The wire form of a create request. */
export interface CreateRequest {
  readonly body: Readonly<Record<string, unknown>>;
  readonly name?: string | undefined;
  readonly platform?: string | undefined;
}

/**
 * Creates a container: `POST /containers/create`.
 *
 * @throws EngineError `notFound` for a missing image, but for a missing network, too; `conflict` for a name
 * in use.
 */
export async function createContainer(
  connection: Connection,
  request: CreateRequest,
  signal?: AbortSignal,
): Promise<{ readonly id: string; readonly warnings: readonly string[] }> {
  const reply = await connection.send({
    method: 'POST',
    path: '/containers/create',
    query: { name: request.name, platform: request.platform },
    body: { ...(await usualGrace(connection, signal)), ...request.body },
    limitMs: 0,
    signal,
  });
  const wire = asRecord(reply.json());
  const id = asText(wire['Id']);
  if (id === '') throw badAnswer(connection, 'POST /containers/create');
  return { id, warnings: asTexts(wire['Warnings']) };
}

/** Podman 4 takes no word about the grace of a stop for none at all, and kills at once. */
async function usualGrace(
  connection: Connection,
  signal: AbortSignal | undefined,
): Promise<object> {
  const { product } = await connection.info(signal);
  return product === 'podman' ? { StopTimeout: DEFAULT_GRACE_SECONDS } : {};
}

/** Starts a container: `POST /containers/{id}/start`. */
export async function startContainer(
  connection: Connection,
  id: string,
  signal?: AbortSignal,
): Promise<{ readonly outcome: 'started' | 'alreadyStarted' }> {
  // No limit: an engine takes its time for a start (mounts, networks, plug-ins), and says how it ended.
  const reply = await verb(connection, id, 'start', {}, 0, signal);
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
  options: VerbOptions = {},
  signal?: AbortSignal,
): Promise<{ readonly outcome: 'stopped' | 'alreadyStopped' }> {
  const limitMs = await stopLimit(connection, id, options, signal);
  const query = { t: options.timeoutSeconds };
  const status = await verb(connection, id, 'stop', query, limitMs, signal);
  return { outcome: status === 304 ? 'alreadyStopped' : 'stopped' };
}

/** Stops and starts again, or starts a stopped one: `POST /containers/{id}/restart`. Options as for stop. */
export async function restartContainer(
  connection: Connection,
  id: string,
  options: VerbOptions = {},
  signal?: AbortSignal,
): Promise<{ readonly outcome: 'restarted' }> {
  const limitMs = await stopLimit(connection, id, options, signal);
  await verb(connection, id, 'restart', { t: options.timeoutSeconds }, limitMs, signal);
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
  const done = await unlessSo(connection, id, isSo, signal, () =>
    verb(connection, id, 'kill', { signal: options.signal }, 0, signal),
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
  const done = await unlessSo(connection, id, isSo, signal, () =>
    verb(connection, id, 'pause', {}, undefined, signal),
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
  const done = await unlessSo(connection, id, isSo, signal, () =>
    verb(connection, id, 'unpause', {}, undefined, signal),
  );
  return { outcome: done ? 'unpaused' : 'alreadyUnpaused' };
}

/** Gives another name: `POST /containers/{id}/rename`. @throws EngineError `conflict` where it is taken. */
export async function renameContainer(
  connection: Connection,
  id: string,
  name: string,
  signal?: AbortSignal,
): Promise<{ readonly outcome: 'renamed' | 'alreadyNamed' }> {
  const isSo = (now: ContainerDetails): boolean => now.name === name;
  const done = await unlessSo(connection, id, isSo, signal, () =>
    verb(connection, id, 'rename', { name }, undefined, signal),
  );
  return { outcome: done ? 'renamed' : 'alreadyNamed' };
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
    throw error;
  }
}

/** The wire form of a commit. `pause` is always said: the engines' defaults differ. */
export interface CommitRequest {
  readonly id: string;
  readonly repository: string;
  readonly tag?: string | undefined;
  readonly message?: string | undefined;
  readonly author?: string | undefined;
  readonly pause: boolean;
  readonly changes?: readonly string[] | undefined;
}

/** Makes an image of a container: `POST /commit`. */
export async function commitContainer(
  connection: Connection,
  request: CommitRequest,
  signal?: AbortSignal,
): Promise<{ readonly imageId: string }> {
  const reply = await connection.send({
    method: 'POST',
    path: '/commit',
    query: {
      container: request.id,
      repo: request.repository,
      tag: request.tag ?? 'latest',
      comment: request.message,
      author: request.author,
      pause: request.pause,
      changes: request.changes,
    },
    // Podman 4 insists on a body; an empty one means the container's own configuration everywhere.
    body: {},
    limitMs: 0,
    signal,
  });
  const imageId = asImageId(asRecord(reply.json())['Id']);
  if (imageId === '') throw badAnswer(connection, 'POST /commit');
  return { imageId };
}

/** Which end to wait for. */
export type WaitCondition = 'not-running' | 'next-exit' | 'removed';

/** How a container ended. `error` is what the engine says went wrong with it. */
export interface ExitStatus {
  readonly exitCode: number;
  readonly error?: string;
}

/**
 * Waits for a container's end: `POST /containers/{id}/wait`. Resolves once the engine has registered the
 * wait, so that a start sent afterwards cannot be missed; `exit` settles with the end itself.
 */
export async function waitForContainer(
  connection: Connection,
  id: string,
  condition: WaitCondition,
  signal?: AbortSignal,
): Promise<{ readonly exit: Promise<ExitStatus> }> {
  const path = containerPath(id, 'wait');
  const reply = await connection.stream({ method: 'POST', path, query: { condition }, signal });
  const exit = readExit(connection, reply.body, path);
  // Whoever wants the status awaits `exit`; a failure nobody awaits is no unhandled one.
  exit.catch(() => undefined);
  return { exit };
}

async function readExit(
  connection: Connection,
  body: AsyncIterable<Uint8Array>,
  path: string,
): Promise<ExitStatus> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  const wire = asRecord(parse(Buffer.concat(chunks).toString('utf8')));
  const exitCode = asNumber(wire['StatusCode']);
  if (exitCode === undefined) throw badAnswer(connection, `POST ${path}`);
  const error = asText(asRecord(wire['Error'])['Message']);
  return error === '' ? { exitCode } : { exitCode, error };
}

/** Sends a verb and hands back the status. */
async function verb(
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
async function unlessSo(
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
    if (!failedWith(error, 'conflict', 'badRequest', 'failed')) throw error;
    const now = await inspectContainer(connection, id, signal).catch(() => undefined);
    if (now && isSo(now)) return false;
    throw error;
  }
}

/** The time limit of a stop in milliseconds: its grace plus a margin; 0 where the grace has no end. */
async function stopLimit(
  connection: Connection,
  id: string,
  options: VerbOptions,
  signal: AbortSignal | undefined,
): Promise<number> {
  const grace =
    options.timeoutSeconds ??
    (await inspectContainer(connection, id, signal)).stopTimeout ??
    DEFAULT_GRACE_SECONDS;
  return grace < 0 ? 0 : (grace + STOP_MARGIN_SECONDS) * 1000;
}

function badAnswer(connection: Connection, operation: string): EngineError {
  return new EngineError('badAnswer', { endpoint: connection.endpoint.url, operation });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
