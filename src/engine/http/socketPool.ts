import type { Socket } from 'node:net';
import { asError } from '../errors.ts';
import type { OnConnect } from './tlsConnector.ts';

/**
 * Sockets to one engine that are used for one request after the other. Requests wait in order while all sockets
 * are in use. Node's own `Agent` could neither remove a waiting request nor fail all requests at once.
 */
export class SocketPool {
  /** Whether sockets are used for more than one request. */
  readonly keepsAlive: boolean;
  readonly #connect: (onConnect: OnConnect) => void;
  readonly #most: number;
  readonly #waiting = new Set<SocketUser>();
  /** All open sockets: in use, idle, or about to be used again. */
  readonly #sockets = new Set<Socket>();
  readonly #busy = new Set<Socket>();
  /** The last used is the last. It is used first, so that those which are not needed close. */
  #idle: Socket[] = [];
  #connecting = 0;
  #checking = 0;
  #closed: Error | undefined;

  constructor({ connect, most, keepsAlive }: SocketPoolOptions) {
    this.#connect = connect;
    this.#most = most ?? Infinity;
    this.keepsAlive = keepsAlive;
  }

  /** The number of requests that use a socket or wait for one. */
  get size(): number {
    return this.#waiting.size + this.#busy.size;
  }

  /** Gives a socket to `user` as soon as one is free. */
  request(user: SocketUser): void {
    if (this.#closed) {
      user.fail(this.#closed);
      return;
    }
    this.#waiting.add(user);
    this.#supply();
  }

  /** Removes a request that still waits for a socket. */
  withdraw(user: SocketUser): void {
    this.#waiting.delete(user);
  }

  /**
   * Takes a socket back.
   *
   * @param idleMs how long it may stay idle, in milliseconds; 0 to close it.
   */
  release(socket: Socket, idleMs: number): void {
    this.#busy.delete(socket);
    if (!this.#sockets.has(socket)) return;
    if (this.#closed || !this.keepsAlive || idleMs <= 0) socket.destroy();
    // A destroyed socket is removed when it emits `close`.
    if (socket.destroyed) return;
    this.#rest(socket, idleMs);
    this.#supply();
  }

  /** Removes a socket that is in use and no longer speaks HTTP. */
  detach(socket: Socket): void {
    this.#remove(socket);
  }

  /** Fails all pending and future requests with this error. */
  close(error: Error): void {
    if (this.#closed) return;
    this.#closed = error;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const user of waiting) user.fail(error);
    for (const socket of this.#sockets) socket.destroy(error);
  }

  /** Finds sockets for the waiting requests, as far as the limit allows. */
  #supply(): void {
    while (this.#connecting + this.#checking < this.#waiting.size) {
      const idle = this.#idle.pop();
      if (idle) this.#check(idle);
      else if (this.#sockets.size + this.#connecting < this.#most) this.#open();
      else return;
    }
  }

  #open(): void {
    this.#connecting++;
    const onConnect: OnConnect = (error, socket) => {
      this.#connecting--;
      if (socket) this.#adopt(socket);
      else this.#refuse(error);
    };
    try {
      this.#connect(onConnect);
    } catch (error) {
      onConnect(asError(error), null);
    }
  }

  /** Fails one request: others may have more luck with their own attempts. */
  #refuse(error: Error): void {
    const [user] = this.#waiting;
    if (!user) return;
    this.#waiting.delete(user);
    user.fail(error);
    this.#supply();
  }

  #adopt(socket: Socket): void {
    // A request reports its own errors. Those of an idle socket have no consequences.
    socket
      .on('error', ignore)
      .on('timeout', destroy)
      .on('close', () => {
        this.#remove(socket);
      });
    this.#sockets.add(socket);
    this.#give(socket);
  }

  /** Waits one turn of the event loop, so that an idle socket which the engine has closed is not used. */
  #check(socket: Socket): void {
    this.#checking++;
    setImmediate(() => {
      this.#checking--;
      // If its request was withdrawn, it stays idle until the time that was set.
      if (this.#waiting.size === 0 && !socket.destroyed) this.#idle.push(socket);
      else if (!socket.destroyed) this.#give(socket);
      this.#supply();
    });
  }

  #give(socket: Socket): void {
    // Also without a user: `#rest` adds them again.
    socket.off('data', destroy).off('end', destroy);
    const [user] = this.#waiting;
    if (!user) {
      this.release(socket, IDLE_MS);
      return;
    }
    this.#waiting.delete(user);
    this.#busy.add(socket);
    socket.setTimeout(0).ref();
    user.use(socket);
  }

  #rest(socket: Socket, idleMs: number): void {
    this.#idle.push(socket);
    // An idle socket receives nothing but its end. Anything else would be taken for the next response.
    socket.on('data', destroy).on('end', destroy).setTimeout(idleMs).unref().resume();
  }

  #remove(socket: Socket): void {
    this.#sockets.delete(socket);
    this.#busy.delete(socket);
    this.#idle = this.#idle.filter((one) => one !== socket);
    this.#supply();
  }
}

/** A request that waits for a socket of a pool. One of the two functions is called, once. */
export interface SocketUser {
  /** Takes an open socket. It must be given back with `release` or `detach`. */
  use(socket: Socket): void;
  fail(error: Error): void;
}

/** Options of a pool. */
export interface SocketPoolOptions {
  /** Opens a socket. */
  readonly connect: (onConnect: OnConnect) => void;
  /** The maximum number of sockets; null for no limit. */
  readonly most: number | null;
  /** Whether sockets are used for more than one request. */
  readonly keepsAlive: boolean;
}

/** How long a socket may stay idle if the engine does not specify it, in milliseconds. */
export const IDLE_MS = 4_000;

function destroy(this: Socket): void {
  this.destroy();
}

function ignore(): void {
  // Without a listener, an error would be an uncaught exception.
}
