import { capabilitiesOf } from '../capabilities.ts';
import type { Connection } from '../http/connection.ts';
import { createRequestBody, type CreateRequest } from '../options/createRequest.ts';
import { readContainerDetails, type ContainerDetails } from './containerDetails.ts';
import { readContainer } from './readContainer.ts';
import { fetchList } from '../fetchList.ts';
import type { Container } from '../model.ts';
import { badAnswer } from '../http/readReply.ts';
import { asId, asImageId, asLines, asRecord } from '../wire.ts';

/** The path of one container, or of one of its operations. */
export function containerPath(id: string, operation = ''): string {
  return `/containers/${encodeURIComponent(id.toWellFormed())}${operation === '' ? '' : `/${operation}`}`;
}

/**
 * Lists containers: `GET /containers/json`.
 *
 * @param options `all`: stopped ones, too (default: running only); `ids`: these alone, by full id; `isPatient`: as
 * of a request.
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
  // An empty filter is none: the engine would tell of everything.
  if (options.ids?.length === 0) return [];
  const all = options.all === true ? true : undefined;
  const filters = {
    ...(options.ids === undefined ? {} : { id: options.ids }),
    ...(all ? {} : await runningFilter(connection, signal)),
  };
  const list = await fetchList(connection, {
    method: 'GET',
    path: '/containers/json',
    query: { all, filters: Object.keys(filters).length ? JSON.stringify(filters) : undefined },
    isPatient: options.isPatient,
    signal,
  });
  return list.map(readContainer).filter((one) => one !== undefined);
}

/** What an engine has to be told for "running" to mean the same everywhere: a paused container, too. */
async function runningFilter(
  connection: Connection,
  signal: AbortSignal | undefined,
): Promise<Readonly<Record<string, readonly string[]>>> {
  const { listsPausedAsRunning } = capabilitiesOf(await connection.info(signal));
  return listsPausedAsRunning ? {} : { status: ['running', 'paused'] };
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

/**
 * Creates a container: `POST /containers/create`.
 *
 * @throws EngineError `notFound` for a missing image or one of another platform, but for a missing network,
 * too; `conflict` for a name in use; `badRequest` for a wish that the engine would misunderstand.
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
