import { randomBytes } from 'node:crypto';
import type { Disposable } from '../../base/lifetime.ts';
import { failedWith } from '../errors.ts';
import { delay, nextPause } from '../../base/time.ts';
import { StepYielder } from '../../base/stepYielder.ts';
import type { GrpcClient } from './grpc/grpcClient.ts';
import { GrpcError } from './grpc/grpcError.ts';
import { messagePipe } from './grpc/messagePipe.ts';
import { serveGrpc } from './grpc/serveGrpc.ts';
import type { Connection } from '../http/connection.ts';
import { GivenSecrets } from './givenSecrets.ts';
import {
  BUILDER_OPERATION,
  openBuilder,
  type BuilderConnection,
} from './grpc/builderConnection.ts';
import { buildError } from './buildError.ts';
import { readBuildFailure } from './buildHistory.ts';
import { BuildProgress } from './buildProgress.ts';
import { newBuildSession, type BuildSession } from './newBuildSession.ts';
import { SESSION_PATH, SOLVE, STATUS } from './controlMessages.ts';
import type { BuildContext, BuildEvent, BuildProviders, BuildRequest } from './model.ts';

/**
 * Runs a build: `Control/Solve` with a session, and `Control/Status` at the same time. Resolves to what the exporter
 * reports about the result when all progress has been reported.
 *
 * @param opened a connection to the builder, which is closed in the end; by default a new one.
 * @throws BuildFailedError if the build fails; the error of a provider or of the context; the
 * abort reason of the signal, after the engine was notified.
 */
export async function solve(
  connection: Connection,
  job: SolveJob,
  opened?: BuilderConnection,
): Promise<ReadonlyMap<string, string>> {
  const builder = opened ?? (await openBuilder(connection, job.signal));
  const ref = job.ref ?? newBuildRef();
  const given = new GivenSecrets(job.providers, job.request.args);
  const progress = new BuildProgress((event) => {
    for (const shown of given.hideIn(event)) job.onEvent(shown);
  });
  try {
    return await solveOn(builder.client, ref, { ...job, providers: given.providers }, progress);
  } catch (error) {
    const { failure } = job.context;
    if (failure && !job.signal.aborted) throw failure;
    // The trailers of an error repeat the Dockerfile. If they are too large for HTTP/2, the connection is lost.
    const isCut = failedWith(error, 'cut') && progress.failed !== undefined;
    const known = isCut ? await findFailure(connection, ref, job.signal) : error;
    if (!(known instanceof GrpcError)) throw error;
    const where = { endpoint: connection.endpoint.url, operation: BUILDER_OPERATION };
    const { code, message, details } = known;
    throw buildError({ code, message: given.hide(message), details }, where, progress.failed?.id);
  } finally {
    builder.dispose();
    progress.end();
  }
}

/** A build as BuildKit is asked for it. */
export interface SolveJob {
  readonly request: BuildRequest;
  /** The registries whose credentials may be asked for. */
  readonly registries: ReadonlyMap<string, string | undefined>;
  readonly providers: BuildProviders;
  readonly context: BuildContext;
  /** The request in the words of the frontend `dockerfile.v0`. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly entitlements: readonly string[];
  /** Stores the result as an image; undefined to store nothing. */
  readonly exporter?: ReadonlyMap<string, string>;
  /** Names the build in the history of the engine: 25 letters and digits; by default a random one. */
  readonly ref?: string | undefined;
  readonly onEvent: (event: BuildEvent) => void;
  readonly signal: AbortSignal;
}

/** Time that the engine may report nothing after the end of a build, in milliseconds. */
const SILENCE_MS = 5_000;
/** The same after a cancellation. */
const CANCELED_SILENCE_MS = 400;

/** Time limit for the history to have the end of a build, in milliseconds. */
const HISTORY_LIMIT_MS = 5_000;

/** Looks for the error of a build in the history, over another connection. */
async function findFailure(
  connection: Connection,
  ref: string,
  signal: AbortSignal,
): Promise<GrpcError | undefined> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(HISTORY_LIMIT_MS)]);
  try {
    const builder = await openBuilder(connection, limited);
    try {
      return await readBuildFailure(builder.client, { ref }, limited);
    } finally {
      builder.dispose();
    }
  } catch {
    // The lost connection is reported.
    return undefined;
  }
}

async function solveOn(
  client: GrpcClient,
  ref: string,
  job: SolveJob,
  progress: BuildProgress,
): Promise<ReadonlyMap<string, string>> {
  const session = newBuildSession(job);
  const opened = openSession(client, session);
  const status = new StatusReader(client, ref, progress);
  try {
    const request = { ...requestOf(job), ref, session: session.id };
    return (await client.call(SOLVE, request, session.signal)).attributes;
  } finally {
    await status.finish(job.signal.aborted ? CANCELED_SILENCE_MS : SILENCE_MS);
    opened.dispose();
  }
}

function requestOf({ attributes, entitlements, exporter }: SolveJob) {
  const frontend = { frontend: 'dockerfile.v0', attributes, entitlements };
  if (!exporter) return frontend;
  // Engines before 26 know the old fields only.
  return {
    ...frontend,
    oldExporter: EXPORTER,
    oldExporterAttributes: exporter,
    exporters: [{ type: EXPORTER, attributes: exporter }],
  };
}

/** Stores the result in the image store of the engine. */
const EXPORTER = 'moby';

/** Returns a new reference of a build in the form of other clients: 25 letters and digits. */
export function newBuildRef(): string {
  return BigInt(`0x${randomBytes(20).toString('hex')}`)
    .toString(36)
    .padStart(25, '0')
    .slice(-25);
}

/** Opens the session of a build, in which we are the server. */
function openSession(client: GrpcClient, { headers, services }: BuildSession): Disposable {
  return serveGrpc(messagePipe(client.open(SESSION_PATH, headers)), services);
}

/** Time to wait until a build is known, in milliseconds. */
const RETRY_MS = 40;
/** The longest wait before the progress of a running build is asked for again, in milliseconds. */
const LONGEST_RETRY_MS = 5_000;

/** Follows the progress of a build from before it is known to the engine. */
class StatusReader {
  readonly #client: GrpcClient;
  readonly #ref: string;
  readonly #progress: BuildProgress;
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;
  #isSolved = false;
  #count = 0;

  constructor(client: GrpcClient, ref: string, progress: BuildProgress) {
    this.#client = client;
    this.#ref = ref;
    this.#progress = progress;
    // The call that solves reports why a connection is lost.
    this.#done = this.#follow().catch(() => undefined);
  }

  /** Resolves when everything is reported, or after this time in milliseconds without any report. */
  async finish(silenceMs: number): Promise<void> {
    this.#isSolved = true;
    for (let before = -1; before !== this.#count;) {
      before = this.#count;
      const limit = new AbortController();
      const silence = delay(silenceMs, limit.signal).then(
        () => false,
        () => false,
      );
      const isDone = await Promise.race([this.#done.then(() => true), silence]);
      limit.abort();
      if (isDone) return;
    }
    this.#stop.abort();
  }

  /** A stream that is lost begins again from the start: the build may go on. */
  async #follow(): Promise<void> {
    const { signal } = this.#stop;
    const pace = new StepYielder(signal);
    for (let pause = RETRY_MS; ;) {
      this.#progress.beginAgain();
      try {
        for await (const response of this.#client.stream(STATUS, { ref: this.#ref }, signal)) {
          this.#count++;
          await this.#progress.reportInTurns(response, pace);
        }
        return;
      } catch (error) {
        if (this.#isSolved) throw error;
        if (!isUnknownYet(error)) pause = nextPause(pause, RETRY_MS, LONGEST_RETRY_MS);
        await delay(pause, signal);
      }
    }
  }
}

function isUnknownYet(error: unknown): boolean {
  return error instanceof GrpcError && /\bno such job\b/.test(error.message);
}
