import { capabilitiesOf } from '../capabilities/capabilities.ts';
import type { Connection } from '../http/connection.ts';
import { createRequestBody, type CreateRequest } from './createRequest.ts';
import { readContainerDetails, type ContainerDetails } from './containerDetails.ts';
import type { CommitRequest } from './commitSpec.ts';
import { readContainer } from './readContainer.ts';
import { fetchList, readInTurns } from '../http/fetchList.ts';
import { failedWith } from '../errors.ts';
import type { Container } from '../model.ts';
import type { Reply } from '../http/engineRequest.ts';
import { badAnswer } from '../http/readReply.ts';
import { asId, asImageId, asLines, asRecord, containerPath } from '../wire/wire.ts';

/**
 * Lists containers: `GET /containers/json`.
 *
 * @param options `all`: include stopped containers (default: running only); `ids`: only these, by full ID;
 *   `isPatient`: as in `EngineRequest`.
 */
export async function listContainers(
  connection: Connection,
  options: {
    readonly all?: boolean;
    readonly ids?: readonly string[];
    readonly isPatient?: boolean;
  },
  signal?: AbortSignal,
): Promise<readonly Container[]> {
  // The engine would treat an empty filter as no filter and list all containers.
  if (options.ids?.length === 0) return [];
  const all = options.all === true ? true : undefined;
  // On every engine, "running" includes paused containers.
  const needsNoFilter = all ?? capabilitiesOf(await connection.info(signal)).listsPausedAsRunning;
  const filters = {
    ...(options.ids === undefined ? {} : { id: options.ids }),
    ...(needsNoFilter ? {} : { status: ['running', 'paused'] }),
  };
  const list = await fetchList(connection, {
    method: 'GET',
    path: '/containers/json',
    query: { all, filters: Object.keys(filters).length ? JSON.stringify(filters) : undefined },
    isPatient: options.isPatient,
    signal,
  });
  return readInTurns(list, readContainer, signal);
}

/**
 * Returns the details of a container: `GET /containers/{id}/json`.
 *
 * @param api `/libpod` for Podman's own API, which has more in its response.
 */
export async function inspectContainer(
  connection: Connection,
  id: string,
  signal?: AbortSignal,
  api: '' | '/libpod' = '',
): Promise<ContainerDetails> {
  const path = `${api}${containerPath(id, 'json')}`;
  const send = (): Promise<Reply> => connection.send({ method: 'GET', path, signal });
  const reply = await send().catch(async (error: unknown) => {
    if (await hasJustExited(error, connection, signal)) return send();
    throw error;
  });
  const details = readContainerDetails(reply.json());
  if (details.id === '') throw badAnswer(connection, `GET ${path}`);
  return details;
}

/** Whether an inspect failed only because the process of the container exited during the request. */
async function hasJustExited(
  error: unknown,
  connection: Connection,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  if (!failedWith(error, 'failed') || !GONE_PROCESS.test(error.engineMessage ?? '')) return false;
  return !capabilitiesOf(await connection.info(signal)).inspectsPastExit;
}

/** Pattern of how Podman reports that it could not read the file of a process. */
const GONE_PROCESS = /read \/proc\/\d+\/cgroup: no such process/;

/**
 * Creates a container: `POST /containers/create`.
 *
 * @throws EngineError `notFound` if the image is missing or of another platform, but also if a network is
 *   missing; `conflict` or, on Podman, `failed` if the name is in use; `badRequest` for an option that the engine
 *   would misinterpret.
 */
export async function createContainer(
  connection: Connection,
  request: CreateRequest,
  signal?: AbortSignal,
): Promise<{ readonly id: string; readonly warnings: readonly string[] }> {
  const body = await createRequestBody(connection, request, signal);
  const reply = await connection.send({
    method: 'POST',
    path: '/containers/create',
    query: { name: request.name, platform: request.platform },
    body,
    limitMs: 0,
    signal,
  });
  const wire = asRecord(reply.json());
  const id = asId(wire['Id']);
  if (id === '') throw badAnswer(connection, 'POST /containers/create');
  return { id, warnings: asLines(wire['Warnings']) };
}

/** Creates an image from a container: `POST /commit`. */
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
    // Podman 4 requires a body. For every engine, an empty one means the configuration of the container.
    body: {},
    limitMs: 0,
    signal,
  });
  const imageId = asImageId(asRecord(reply.json())['Id']);
  if (imageId === '') throw badAnswer(connection, 'POST /commit');
  return { imageId };
}
