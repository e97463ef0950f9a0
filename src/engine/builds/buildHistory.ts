/** The builds that an engine remembers, of all clients. For engines with the capability `keepsBuilds`. */

import { plainText, withoutUrlPasswords } from '../../base/plainText.ts';
import { StepYielder } from '../../base/stepYielder.ts';
import type { GrpcClient } from './grpc/grpcClient.ts';
import { GRPC_CODE, GrpcError, RPC_STATUS } from './grpc/grpcError.ts';
import type { Connection } from '../http/connection.ts';
import { asId, asLine } from '../wire/wire.ts';
import { openBuilder } from './grpc/builderConnection.ts';
import { buildError } from './buildError.ts';
import type { BuildFailedError } from './buildFailedError.ts';
import { BuildProgress } from './buildProgress.ts';
import { GivenSecrets } from './givenSecrets.ts';
import {
  LISTEN_BUILD_HISTORY,
  READ_CONTENT,
  STATUS,
  timeOf,
  UPDATE_BUILD_HISTORY,
  type HistoryRecord,
} from './controlMessages.ts';
import type { BuildEvent, BuildHistoryEvent, BuildRecord } from './model.ts';

/**
 * Reports all builds of the history and those that are running, and then each change, until the signal is aborted:
 * `Control/ListenBuildHistory`. A build may be reported again without a change.
 *
 * @throws EngineError; the abort reason of the signal.
 */
export async function followBuilds(
  connection: Connection,
  onEvent: (event: BuildHistoryEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  const ended = new Set<string>();
  await withBuilder(connection, signal, async (client) => {
    for await (const { type, record } of client.stream(LISTEN_BUILD_HISTORY, {}, signal)) {
      const build = record && readRecord(record);
      if (!build) continue;
      const { ref } = build;
      // The engine may report the end of a short build before its start.
      if (type === DELETED) onEvent({ kind: 'removed', ref });
      else if (build.state !== 'running' || !ended.has(ref))
        onEvent({ kind: 'changed', record: build });
      if (type === DELETED) ended.delete(ref);
      else if (build.state !== 'running' && ended.size < MOST_ENDED) ended.add(ref);
    }
  });
}

/** Lists the builds of the history and those that are running: `Control/ListenBuildHistory`. */
export function listBuilds(
  connection: Connection,
  signal?: AbortSignal,
): Promise<readonly BuildRecord[]> {
  return withBuilder(connection, signal, (client) => listOn(client, signal));
}

async function listOn(
  client: GrpcClient,
  signal: AbortSignal | undefined,
): Promise<readonly BuildRecord[]> {
  const builds = new Map<string, BuildRecord>();
  let left = MOST_EVENTS;
  for await (const { record } of client.stream(LISTEN_BUILD_HISTORY, { earlyExit: true }, signal)) {
    const build = record && readRecord(record);
    if (build) builds.set(build.ref, build);
    if (builds.size >= MOST_BUILDS || --left <= 0) break;
  }
  return [...builds.values()];
}

/** The most builds that are listed. */
const MOST_BUILDS = 2_000;

/** The most events that are read for one list: a build may be reported several times. */
const MOST_EVENTS = 20_000;

/** The most ends of builds that are remembered. */
const MOST_ENDED = 10_000;

/**
 * Reports all steps of a build with their output: of a finished build immediately, of a running one until it ends:
 * `Control/Status`.
 *
 * @throws EngineError `notFound` if there is no such build.
 */
export async function replayBuild(
  connection: Connection,
  ref: string,
  onEvent: (event: BuildEvent) => void,
  signal?: AbortSignal,
): Promise<void> {
  const given = new GivenSecrets();
  const progress = new BuildProgress((event) => {
    for (const shown of given.hideIn(event)) onEvent(shown);
  });
  await withBuilder(connection, signal, async (client) => {
    const pace = new StepYielder(signal ?? new AbortController().signal);
    for await (const response of client.stream(STATUS, { ref }, signal))
      await progress.reportInTurns(response, pace);
  });
}

/**
 * Returns why a build of the history failed. Undefined if it did not fail, or is no longer there. Before Docker 27.1
 * only the message is known.
 */
export async function findBuildError(
  connection: Connection,
  ref: string,
  signal?: AbortSignal,
): Promise<BuildFailedError | undefined> {
  const error = await withBuilder(connection, signal, (client) =>
    readBuildFailure(client, { ref, earlyExit: true }, signal),
  );
  return error && buildError(error, whereOf(connection));
}

/** Removes a finished build from the history: `Control/UpdateBuildHistory`. Its image stays. */
export async function removeBuild(
  connection: Connection,
  ref: string,
  signal?: AbortSignal,
): Promise<void> {
  await withBuilder(connection, signal, (client) =>
    client.call(UPDATE_BUILD_HISTORY, { ref, isDeleted: true }, signal),
  );
}

/**
 * Reads the error of a build from the history; undefined if it has none. Waits for the end of the build unless
 * `earlyExit` is true.
 */
export async function readBuildFailure(
  client: GrpcClient,
  request: { readonly ref: string; readonly earlyExit?: true },
  signal?: AbortSignal,
): Promise<GrpcError | undefined> {
  const record = await findRecord(client, request, signal);
  if (!record?.error) return undefined;
  const { code, text } = record.error;
  const { digest = '', size = 0 } = record.externalError ?? {};
  if (digest === '' || size > ERROR_LIMIT) return new GrpcError(code, text);
  const status = RPC_STATUS.decode(await readContent(client, digest, signal));
  return new GrpcError(status.code, status.text, status.details);
}

async function findRecord(
  client: GrpcClient,
  { ref, earlyExit }: { readonly ref: string; readonly earlyExit?: true },
  signal: AbortSignal | undefined,
): Promise<HistoryRecord | undefined> {
  // Not by reference: the engine could no longer remove a build that was asked for so.
  for await (const { record } of client.stream(LISTEN_BUILD_HISTORY, { earlyExit }, signal))
    if (record?.ref === ref && record.completed) return record;
  return undefined;
}

/** The largest error with its details that is read, in bytes. They have the whole Dockerfile. */
const ERROR_LIMIT = 4 * 1024 * 1024;

async function readContent(
  client: GrpcClient,
  digest: string,
  signal: AbortSignal | undefined,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const { data } of client.stream(READ_CONTENT, { digest }, signal)) {
    size += data.length;
    if (size > ERROR_LIMIT) throw new GrpcError(GRPC_CODE.unknown, 'too large');
    chunks.push(data);
  }
  return Buffer.concat(chunks);
}

/** The type of an event. */
const DELETED = 2;

/** The most names of one build that are kept. */
const MOST_TAGS = 100;

/** Shapes a record; undefined if it has no reference, or is of a check, which builds nothing. */
function readRecord(wire: HistoryRecord): BuildRecord | undefined {
  const ref = asId(wire.ref);
  const error = plainText(withoutUrlPasswords(wire.error?.text ?? ''));
  const endedAt = timeOf(wire.completed);
  const { attributes } = wire;
  const textOf = (...names: readonly string[]): string =>
    asLine(
      withoutUrlPasswords(
        names.map((name) => attributes.get(name)).find((value) => value !== undefined) ?? '',
      ),
    );
  const target = textOf('target');
  const dockerfile = textOf('filename');
  const folder = textOf('vcs:localdir:dockerfile');
  const context = textOf('vcs:localdir:context', 'context');
  if (ref === '' || attributes.has('requestid')) return undefined;
  return {
    ref,
    tags: tagsOf(wire),
    ...(target !== '' && { target }),
    ...(dockerfile !== '' && { dockerfile }),
    ...(folder !== '' && { folder }),
    ...(context !== '' && { context }),
    startedAt: timeOf(wire.created) ?? 0,
    ...(endedAt !== undefined && { endedAt }),
    state: stateOf(wire),
    ...(error !== '' && { error }),
    steps: Math.max(0, wire.totalSteps),
    cachedSteps: Math.max(0, wire.cachedSteps),
    completedSteps: Math.max(0, wire.completedSteps),
  };
}

function tagsOf({ exporters }: HistoryRecord): readonly string[] {
  const names = exporters.flatMap(({ attributes }) => attributes.get('name')?.split(',') ?? []);
  return [...new Set(names.slice(0, MOST_TAGS).map(asLine))].filter((name) => name !== '');
}

function stateOf({ completed, error }: HistoryRecord): BuildRecord['state'] {
  if (error) {
    const isCanceled = error.code === GRPC_CODE.canceled || /context canceled\s*$/.test(error.text);
    return isCanceled ? 'canceled' : 'failed';
  }
  return completed ? 'done' : 'running';
}

/** Runs calls on a connection of their own. A failure of a call becomes an EngineError. */
async function withBuilder<T>(
  connection: Connection,
  signal: AbortSignal | undefined,
  run: (client: GrpcClient) => Promise<T>,
): Promise<T> {
  const builder = await openBuilder(connection, signal);
  try {
    return await run(builder.client);
  } catch (error) {
    throw error instanceof GrpcError ? buildError(error, whereOf(connection)) : error;
  } finally {
    builder.dispose();
  }
}

function whereOf(connection: Connection): {
  readonly endpoint: string;
  readonly operation: string;
} {
  return { endpoint: connection.endpoint.url, operation: 'POST /grpc' };
}
