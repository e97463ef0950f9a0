import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import type { Disposable } from '../../base/lifetime.ts';
import type { Lane } from '../http/tunnel.ts';
import type { Program } from '../../base/program.ts';

/** Time in ms for a process to exit after its connection was closed, before it is killed. */
const GRACE_MS = 2000;
/** A process without output for so many ms counts as logged in: it is waiting for the engine. */
const LOGIN_MS = 3000;

/** A local socket that starts a process for each connection. Each connection needs a session first: see `enter`. */
export class DialBridge implements Disposable {
  readonly #start: () => Program;
  readonly #sessions: SshSessions;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #programs = new Set<Program>();
  /** Set when a process failed while its connection was in use. */
  hasFailed = false;

  /** @param start starts a process whose STDIN and STDOUT are a connection to the engine. */
  constructor(start: () => Program, limits: SessionLimits) {
    this.#start = start;
    this.#sessions = new SshSessions(limits);
    // One side can end before the other has sent everything.
    this.#server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => {
      this.#accept(socket);
    });
  }

  /** Starts to listen. @throws an error of the system if it cannot listen at this path. */
  async listen(path: string): Promise<void> {
    this.#server.listen(path);
    await once(this.#server, 'listening');
  }

  /**
   * Waits for a session for one connection.
   *
   * @returns a function to call when the connection is closed or could not be opened; undefined if there is no session.
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

  /** Runs work that needs a session, but no connection. */
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

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => this.#sockets.delete(socket));
    this.#join(socket, this.#start());
  }

  #join(socket: Socket, program: Program): void {
    this.#programs.add(program);
    this.#watchLogin(program);
    // A pipe passes on the end of each side, and reads no faster than the other side accepts.
    socket.pipe(program.stdin);
    program.stdout.pipe(socket);
    let killing: NodeJS.Timeout | undefined;
    socket.once('close', () => {
      program.stdin.end();
      program.stdout.resume();
      killing = setTimeout(() => program.dispose(), GRACE_MS);
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

  /** Frees the login slot of a process when it has logged in. SSH servers refuse some of many simultaneous logins. */
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

/** Sessions reserved for short calls: two calls and a ping. */
const FOR_CALLS = 3;

type LastingLane = Exclude<Lane, 'call' | 'ping'>;

/** For each lane, the other lanes that it must leave at least one session for. */
const LEAVES_ONE_FOR: Readonly<Record<LastingLane, readonly LastingLane[]>> = {
  events: [],
  long: ['events'],
  stream: ['events', 'long'],
};

/**
 * Hands out the limited sessions of a tunnel. A request connects only when it has a session, so that no request waits
 * in a socket and is executed after its caller has left. Streams may never end, so they are rejected instead of queued.
 */
class SshSessions implements Disposable {
  readonly #limits: Required<SessionLimits>;
  readonly #waiting: { readonly lane: Lane; readonly onAdmitted: () => void }[] = [];
  readonly #open: Record<LastingLane, number> = { events: 0, long: 0, stream: 0 };
  /** Number of processes, including those that are ending. */
  #running = 0;
  #starting = 0;
  #isDisposed = false;

  constructor({ most, atOnce = most }: SessionLimits) {
    this.#limits = { most, atOnce };
  }

  /**
   * Resolves when there is a session, to a function that releases the lane.
   *
   * @returns undefined if too many streams are open.
   */
  async enter(lane: Lane): Promise<(() => void) | undefined> {
    if (this.#isDisposed) return () => undefined;
    if (lane === 'stream' && !this.#hasRoomFor(lane)) return undefined;
    // Count a stream from now on: another one can arrive while this one waits for a session that is ending.
    if (lane === 'stream') this.#open.stream++;
    await new Promise<void>((resolve) => {
      this.#waiting.push({ lane, onAdmitted: resolve });
      this.#admit();
    });
    return this.#leaver(lane);
  }

  /** Reports that an admitted process has logged in or ended. */
  began(): void {
    this.#starting--;
    this.#admit();
  }

  /** Reports that a process has ended. */
  ended(): void {
    this.#running--;
    this.#admit();
  }

  /** Admits no more connections. All waiting ones are resolved. */
  dispose(): void {
    this.#isDisposed = true;
    for (const { onAdmitted } of this.#waiting.splice(0)) onAdmitted();
  }

  #admit(): void {
    for (const wait of [...this.#waiting]) {
      const { most, atOnce } = this.#limits;
      if (this.#running >= most || this.#starting >= atOnce) return;
      if (wait.lane === 'events' || wait.lane === 'long') {
        if (!this.#hasRoomFor(wait.lane)) continue;
        this.#open[wait.lane]++;
      }
      this.#waiting.splice(this.#waiting.indexOf(wait), 1);
      this.#running++;
      this.#starting++;
      wait.onAdmitted();
    }
  }

  #hasRoomFor(lane: LastingLane): boolean {
    const { events, long, stream } = this.#open;
    const kept = LEAVES_ONE_FOR[lane].filter((other) => this.#open[other] === 0).length;
    return events + long + stream + kept < this.#limits.most - FOR_CALLS;
  }

  #leaver(lane: Lane): () => void {
    let isIn = true;
    return () => {
      if (!isIn || lane === 'call' || lane === 'ping') return;
      isIn = false;
      this.#open[lane]--;
      this.#admit();
    };
  }
}

export interface SessionLimits {
  readonly most: number;
  /** Number of logins at the same time. Default: `most`. */
  readonly atOnce?: number;
}
