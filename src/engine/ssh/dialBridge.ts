import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import type { Disposable } from '../../lifetime.ts';
import type { Program } from './program.ts';

/** How long a process has to end by itself once its connection is closed. */
const GRACE_MS = 2000;

/** A local socket with a process of its own for each connection. */
export class DialBridge implements Disposable {
  readonly #start: () => Program;
  readonly #limit: number;
  readonly #server: Server;
  readonly #waiting: Socket[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #programs = new Set<Program>();
  /** Set where a process failed while its connection was wanted. */
  hasFailed = false;

  /**
   * @param start one process whose input and output are a connection to the engine.
   * @param limit how many at once; more connections wait for their turn.
   */
  constructor(start: () => Program, limit: number) {
    this.#start = start;
    this.#limit = limit;
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

  dispose(): void {
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
    this.#waiting.push(socket);
    this.#next();
  }

  #next(): void {
    if (this.#programs.size >= this.#limit) return;
    const socket = this.#waiting.shift();
    if (!socket) return;
    if (socket.destroyed) this.#next();
    else this.#join(socket, this.#start());
  }

  #join(socket: Socket, program: Program): void {
    this.#programs.add(program);
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
      if (code === 0) socket.end();
      else if (!socket.destroyed) {
        this.hasFailed = true;
        socket.destroy();
      }
      this.#next();
    });
  }
}
