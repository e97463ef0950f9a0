import { abortReason } from '../../base/lifetime.ts';
import { EngineError, failedWith } from '../errors.ts';
import { withSignal } from '../http/withTimeLimit.ts';
import { withTimeout } from '../../base/time.ts';
import type { Entrance, Lane, Tunnel } from '../http/tunnel.ts';
import { checkTransport } from './sshArguments.ts';
import { logIn, type SshLogin, type SshOptions, type LoginTarget } from './sshLogin.ts';
import type { Ask } from './sshQuestion.ts';
import { openUnsharedSocket, openTunnelSocket, type TunnelSocket } from './tunnelSocket.ts';

/** A tunnel through the user's OpenSSH, which applies the user's configuration, agent, jump hosts and known hosts. */
export class SshTunnel implements Tunnel {
  readonly #target: LoginTarget;
  readonly #options: SshOptions;
  #attempt: Attempt | undefined;
  #login: SshLogin | undefined;
  #socket: TunnelSocket | undefined;
  #refusal: EngineError | undefined;
  #isDisposed = false;

  constructor(target: LoginTarget, options: SshOptions) {
    this.#target = target;
    this.#options = options;
  }

  async open(signal?: AbortSignal): Promise<string> {
    if (signal?.aborted) throw abortReason(signal);
    if (this.#isDisposed) throw this.#closed();
    if (this.#refusal) throw this.#refusal;
    if (this.#login?.isOver) this.#end();
    if (this.#socket?.isDoubted === false) return this.#socket.path;
    const attempt = (this.#attempt ??= this.#begin());
    attempt.waiting++;
    try {
      return await withSignal(attempt.path, signal);
    } finally {
      if (--attempt.waiting === 0) this.#leave(attempt);
    }
  }

  get isNarrow(): boolean {
    return this.#socket?.isNarrow === true;
  }

  async enter(lane: Lane): Promise<Entrance> {
    await this.open();
    if (!this.#socket) throw this.#closed();
    return this.#socket.enter(lane);
  }

  retry(): void {
    this.#refusal = undefined;
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#attempt?.controller.abort(this.#closed());
    this.#end();
  }

  #begin(): Attempt {
    const controller = new AbortController();
    const path = this.#make(controller.signal).catch((error: unknown) => {
      throw this.#shaped(error, controller.signal);
    });
    return { path, controller, waiting: 0 };
  }

  /** Drops an attempt that no caller waits for any more, whether it has ended or not. */
  #leave(attempt: Attempt): void {
    if (this.#attempt === attempt) this.#attempt = undefined;
    attempt.controller.abort();
  }

  async #make(signal: AbortSignal): Promise<string> {
    checkTransport(this.#target.transport, this.#target.url);
    const canShare = this.#options.canShare ?? process.platform !== 'win32';
    // A login is kept if opening the tunnel fails, so that the user need not authenticate twice.
    if (canShare) this.#login ??= await this.#logIn(signal);
    const login = this.#login;
    const limit = canShare ? SOCKET_LIMIT_MS : SOCKET_LIMIT_MS + LOGIN_LIMIT_MS;
    const late = (): EngineError =>
      new EngineError('timeout', { endpoint: this.#target.url, limitSeconds: limit / 1000 });
    const socket = await withTimeout(limit, late, signal, async (until) => {
      if (this.#socket?.settle) {
        await this.#socket.settle(until);
        return this.#socket;
      }
      this.#socket?.dispose();
      this.#socket = undefined;
      if (login) return openTunnelSocket(login, this.#target, until);
      return this.#remembering(openUnsharedSocket(this.#target, this.#options, until));
    });
    if (!signal.aborted) return (this.#socket = socket).path;
    if (this.#socket === socket) this.#socket = undefined;
    socket.dispose();
    throw abortReason(signal);
  }

  async #logIn(signal: AbortSignal): Promise<SshLogin> {
    const asked = { once: false };
    const ask: Ask = (question, until) => {
      asked.once = true;
      return this.#options.ask(question, until);
    };
    const options = { ...this.#options, ask };
    const login = await this.#remembering(logIn(this.#target, options, signal), asked);
    if (!signal.aborted) return login;
    login.dispose();
    throw abortReason(signal);
  }
  /**
   * Remembers a final failure, so that attempts that the user did not start neither ask again nor lock the user out.
   */
  async #remembering<T>(work: Promise<T>, asked = { once: false }): Promise<T> {
    try {
      return await work;
    } catch (error) {
      const isFinal = asked.once || failedWith(error, 'sshMissing', 'sshHostKey', 'sshRefused');
      if (!(error instanceof EngineError && isFinal)) throw error;
      throw (this.#refusal = error.with({ isFinal, cause: error.cause }));
    }
  }

  /** Converts an error of local files and sockets to `sshFailed`: it is not a failure of the engine's socket. */
  #shaped(error: unknown, { aborted }: AbortSignal): unknown {
    if (aborted || error instanceof EngineError) return error;
    return new EngineError('sshFailed', {
      endpoint: this.#target.url,
      engineMessage: error instanceof Error ? error.message : String(error),
      cause: error,
    });
  }

  /** Disposes of the login and the tunnel socket. */
  #end(): void {
    this.#login?.dispose();
    this.#socket?.dispose();
    this.#login = undefined;
    this.#socket = undefined;
  }

  #closed(): EngineError {
    return new EngineError('cut', { endpoint: this.#target.url });
  }
}

/** Limit in ms for opening a tunnel after the login. This needs no user input, so a stalled engine is detected. */
const SOCKET_LIMIT_MS = 30_000;
/** Additional time in ms if each process logs in. ssh has the same limit (`ConnectTimeout`). */
const LOGIN_LIMIT_MS = 30_000;

/** One attempt to open the tunnel, shared by all callers that wait for it. */
interface Attempt {
  readonly path: Promise<string>;
  readonly controller: AbortController;
  waiting: number;
}
