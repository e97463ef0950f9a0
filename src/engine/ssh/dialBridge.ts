import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import type { Disposable } from '../../lifetime.ts';
import type { Lane } from './tunnel.ts';
import type { Program } from './program.ts';
import { SshSessions, type SessionLimits } from './sshSessions.ts';

/** How long a process has to end by itself once its connection is closed. */
const GRACE_MS = 2000;
/** A process that has not said a word for so long is taken for logged in: it waits for the engine. */
const LOGIN_MS = 3000;

/** A local socket with a process of its own for each connection. Each connection has to be announced: see `enter`. */
export class DialBridge implements Disposable {
  readonly #start: () => Program;
  readonly #sessions: SshSessions;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #programs = new Set<Program>();
  /** Set where a process failed while its connection was wanted. */
  hasFailed = false;

  /**
   * @param start one process whose input and output are a connection to the engine.
   */
  constructor(start: () => Program, limits: SessionLimits) {
    this.#start = start;
    this.#sessions = new SshSessions(limits);
    // Each side may have said all before the other has.
    this.#server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => {
      this.#take(socket);
    });
  }

  /** @throws what the system says where it cannot listen there. */
  async listen(path: string): Promise<void> {
    this.#server.listen(path);
    await once(this.#server, 'listening');
  }

  /**
   * Waits for a session for one connection.
   *
   * @returns what is to be called once that is closed, or could not be opened; undefined where there is no session.
   */
  async enter(lane: Lane): Promise<((wasOpened: boolean) => void) | undefined> {
    const leave = await this.#sessions.enter(lane);
    return (
      leave &&
      ((wasOpened) => {
        leave();
        if (wasOpened) return;
        this.#sessions.began();
        this.#sessions.ended();
      })
    );
  }

  /** Runs what needs a session, but no connection. */
  async within<T>(work: () => Promise<T>): Promise<T> {
    await this.#sessions.enter('ping');
    try {
      return await work();
    } finally {
      this.#sessions.began();
      this.#sessions.ended();
    }
  }

  dispose(): void {
    this.#sessions.dispose();
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    for (const program of this.#programs) program.dispose();
  }

  #take(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => {
      this.#sockets.delete(socket);
    });
    this.#join(socket, this.#start());
  }

  #join(socket: Socket, program: Program): void {
    this.#programs.add(program);
    this.#watchLogin(program);
    // A pipe hands on the end of each side to the other, and no faster than that reads.
    socket.pipe(program.stdin);
    program.stdout.pipe(socket);
    let killing: NodeJS.Timeout | undefined;
    socket.once('close', () => {
      program.stdin.end();
      program.stdout.resume();
      killing = setTimeout(() => {
        program.dispose();
      }, GRACE_MS);
      killing.unref();
    });
    void program.ended.then(({ code }) => {
      clearTimeout(killing);
      this.#programs.delete(program);
      this.#sessions.ended();
      if (code === 0) socket.end();
      else if (!socket.destroyed) {
        this.hasFailed = true;
        socket.destroy();
      }
    });
  }

  /** A server that many log in to at once refuses some of them. */
  #watchLogin(program: Program): void {
    let isIn = false;
    const begin = (): void => {
      if (!isIn) this.#sessions.began();
      isIn = true;
      clearTimeout(late);
    };
    const late = setTimeout(begin, LOGIN_MS);
    late.unref();
    program.stdout.once('data', begin);
    void program.ended.then(begin);
  }
}
