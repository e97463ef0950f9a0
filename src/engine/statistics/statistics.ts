import { EngineError, failedWith, unlessNotFound } from '../errors.ts';
import type { Connection } from '../http/connection.ts';
import { JsonRecords } from '../wire/jsonRecords.ts';
import { asList, asRecord, containerPath } from '../wire/wire.ts';
import { readPodmanSample, readSample, type Sample } from './readSample.ts';

/**
 * Samples a container: `GET /containers/{id}/stats` with `one-shot`. Only engines that answer at once should be asked;
 * see `samplesAtOnce`.
 *
 * @returns undefined if it is gone or does not run.
 * @throws EngineError.
 */
export async function sampleContainer(
  connection: Connection,
  id: string,
  signal: AbortSignal,
): Promise<Sample | undefined> {
  const query = { stream: false, 'one-shot': true };
  const path = containerPath(id, 'stats');
  const request = { method: 'GET', path, query, signal, isRoutine: true } as const;
  const reply = await unlessNotFound(connection.send({ ...request, answerLimit: SAMPLE_LIMIT }));
  // Podman sends nothing of a container that does not run.
  return reply && reply.text.trim() !== '' ? readSample(reply.json()) : undefined;
}

/**
 * Samples containers of Podman with one request: `GET /libpod/containers/stats`.
 *
 * @param ids full IDs.
 * @returns those that run, by ID.
 * @throws EngineError.
 */
export async function samplePodman(
  connection: Connection,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Sample>> {
  const named = await requestPodman(connection, ids, signal);
  // One that is gone costs all of them. Without names, there are all that run.
  const found = named ?? (await requestPodman(connection, [], signal)) ?? [];
  const wanted = new Set(ids);
  const samples = found.map(readPodmanSample).filter((one) => one !== undefined);
  return new Map(
    samples.filter(({ id }) => wanted.has(id)).map(({ id, sample }) => [id, sample] as const),
  );
}

/**
 * Follows the samples of a container, one each second: `GET /containers/{id}/stats`. The iteration ends when the
 * container is removed.
 *
 * @throws EngineError `notFound` if it is gone; the reason of the signal.
 */
export async function* followSamples(
  connection: Connection,
  id: string,
  signal: AbortSignal,
): AsyncGenerator<Sample> {
  const path = containerPath(id, 'stats');
  const query = { stream: true };
  const request = { method: 'GET', path, query, signal, isRoutine: true } as const;
  const { body } = await connection.stream(request);
  const where = { endpoint: connection.endpoint.url, operation: `GET ${path}` };
  const records = new JsonRecords(where, SAMPLE_LIMIT);
  for await (const chunk of body)
    for (const record of records.push(chunk)) {
      const sample = readSample(record);
      if (sample) yield sample;
    }
}

/** In bytes: a container with 1,000 interfaces takes 200 kB. */
const SAMPLE_LIMIT = 4 * 1024 * 1024;
/** More containers than one machine runs. */
const MOST_CONTAINERS = 10_000;

/** @returns undefined if one of the containers is gone. */
async function requestPodman(
  connection: Connection,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<readonly unknown[] | undefined> {
  const path = '/libpod/containers/stats';
  const query = { containers: ids, stream: false };
  try {
    const reply = await connection.send({ method: 'GET', path, query, signal, isRoutine: true });
    const { Stats: stats } = asRecord(reply.json());
    // Podman 4 answers with null if one is gone.
    return Array.isArray(stats) ? asList(stats).slice(0, MOST_CONTAINERS) : undefined;
  } catch (error) {
    if (failedWith(error, 'notFound')) return undefined;
    // Podman fails so if one stops while it is sampled.
    if (error instanceof EngineError && error.reason === 'failed' && ids.length > 0)
      return undefined;
    throw error;
  }
}
