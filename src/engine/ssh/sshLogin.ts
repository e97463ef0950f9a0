import { rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  abortReason,
  DisposableStore,
  Emitter,
  toDisposable,
  type Disposable,
} from '../../lifetime.ts';
import type { SshTransport } from '../discovery/endpoint.ts';
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
import { makePrivateFolder, removeFolder } from './makePrivateFolder.ts';
import { Program, runProgram, type ProgramCall } from './program.ts';
import type { Ask } from './sshQuestion.ts';
import { LOOK_UP, LOOK_UP_AND_STAY, readRemoteSocket, type RemoteSocket } from './remoteSocket.ts';
import { sshFailure, type ProgramEnd } from './sshFailure.ts';

/** One ssh process that has logged in, and lets further ones in. */
export class SshLogin implements Disposable {
  readonly #target: LoginTarget;
  readonly #options: SshOptions;
  readonly #folder: string;
  readonly #program: Program;
  readonly #owned: Disposable;
  readonly #refused = new Emitter<void>();
  /** Tells that a forwarded connection found nobody on the other machine. */
  readonly onDidRefuse = this.#refused.event;
  #found: RemoteSocket | 'none' | undefined;
  #names = 0;

  /** Takes over what a login is made of. */
  constructor(made: {
    readonly target: LoginTarget;
    readonly options: SshOptions;
    readonly folder: string;
    readonly program: Program;
    readonly owned: Disposable;
    readonly found: RemoteSocket | 'none';
  }) {
    this.#target = made.target;
    this.#options = made.options;
    this.#folder = made.folder;
    this.#program = made.program;
    this.#owned = made.owned;
    this.#found = made.found;
    made.program.onDidSay((text) => {
      if (text.includes('open failed: ')) this.#refused.fire();
    });
    void made.program.ended.then(() => {
      this.dispose();
    });
  }

  /** Whether it has ended. */
  get isOver(): boolean {
    return this.#program.isOver;
  }

  /** A path in its private folder that was not given before. */
  newPath(): string {
    return join(this.#folder, `e${++this.#names}`);
  }

  /** Looks for the engine's socket there. @throws EngineError; the signal's reason. */
  async lookUp(signal: AbortSignal): Promise<RemoteSocket | 'none'> {
    // The login itself has looked already.
    const first = this.#found;
    this.#found = undefined;
    if (first !== undefined) return first;
    const end = await runProgram(this.session(LOOK_UP), { input: this.greeting, signal });
    if (signal.aborted) throw abortReason(signal);
    const found = readRemoteSocket(end.stdout);
    if (found === undefined) throw sshFailure(end, this.#target.url);
    return found;
  }

  /** Forwards a local socket to a remote one. Whether it leads anywhere only a connection can tell. */
  async forward(sockets: ForwardedSockets, signal: AbortSignal): Promise<ProgramEnd> {
    return this.#multiplex('forward', sockets, signal);
  }

  /** Takes no more connections at that local socket; those that stand go on. */
  async unforward(sockets: ForwardedSockets): Promise<void> {
    if (this.isOver) return;
    const { signal } = new AbortController();
    await this.#multiplex('cancel', sockets, signal);
    rmSync(sockets.local, { force: true });
  }

  /** A further process that runs `command` there. */
  session(command: string): ProgramCall {
    return this.#call(sessionArguments(this.#control, this.#target.transport.host, command));
  }

  /** What our scripts read first. */
  get greeting(): string {
    return greetingOf(this.#target);
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #multiplex(
    verb: 'forward' | 'cancel',
    sockets: ForwardedSockets,
    signal: AbortSignal,
  ): Promise<ProgramEnd> {
    const { host } = this.#target.transport;
    const args = forwardArguments(verb, { control: this.#control, host, sockets });
    return runProgram(this.#call(args), { input: '', signal });
  }

  get #control(): string {
    return controlIn(this.#folder);
  }

  #call(args: readonly string[]): ProgramCall {
    return { file: this.#options.program ?? 'ssh', args, env: process.env };
  }
}

/** What every way over ssh is made with. */
export interface SshOptions {
  /** Puts ssh's questions to the person. */
  readonly ask: Ask;
  /** The program that ssh asks by (`dist/askpass.cjs`), for Node to run. */
  readonly helper: string;
  /** The person's ssh; otherwise the one on the PATH. */
  readonly program?: string;
  /** Put before all other arguments of a login: `-F`, `file`. */
  readonly extraArguments?: readonly string[];
  /** Where private folders are made; otherwise where this system has temporary ones. */
  readonly temporaryFolder?: string;
  /** Whether ssh can do more in one login, and forward sockets. OpenSSH for Windows cannot. */
  readonly canShare?: boolean;
}

/** Who is logged in to. */
export interface LoginTarget {
  readonly transport: SshTransport;
  /** Fit to show. */
  readonly url: string;
}

/** ssh has limits of its own for what it does; this is for what the other machine's login scripts do, in ms. */
const LIMIT_MS = 120_000;

/**
 * Logs in, and asks the person what ssh asks.
 *
 * @throws EngineError with one of the reasons of ssh, `sshRefused` where the person would not answer; the signal's
 *   reason.
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
    owned.add(
      toDisposable(() => {
        removeFolder(folder);
      }),
    );
    const questions = owned.add(askServer(target, { options, folder, stop }));
    const env = { ...process.env, ...(await questions.listen()) };
    const args = loginArguments(target.transport, LOOK_UP_AND_STAY, controlIn(folder));
    const file = options.program ?? 'ssh';
    if (stop.signal.aborted) throw abortReason(stop.signal);
    const call = { file, args: [...(options.extraArguments ?? []), ...args], env };
    const program = owned.add(new Program(call));
    // Until its end it may have put something there.
    void program.ended.then(() => {
      removeFolder(folder);
    });
    program.stdin.write(greetingOf(target));
    const found = await withSignal(whenFound(program, target.url), stop.signal);
    stop.dispose();
    return new SshLogin({ target, options, folder, program, owned, found });
  } catch (error) {
    owned.dispose();
    throw error;
  }
}

/** What our scripts read first: the path they shall take, or an empty line. */
export function greetingOf({ transport }: LoginTarget): string {
  return `${transport.socket ?? ''}\n`;
}

/** What ends a login before it is done. */
class Stop implements Disposable {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal;
  readonly #url: string;
  #timer: NodeJS.Timeout | undefined;
  #isDisposed = false;

  constructor(outer: AbortSignal, url: string) {
    this.#outer = outer;
    this.#url = url;
    outer.addEventListener('abort', this.#onAbort, { once: true });
    if (outer.aborted) this.#onAbort();
    this.waitFor(0);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Has the time run, but not while the person thinks. */
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
    this.#outer.removeEventListener('abort', this.#onAbort);
  }

  readonly #onAbort = (): void => {
    this.abort(abortReason(this.#outer));
  };
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
    onOpen: (count) => {
      stop.waitFor(count);
    },
    onRefused: () => {
      stop.abort(new EngineError('sshRefused', { endpoint: url }));
    },
  });
}

function whenFound(program: Program, url: string): Promise<RemoteSocket | 'none'> {
  return new Promise((resolve, reject) => {
    let output = '';
    program.stdout.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-LONGEST_OUTPUT);
      // Whole lines alone are looked at: a path may come in two parts.
      const found = readRemoteSocket(output.slice(0, output.lastIndexOf('\n') + 1));
      if (found !== undefined) resolve(found);
    });
    void program.ended.then((end) => {
      reject(sshFailure(end, url));
    });
  });
}

const LONGEST_OUTPUT = 8000;

function controlIn(folder: string): string {
  return join(folder, 'c');
}
