import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  abortReason,
  DisposableStore,
  Emitter,
  toDisposable,
  type Disposable,
} from '../../base/lifetime.ts';
import type { SshTransport } from '../http/endpoint.ts';
import { EngineError } from '../errors.ts';
import { withSignal } from '../http/withTimeLimit.ts';
import {
  forwardArguments,
  loginArguments,
  sessionArguments,
  formatTarget,
  type ForwardedSockets,
} from './sshArguments.ts';
import { AskpassServer } from './askpassServer.ts';
import { Program, runProgram, type ProgramCall, type ProgramEnd } from '../../base/program.ts';
import type { Ask } from './sshQuestion.ts';
import { LOOK_UP, LOOK_UP_AND_STAY, readRemoteSocket, type RemoteSocket } from './remoteSocket.ts';
import { sshFailure } from './sshFailure.ts';
import { tmpdir } from 'node:os';

/** An ssh process that has logged in and accepts more sessions. */
export class SshLogin implements Disposable {
  readonly #made: LoginParts;
  readonly #refused = new Emitter<void>();
  /** Fires when a forwarded connection found nothing listening on the remote host. */
  readonly onDidRefuse = this.#refused.event;
  #found: RemoteSocket | 'none' | undefined;
  #names = 0;

  /** Takes ownership of the parts of a login. */
  constructor(made: LoginParts) {
    this.#made = made;
    this.#found = made.found;
    made.program.onDidWriteError((text) => {
      if (text.includes('open failed: ')) this.#refused.fire();
    });
    void made.program.ended.then(() => this.dispose());
  }

  /** Whether the ssh process has ended. */
  get isOver(): boolean {
    return this.#made.program.isOver;
  }

  /** Returns a new path in the login's private folder. */
  newPath(): string {
    return join(this.#made.folder, `e${++this.#names}`);
  }

  /** Searches for the engine's socket on the remote host. @throws EngineError; the signal's reason. */
  async lookUp(signal: AbortSignal): Promise<RemoteSocket | 'none'> {
    // The login itself has already searched.
    const first = this.#found;
    this.#found = undefined;
    if (first !== undefined) return first;
    const end = await runProgram(this.session(LOOK_UP), {
      input: greetingOf(this.#made.target),
      signal,
    });
    if (signal.aborted) throw abortReason(signal);
    const found = readRemoteSocket(end.stdout);
    if (found === undefined) throw sshFailure(end, this.#made.target.url);
    return found;
  }

  /** Forwards a local socket to a remote one. Only a connection shows whether an engine listens there. */
  forward(sockets: ForwardedSockets, signal: AbortSignal): Promise<ProgramEnd> {
    return this.#multiplex('forward', sockets, signal);
  }

  /** Stops accepting connections at the local socket. Open connections are not closed. */
  async unforward(sockets: ForwardedSockets): Promise<void> {
    if (this.isOver) return;
    const { signal } = new AbortController();
    await this.#multiplex('cancel', sockets, signal);
    rmSync(sockets.local, { force: true });
  }

  /** Returns the call of a process that runs `command` in a session of this login. */
  session(command: string): ProgramCall {
    return this.#call(sessionArguments(this.#control, this.#made.target.transport.host, command));
  }

  dispose(): void {
    this.#made.owned.dispose();
  }

  #multiplex(
    verb: 'forward' | 'cancel',
    sockets: ForwardedSockets,
    signal: AbortSignal,
  ): Promise<ProgramEnd> {
    const { host } = this.#made.target.transport;
    const args = forwardArguments(verb, { control: this.#control, host, sockets });
    return runProgram(this.#call(args), { input: '', signal });
  }

  get #control(): string {
    return controlIn(this.#made.folder);
  }

  #call(args: readonly string[]): ProgramCall {
    return { file: this.#made.options.program ?? 'ssh', args, env: process.env };
  }
}

interface LoginParts {
  readonly target: LoginTarget;
  readonly options: SshOptions;
  readonly folder: string;
  readonly program: Program;
  readonly owned: Disposable;
  readonly found: RemoteSocket | 'none';
}

/** Options of all tunnels over ssh. */
export interface SshOptions {
  /** Shows ssh's questions to the user. */
  readonly ask: Ask;
  /** The askpass helper (`dist/askpass.cjs`), a script for Node. */
  readonly helper: string;
  /** Path of the ssh program. Default: `ssh` on the PATH. */
  readonly program?: string;
  /** Arguments before all others of a login, for example `-F`, `file`. */
  readonly extraArguments?: readonly string[];
  /** Where private folders are created. Default: the system's folder for temporary files. */
  readonly temporaryFolder?: string;
  /** Whether ssh can share a login between sessions and forward sockets. OpenSSH for Windows cannot. */
  readonly canShare?: boolean;
}

export interface LoginTarget {
  readonly transport: SshTransport;
  /** URL of the endpoint, safe to show. */
  readonly url: string;
}

/** Limit in ms for the login scripts of the remote host. ssh has its own limits for everything else. */
const LIMIT_MS = 120_000;

/**
 * Logs in, and shows ssh's questions to the user.
 *
 * @throws EngineError with one of the ssh reasons, `sshRefused` if the user does not answer; the signal's reason.
 */
export async function logIn(
  target: LoginTarget,
  options: SshOptions,
  signal: AbortSignal,
): Promise<SshLogin> {
  const owned = new DisposableStore();
  try {
    const stop = owned.add(new Stop(signal, target.url));
    const folder = makePrivateFolder(options.temporaryFolder);
    const remove = (): void => removeFolder(folder);
    owned.add(toDisposable(remove));
    const questions = owned.add(askServer(target, { options, folder, stop }));
    const env = { ...process.env, ...(await questions.listen()) };
    const args = loginArguments(target.transport, LOOK_UP_AND_STAY, controlIn(folder));
    if (stop.signal.aborted) throw abortReason(stop.signal);
    const program = owned.add(new Program(loginCall(options, args, env)));
    // Remove again: ssh can create files in the folder until it ends.
    void program.ended.then(remove);
    program.stdin.write(greetingOf(target));
    const found = await withSignal(whenFound(program, target.url), stop.signal);
    stop.dispose();
    return new SshLogin({ target, options, folder, program, owned, found });
  } catch (error) {
    owned.dispose();
    throw error;
  }
}

export function loginCall(
  { program = 'ssh', extraArguments = [] }: SshOptions,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): ProgramCall {
  return { file: program, args: [...extraArguments, ...args], env };
}

/** Returns the first line of STDIN for the remote scripts: the path of the socket to use, or an empty line. */
export function greetingOf({ transport }: LoginTarget): string {
  return `${transport.socket ?? ''}\n`;
}

/** Aborts a login before it is complete: on a signal, a timeout, or an unanswered question. */
class Stop implements Disposable {
  readonly signal: AbortSignal;
  readonly #controller = new AbortController();
  readonly #url: string;
  #timer: NodeJS.Timeout | undefined;
  #isDisposed = false;

  constructor(outer: AbortSignal, url: string) {
    this.signal = AbortSignal.any([outer, this.#controller.signal]);
    this.#url = url;
    this.waitFor(0);
  }

  /** Runs the timeout while no questions are open. */
  waitFor(questions: number): void {
    clearTimeout(this.#timer);
    if (questions > 0 || this.#isDisposed) return;
    this.#timer = setTimeout(() => {
      this.abort(new EngineError('connectTimeout', { endpoint: this.#url }));
    }, LIMIT_MS);
  }

  abort(reason: Error): void {
    this.#controller.abort(reason);
  }

  dispose(): void {
    this.#isDisposed = true;
    clearTimeout(this.#timer);
  }
}

function askServer(
  { transport, url }: LoginTarget,
  { options, folder, stop }: { options: SshOptions; folder: string; stop: Stop },
): AskpassServer {
  return new AskpassServer({
    folder,
    helper: options.helper,
    host: formatTarget(transport),
    ask: options.ask,
    onOpen: (count) => stop.waitFor(count),
    onRefused: () => stop.abort(new EngineError('sshRefused', { endpoint: url })),
  });
}

function whenFound(program: Program, url: string): Promise<RemoteSocket | 'none'> {
  return new Promise((resolve, reject) => {
    let output = '';
    program.stdout.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-LONGEST_OUTPUT);
      // Check complete lines only: a path can arrive in two chunks.
      const found = readRemoteSocket(output.slice(0, output.lastIndexOf('\n') + 1));
      if (found !== undefined) resolve(found);
    });
    void program.ended.then((end) => reject(sshFailure(end, url)));
  });
}

const LONGEST_OUTPUT = 8000;

function controlIn(folder: string): string {
  return join(folder, 'c');
}

/** Limit of the base path: ssh appends 17 characters while it binds, and some systems allow only 103 in total. */
const LONGEST_BASE = 60;

/**
 * Creates a folder that only this user can access, for sockets and the askpass script.
 *
 * @param base parent folder, used if a socket path fits there.
 */
function makePrivateFolder(base: string = tmpdir()): string {
  // Characters that ssh would expand cannot be in the path of a socket.
  const isFit = base.length <= LONGEST_BASE && /^[\w./-]+$/.test(base);
  return mkdtempSync(join(isFit ? base : '/tmp', 'gantry-'));
}

const REMOVALS = 3;

/** Removes a folder; does not throw. A removal can fail halfway if ssh adds or removes files at the same time. */
function removeFolder(folder: string): void {
  for (let tries = 0; tries < REMOVALS && existsSync(folder); tries++) {
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch {
      // The next try succeeds once ssh has ended.
    }
  }
}
