import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { abortReason, toDisposable, type Disposable } from '../../lifetime.ts';
import { EngineError, failedWith } from '../errors.ts';
import { withSignal } from '../http/withTimeLimit.ts';
import { canForward, loginArguments, type ForwardedSockets } from './sshArguments.ts';
import { DialBridge } from './dialBridge.ts';
import type { Entrance, Lane } from './tunnel.ts';
import { greetingOf, type SshLogin, type SshOptions, type LoginTarget } from './sshLogin.ts';
import { Program } from './program.ts';
import { DIAL_STDIO, type RemoteSocket } from './remoteSocket.ts';
import type { SessionLimits } from './sshSessions.ts';
import { dialFailure, type ProgramEnd } from './sshFailure.ts';

/** A local socket that leads to the engine. */
export interface TunnelSocket extends Disposable {
  readonly path: string;
  /** Whether it has few sessions. */
  readonly isNarrow: boolean;
  /** Lets a connection in once there is room for it. @throws EngineError `sshFull`. */
  enter(lane: Lane): Promise<Entrance>;
  /** Whether a connection through it has failed. */
  readonly isDoubted: boolean;
  /** Settles a doubt without ending what goes through it. Where that cannot be done, another way is to be found. */
  readonly settle?: (signal: AbortSignal) => Promise<void>;
}

/** Within one login: most servers allow ten sessions, and the login is one. */
const SESSIONS = { most: 9 };
/** Each with a login of its own. Most servers refuse some of those who log in where ten do so at once. */
const LOGINS = { most: 12, atOnce: 5 };

/** The least that makes every engine speak. */
const PING = 'GET /_ping HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';

/**
 * Finds the engine's socket on the other machine and makes a way to it: by forwarding, else by a process for each
 * connection.
 *
 * @throws EngineError `sshSocketMissing`, `permissionDenied`, `refused` where nobody listens there,
 *   `sshNoForwarding`, `sshFailed`; the signal's reason.
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
  const start = (): Program => dial(login.session(DIAL_STDIO), login.greeting);
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
  let way: TunnelSocket | undefined;
  try {
    if (await speaks(sockets.local, signal)) way = forwardedSocket(login, sockets);
    return way;
  } finally {
    if (!way) await login.unforward(sockets);
  }
}

/** The way for where nothing can be shared: each connection logs in, and no question can be asked. */
export async function openUnsharedSocket(
  target: LoginTarget,
  options: SshOptions,
  signal: AbortSignal,
): Promise<TunnelSocket> {
  const args = loginArguments(target.transport, DIAL_STDIO, undefined);
  const call = {
    file: options.program ?? 'ssh',
    args: [...(options.extraArguments ?? []), ...args],
    env: process.env,
  };
  const start = (): Program => dial(call, greetingOf(target));
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
    dispose: () => {
      bridge.dispose();
    },
  };
}

function dial(call: ConstructorParameters<typeof Program>[0], greeting: string): Program {
  const program = new Program(call);
  program.stdin.write(greeting);
  return program;
}

/** Whether somebody answers there. A connection that leads nowhere is closed at once. */
function speaks(path: string, signal: AbortSignal): Promise<boolean> {
  const socket = connect(path);
  const answer = new Promise<boolean>((resolve) => {
    socket.once('data', () => {
      resolve(true);
    });
    socket.once('close', () => {
      resolve(false);
    });
    socket.on('error', () => undefined);
  });
  socket.write(PING);
  return withSignal(answer, signal).finally(() => {
    socket.destroy();
  });
}

/** Looks whether a process like those to come reaches the engine. @throws what `failure` makes of its end. */
async function tryDial(
  start: () => Program,
  signal: AbortSignal,
  failure: (end: ProgramEnd) => EngineError,
): Promise<void> {
  const program = start();
  const toDispose = toDisposable(() => {
    program.dispose();
  });
  const answer = new Promise<ProgramEnd | undefined>((resolve) => {
    program.stdout.once('data', () => {
      resolve(undefined);
    });
    void program.ended.then(resolve);
  });
  program.stdin.write(PING);
  try {
    const end = await withSignal(answer, signal);
    // It led to somebody who closed without a word: whoever asks next will say what that is.
    if (end && end.code !== 0) throw failure(end);
  } finally {
    toDispose.dispose();
  }
}

/** A socket that this user may not use is not for the want of a forward. */
function asRefusal(error: EngineError, { path, isOurs }: RemoteSocket): EngineError {
  if (isOurs || !failedWith(error, 'sshNoForwarding')) return error;
  return error.with({ reason: 'permissionDenied', engineMessage: path });
}

function pipePath({ temporaryFolder }: SshOptions): string {
  const name = `gantry-${randomBytes(8).toString('hex')}`;
  if (process.platform === 'win32') return `\\\\.\\pipe\\${name}`;
  return `${temporaryFolder ?? '/tmp'}/${name}`;
}
