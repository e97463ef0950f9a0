import { commitContainer, inspectContainer } from './containers.ts';
import { capabilitiesOf } from '../capabilities/capabilities.ts';
import type { CommitRequest } from './commitSpec.ts';
import type { Connection } from '../http/connection.ts';
import { EngineError } from '../errors.ts';
import { inspectImage, readImage, removeImage } from '../images/images.ts';
import { fetchList } from '../http/fetchList.ts';
import { asRecord, asText, asList, asNumber, asTexts } from '../wire/wire.ts';

/**
 * Creates an image from a container like `commitContainer`, and removes the leftover image if the engine fails:
 * an engine can create the image and then fail to tag it, for example because the disk is full.
 *
 * Podman does not give the image the health check of the container, so it is passed as a change.
 *
 * @returns also `losesHealthCheck` if the engine cannot keep it.
 * @throws EngineError of the commit, whether or not the cleanup succeeds.
 */
export async function commitWithCleanup(
  connection: Connection,
  asked: CommitRequest,
  signal?: AbortSignal,
): Promise<{ readonly imageId: string; readonly losesHealthCheck?: true }> {
  const { request, losesHealthCheck } = await withHealthCheck(connection, asked, signal);
  // If the list fails, commit anyway, and skip the cleanup.
  const before = await danglingImages(connection, signal).catch(() => undefined);
  try {
    const committed = await commitContainer(connection, request, signal);
    return { ...committed, ...(losesHealthCheck && { losesHealthCheck }) };
  } catch (error) {
    if (before && error instanceof EngineError && error.status !== undefined) {
      // Report the failed commit, not a failed cleanup.
      await removeLeftovers(connection, request, new Set(before), signal).catch(() => undefined);
    }
    throw error;
  }
}

/** The changes of the user come last, and win. */
async function withHealthCheck(
  connection: Connection,
  request: CommitRequest,
  signal: AbortSignal | undefined,
): Promise<{ readonly request: CommitRequest; readonly losesHealthCheck?: true }> {
  const { changes = [] } = request;
  const { commitsHealthCheck, supportsHealthCheckChange } = capabilitiesOf(
    await connection.info(signal),
  );
  const isGiven = changes.some((change) => /^\s*HEALTHCHECK\s/i.test(change));
  if (commitsHealthCheck || isGiven) return { request };
  const check = healthCheckOf((await inspectContainer(connection, request.id, signal)).raw);
  if (check === undefined) return { request };
  if (!supportsHealthCheckChange) return { request, losesHealthCheck: true };
  return { request: { ...request, changes: [check, ...changes] } };
}

async function danglingImages(
  connection: Connection,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const filters = JSON.stringify({ dangling: ['true'] });
  const request = { method: 'GET', path: '/images/json', query: { filters }, signal } as const;
  return (await fetchList(connection, request)).flatMap((one) => readImage(one)?.id ?? []);
}

async function removeLeftovers(
  connection: Connection,
  request: CommitRequest,
  before: ReadonlySet<string>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const found = (await danglingImages(connection, signal)).filter((id) => !before.has(id));
  for (const id of found) {
    if (await isOfCommit(connection, id, request, signal))
      await removeImage(connection, id, {}, signal);
  }
}

/**
 * Whether a new dangling image is the result of this commit, and not of one by another client. If the engine does not
 * report the source container, the parent image must be the same, and the message or the author proves it. Podman 6
 * reports no author.
 */
async function isOfCommit(
  connection: Connection,
  image: string,
  { id, message = '', author = '' }: CommitRequest,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const { raw, parentId } = await inspectImage(connection, image, signal);
  const wire = asRecord(raw);
  const [maker, comment, by] = ['Container', 'Comment', 'Author'].map((key) => asText(wire[key]));
  if (comment !== message || (by !== author && by !== '')) return false;
  if (maker !== '') return maker === id;
  if (comment === '' && by === '') return false;
  const container = await inspectContainer(connection, id, signal);
  return parentId === container.imageId;
}

/** The options of `HEALTHCHECK`, by the field of the engine. */
const DURATIONS = {
  '--interval': 'Interval',
  '--timeout': 'Timeout',
  '--start-period': 'StartPeriod',
} as const;

/**
 * Returns the health check of an inspected container as a Dockerfile instruction; undefined if it has none.
 *
 * @param raw response of `GET /containers/{id}/json`.
 */
export function healthCheckOf(raw: unknown): string | undefined {
  const check = asRecord(asRecord(asRecord(raw)['Config'])['Healthcheck']);
  const [kind = '', ...words] = asTexts(check['Test']);
  if (kind === '' || asList(check['Test']).length !== words.length + 1) return undefined;
  if (kind === 'NONE') return 'HEALTHCHECK NONE';
  const options = Object.entries(DURATIONS).flatMap(([option, field]) => {
    const nanoseconds = asNumber(check[field]) ?? 0;
    return nanoseconds > 0 ? [`${option}=${nanoseconds}ns`] : [];
  });
  const retries = asNumber(check['Retries']) ?? 0;
  if (retries > 0) options.push(`--retries=${retries}`);
  return ['HEALTHCHECK', ...options, 'CMD', commandOf(kind, words)].join(' ');
}

/** A shell command of several lines, or one that looks like an array, is passed to the shell as an argument. */
function commandOf(kind: string, words: readonly string[]): string {
  if (kind === 'CMD') return JSON.stringify(words);
  const text = words.join(' ');
  return /[\r\n]|^\s*\[|\\$/.test(text) ? JSON.stringify(['/bin/sh', '-c', text]) : text;
}
