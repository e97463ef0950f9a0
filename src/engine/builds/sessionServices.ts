import { connect } from 'node:net';
import { abortReason } from '../../base/lifetime.ts';
import { asError, EngineError } from '../errors.ts';
import type { CallHandler, CallStream } from './grpc/callStream.ts';
import { GRPC_CODE, GrpcError } from './grpc/grpcError.ts';
import { BYTES_MESSAGE } from './grpc/messagePipe.ts';
import { bytes, integer, message, text, type Draft, type MessageType } from './grpc/protobuf.ts';
import { drained } from '../http/drained.ts';
import { reveal } from '../../base/secret.ts';
import { asLine } from '../wire/wire.ts';
import type { BuildContext, BuildProviders, BuildRefusal, BuildRequest } from './model.ts';

/** Returns the services that the engine may call during a build, by their methods. */
export function sessionServices(parts: SessionParts): ReadonlyMap<string, CallHandler> {
  return new Map([
    // SERVING. Without an answer, the engine drops the session after some seconds.
    ['/grpc.health.v1.Health/Check', unary(NOTHING, HEALTH, () => ({ status: 1 }))],
    ['/moby.filesync.v1.FileSync/DiffCopy', parts.context.diffCopy],
    [
      '/moby.filesync.v1.Auth/Credentials',
      unary(HOST, LOGIN, ({ host }, signal) => credentialsFor(parts, host, signal)),
    ],
    [
      '/moby.buildkit.secrets.v1.Secrets/GetSecret',
      unary(ID, SECRET, ({ id }, signal) => secretFor(parts, id, signal)),
    ],
    [
      '/moby.sshforward.v1.SSH/CheckAgent',
      unary(ID, NOTHING, ({ id }) => {
        agentFor(parts, id);
        return {};
      }),
    ],
    ['/moby.sshforward.v1.SSH/ForwardAgent', (call) => forwardAgent(parts, call)],
  ]);
}

/** Services that the engine may ask for during one build, and who learns of what it was refused. */
export interface SessionParts {
  readonly request: Pick<BuildRequest, 'secrets' | 'ssh'>;
  readonly providers: BuildProviders;
  readonly context: BuildContext;
  /**
   * The registries of the images that the build names: `host[:port]`, `docker.io` for Docker Hub. Each with a
   * repository.
   */
  readonly registries: ReadonlyMap<string, string | undefined>;
  readonly onRefusal: (refusal: BuildRefusal) => void;
  /** Called if a provider fails: then the build cannot succeed, and its own error has more detail than the engine's. */
  readonly onFailure: (error: Error) => void;
}

/** The largest secret that the builder accepts, in bytes. */
export const SECRET_LIMIT = 500 * 1024;

/** Asked for without being declared: what Git and HTTP contexts may need. These are not reported as refused. */
const USUAL_SECRETS = /^(?:HTTP_AUTH_|GIT_AUTH_)/;

const NOTHING = message<object>({});
const HEALTH = message<{ readonly status: number }>({ status: integer(1) });
const HOST = message<{ readonly host: string }>({ host: text(1) });
const LOGIN = message<{ readonly username: string; readonly secret: string }>({
  username: text(1),
  secret: text(2),
});
const ID = message<{ readonly id: string }>({ id: text(1) });
const SECRET = message<{ readonly data: Uint8Array }>({ data: bytes(1) });

/** Answers calls with one message in each direction. */
function unary<Request, Response>(
  request: MessageType<Request>,
  response: MessageType<Response>,
  answer: (request: Request, signal: AbortSignal) => Draft<Response> | Promise<Draft<Response>>,
): CallHandler {
  return async (call) => {
    let asked: Request | undefined;
    for await (const bytes of call.messages) asked ??= request.decode(bytes);
    if (asked === undefined) throw new GrpcError(GRPC_CODE.internal, 'no request');
    await call.write(response.encode(await answer(asked, call.signal)));
  };
}

/** Other names of Docker Hub in the questions of the engine. */
const HUB = /^(?:registry-1\.|index\.)?docker\.io$/;

/** Returns empty credentials for a registry without any: then public images can be pulled. */
async function credentialsFor(
  { providers, registries, onRefusal, onFailure }: SessionParts,
  host: string,
  signal: AbortSignal,
): Promise<Draft<{ readonly username: string; readonly secret: string }>> {
  const registry = HUB.test(host) ? 'docker.io' : host;
  if (!registries.has(registry)) {
    // Not an error: it may be the mirror of a registry, which needs none.
    onRefusal({ kind: 'credentials', name: asLine(registry) });
    return {};
  }
  const auth = await provided(
    providers.credentials(registry, signal, registries.get(registry)),
    onFailure,
  );
  if (!auth) return {};
  if (auth.identitytoken !== undefined) return { secret: reveal(auth.identitytoken) };
  return { username: auth.username, secret: auth.password && reveal(auth.password) };
}

async function secretFor(
  { request, providers, onRefusal, onFailure }: SessionParts,
  id: string,
  signal: AbortSignal,
): Promise<{ readonly data: Uint8Array }> {
  if (request.secrets?.includes(id) !== true) {
    if (!USUAL_SECRETS.test(id)) onRefusal({ kind: 'secret', name: asLine(id) });
    throw new GrpcError(GRPC_CODE.notFound, 'not declared');
  }
  const data = await provided(providers.secret(id, signal), onFailure);
  if (data.length > SECRET_LIMIT) throw new GrpcError(GRPC_CODE.unknown, 'larger than 500 KiB');
  return { data };
}

/** Resolves as a provider. Its error may contain what only the user may know, so the engine gets another one. */
async function provided<T>(work: Promise<T>, onFailure: (error: Error) => void): Promise<T> {
  try {
    return await work;
  } catch (error) {
    onFailure(asError(error));
    throw new GrpcError(GRPC_CODE.canceled, 'not available');
  }
}

/** Returns the path of the socket of the agent, if the build may use it. */
function agentFor({ request, providers, onRefusal }: SessionParts, id: string): string {
  const isUsual = id === '' || id === 'default';
  if (request.ssh === true && isUsual && providers.sshAgent !== undefined)
    return providers.sshAgent;
  onRefusal({ kind: 'ssh', name: asLine(id === '' ? 'default' : id) });
  throw new GrpcError(GRPC_CODE.notFound, 'no SSH agent forwarded');
}

async function forwardAgent(parts: SessionParts, call: CallStream): Promise<void> {
  const socket = connect(agentFor(parts, call.metadata('buildkit.ssh.id')[0] ?? ''));
  socket.on('error', () => undefined);
  const onAbort = (): void => {
    socket.destroy();
  };
  call.signal.addEventListener('abort', onAbort, { once: true });
  const upload = async (): Promise<void> => {
    for await (const piece of call.messages)
      if (!socket.write(BYTES_MESSAGE.decode(piece).data)) await drained(socket);
    socket.end();
  };
  // Each direction ends on its own; the agent ends both.
  upload().catch(onAbort);
  try {
    for await (const data of socket)
      await call.write(BYTES_MESSAGE.encode({ data: data as Uint8Array }));
  } catch (error) {
    if (call.signal.aborted) throw abortReason(call.signal);
    throw new EngineError('cut', { engineMessage: 'SSH agent', cause: error });
  } finally {
    socket.destroy();
  }
}
