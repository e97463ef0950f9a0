import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { abortReason, type Disposable } from '../../base/lifetime.ts';
import { EngineError, failedWith } from '../errors.ts';
import { withSignal } from '../http/withTimeLimit.ts';
import { canForward, loginArguments, type ForwardedSockets } from './sshArguments.ts';
import { DialBridge, type SessionLimits } from './dialBridge.ts';
import type { Entrance, Lane } from '../http/tunnel.ts';
import {
  greetingOf,
  type SshLogin,
  type SshOptions,
  type LoginTarget,
  loginCall,
} from './sshLogin.ts';
import { Program, type ProgramCall, type ProgramEnd } from '../../base/program.ts';
import { DIAL_STDIO, type RemoteSocket } from './remoteSocket.ts';
import { dialFailure } from './sshFailure.ts';

/** A local socket that is connected to the engine. */
export interface TunnelSocket extends Disposable {
  readonly path: string;
  /** Whether the number of sessions is limited. */
  readonly isNarrow: boolean;
  /** Resolves when there is a session for a connection. @throws EngineError `sshFull`. */
  enter(lane: Lane): Promise<Entrance>;
  /** Whether a connection through this socket has failed. */
  readonly isDoubted: boolean;
  /** Re-checks a suspect tunnel without closing its connections. If undefined, open a new one. */
  readonly settle?: (signal: AbortSignal) => Promise<void>;
}

/** Within one login: most servers allow ten sessions, and the login itself uses one. */
const SESSIONS = { most: 9 };
/** With a login for each connection: most servers refuse some of ten simultaneous logins. */
const LOGINS = { most: 12, atOnce: 5 };

/** The shortest request that every engine responds to. */
const PING = 'GET /_ping HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';

/**
 * Searches for the engine's socket on the remote host and opens a tunnel to it: by forwarding, else by a process
 * for each connection.
 *
 * @throws EngineError `sshSocketMissing`, `permissionDenied`, `refused` if nothing listens there,
 * `sshNoForwarding`, `sshFailed`; the signal's reason.
 */
export async function openTunnelSocket(
  login: SshLogin,
  target: LoginTarget,
  signal: AbortSignal,
): Promise<TunnelSocket> {
  const remote = await login.lookUp(signal);
  const { url, transport } = target;
  if (remote === 'none') {
    const wanted = transport.socket;
    throw new EngineError('sshSocketMissing', { endpoint: url, engineMessage: wanted });
  }
  const forwarded = await tryForward(login, remote.path, signal);
  if (forwarded) return forwarded;
  const start = (): Program => dial(login.session(DIAL_STDIO), target);
  const attempt = (until: AbortSignal): Promise<void> =>
    tryDial(start, until, (end) => asRefusal(dialFailure(end, url), remote));
  await attempt(signal);
  return bridgedSocket(start, attempt, { path: login.newPath(), url, limits: SESSIONS });
}

async function tryForward(
  login: SshLogin,
  remote: string,
  signal: AbortSignal,
): Promise<TunnelSocket | undefined> {
  if (!canForward(remote)) return undefined;
  const sockets = { local: login.newPath(), remote };
  const { code } = await login.forward(sockets, signal);
  if (signal.aborted) throw abortReason(signal);
  if (code !== 0) return undefined;
  let socket: TunnelSocket | undefined;
  try {
    if (await speaks(sockets.local, signal)) socket = forwardedSocket(login, sockets);
    return socket;
  } finally {
    if (!socket) await login.unforward(sockets);
  }
}

/** Opens a tunnel if logins cannot be shared: each connection logs in, and ssh cannot ask questions. */
export async function openUnsharedSocket(
  target: LoginTarget,
  options: SshOptions,
  signal: AbortSignal,
): Promise<TunnelSocket> {
  const args = loginArguments(target.transport, DIAL_STDIO, undefined);
  const call = loginCall(options, args, process.env);
  const start = (): Program => dial(call, target);
  const attempt = (until: AbortSignal): Promise<void> =>
    tryDial(start, until, (end) => dialFailure(end, target.url));
  await attempt(signal);
  const { url } = target;
  return bridgedSocket(start, attempt, { path: pipePath(options), url, limits: LOGINS });
}

function forwardedSocket(login: SshLogin, sockets: ForwardedSockets): TunnelSocket {
  let isDoubted = false;
  const listening = login.onDidRefuse(() => {
    isDoubted = true;
  });
  const path = sockets.local;
  return {
    path,
    isNarrow: false,
    enter: () => Promise.resolve({ path, leave: () => undefined }),
    get isDoubted() {
      return isDoubted;
    },
    dispose: () => {
      listening.dispose();
      void login.unforward(sockets);
    },
  };
}

async function bridgedSocket(
  start: () => Program,
  attempt: (signal: AbortSignal) => Promise<void>,
  made: { readonly path: string; readonly url: string; readonly limits: SessionLimits },
): Promise<TunnelSocket> {
  const { path, url, limits } = made;
  const bridge = new DialBridge(start, limits);
  await bridge.listen(path);
  return {
    path,
    isNarrow: true,
    enter: async (lane) => {
      const leave = await bridge.enter(lane);
      if (!leave) throw new EngineError('sshFull', { endpoint: url });
      return { path, leave };
    },
    get isDoubted() {
      return bridge.hasFailed;
    },
    settle: async (signal) => {
      await bridge.within(() => attempt(signal));
      bridge.hasFailed = false;
    },
    dispose: () => bridge.dispose(),
  };
}

function dial(call: ProgramCall, target: LoginTarget): Program {
  const program = new Program(call);
  program.stdin.write(greetingOf(target));
  return program;
}

/** Whether an engine responds at the socket. A connection that leads nowhere is closed immediately. */
function speaks(path: string, signal: AbortSignal): Promise<boolean> {
  const socket = connect(path);
  socket.on('error', () => undefined);
  const answer = Promise.race([
    once(socket, 'data').then(() => true),
    once(socket, 'close').then(() => false),
  ]).catch(() => false);
  socket.write(PING);
  return withSignal(answer, signal).finally(() => socket.destroy());
}

/** Checks that a process reaches the engine. @throws the error that `failure` returns for its end. */
async function tryDial(
  start: () => Program,
  signal: AbortSignal,
  failure: (end: ProgramEnd) => EngineError,
): Promise<void> {
  const program = start();
  const answer = new Promise<ProgramEnd | undefined>((resolve) => {
    program.stdout.once('data', () => resolve(undefined));
    void program.ended.then(resolve);
  });
  program.stdin.write(PING);
  try {
    const end = await withSignal(answer, signal);
    // Exit code 0 without output: the server closed the connection. The next request reports the reason.
    if (end && end.code !== 0) throw failure(end);
  } finally {
    program.dispose();
  }
}

/** Converts `sshNoForwarding` to `permissionDenied` if the socket exists but the user cannot access it. */
function asRefusal(error: EngineError, { path, isOurs }: RemoteSocket): EngineError {
  if (isOurs || !failedWith(error, 'sshNoForwarding')) return error;
  return error.with({ reason: 'permissionDenied', engineMessage: path });
}

function pipePath({ temporaryFolder }: SshOptions): string {
  const name = `gantry-${randomBytes(8).toString('hex')}`;
  if (process.platform === 'win32') return `\\\\.\\pipe\\${name}`;
  return `${temporaryFolder ?? '/tmp'}/${name}`;
}
