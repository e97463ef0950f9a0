import { connect, type ClientHttp2Session } from 'node:http2';
import type { Duplex } from 'node:stream';
import { abortReason, toDisposable, type Disposable } from '../../../base/lifetime.ts';
import { capabilitiesOf } from '../../capabilities/capabilities.ts';
import { EngineError } from '../../errors.ts';
import { GrpcClient } from './grpcClient.ts';
import { GrpcError } from './grpcError.ts';
import type { Connection, Http2Socket } from '../../http/connection.ts';
import { withTimeLimit } from '../../http/withTimeLimit.ts';

/** A connection to the builder of an engine. Disposing it cancels all calls. */
export interface BuilderConnection extends Disposable {
  readonly client: GrpcClient;
}

/** Time limit for a socket to show that it speaks HTTP/2, in milliseconds. */
const GREETING_LIMIT_MS = 10_000;

const REQUEST = { method: 'POST', path: '/grpc' } as const;

/** The operation of errors of the builder. */
export const BUILDER_OPERATION = 'POST /grpc';

/**
 * Opens a connection to BuildKit: with HTTP/2 from the first byte if the engine supports it, otherwise, or if that
 * fails or a proxy answers, by `POST /grpc` with `Upgrade: h2c`.
 *
 * @param signal ends the opening, not the connection.
 * @throws EngineError `notFound` if the engine has no BuildKit, the status of a proxy that refuses the request, or
 * `badAnswer` if something else than HTTP/2 answers.
 */
export async function openBuilder(
  connection: Connection,
  signal?: AbortSignal,
): Promise<BuilderConnection> {
  const { supportsHttp2 } = capabilitiesOf(await connection.info(signal));
  if (supportsHttp2) {
    // The engine's own TLS offers HTTP/1.1 only, and refuses a socket for HTTP/2.
    const opened = await openPlain(connection, signal).catch(() => undefined);
    if (opened) return opened;
    signal?.throwIfAborted();
  }
  return greet(await connection.openHttp2({ ...REQUEST, signal }), connection, signal);
}

async function openPlain(
  connection: Connection,
  signal: AbortSignal | undefined,
): Promise<BuilderConnection> {
  const plain = await connection.openHttp2({ ...REQUEST, signal }, true);
  const builder = await greet(plain, connection, signal);
  try {
    const request = { ...REQUEST, signal };
    await withTimeLimit(GREETING_LIMIT_MS, request, connection.endpoint, (limited) =>
      checkIsBuilder(builder.client, limited),
    );
    return builder;
  } catch (error) {
    builder.dispose();
    throw error;
  }
}

/** Throws if a proxy that speaks HTTP/2 itself answers. Any status of gRPC proves that it was not. */
async function checkIsBuilder(client: GrpcClient, signal: AbortSignal): Promise<void> {
  const call = client.open(LIST_WORKERS, {}, signal);
  void call.write(new Uint8Array());
  call.end();
  try {
    await call.messages[Symbol.asyncIterator]().next();
  } catch (error) {
    if (!(error instanceof GrpcError) || error.httpStatus !== undefined) throw error;
  } finally {
    call.close();
  }
}

/** A call that costs the builder nothing. */
const LIST_WORKERS = '/moby.buildkit.v1.Control/ListWorkers';

/** Resolves when the engine has answered in HTTP/2. */
async function greet(
  { socket, toFailure }: Http2Socket,
  connection: Connection,
  signal: AbortSignal | undefined,
): Promise<BuilderConnection> {
  const session = connect('http://localhost', {
    createConnection: () => socket,
    settings: { enablePush: false, initialWindowSize: WINDOW },
  });
  session.on('error', () => undefined);
  socket.on('error', () => undefined);
  const close = (): void => {
    session.destroy();
    socket.destroy();
  };
  try {
    const request = { ...REQUEST, signal };
    await withTimeLimit(GREETING_LIMIT_MS, request, connection.endpoint, (limited) =>
      settingsOf(session, socket, limited),
    );
  } catch (error) {
    close();
    throw error instanceof EngineError || signal?.aborted ? error : await toFailure(error);
  }
  session.setLocalWindowSize(WINDOW);
  return { ...toDisposable(close), client: new GrpcClient(session, toFailure) };
}

/** Number of bytes of the engine that may be on their way: the output of many steps at once. */
const WINDOW = 1024 * 1024;

function settingsOf(
  session: ClientHttp2Session,
  socket: Duplex,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (cause?: unknown): void => {
      reject(new EngineError('badAnswer', { engineMessage: 'HTTP/2', cause }));
    };
    session.once('remoteSettings', () => resolve());
    session.once('error', fail).once('close', fail);
    socket.once('close', fail);
    signal.addEventListener('abort', () => reject(abortReason(signal)));
  });
}
