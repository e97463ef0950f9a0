import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import {
  IDLE_MS,
  SocketPool,
  type SocketPoolOptions,
  type SocketUser,
} from '../../../../src/engine/http/socketPool.ts';
import { settle, when } from '../../support/lab.ts';
import { startRawEngine, type RawEngine } from '../../support/rawEngine.ts';

/** A user that records what it gets. */
class Guest implements SocketUser {
  socket: Socket | undefined;
  error: Error | undefined;

  use(socket: Socket): void {
    this.socket = socket;
  }

  fail(error: Error): void {
    this.error = error;
  }
}

describe('SocketPool', () => {
  let engine: RawEngine;
  let attempts: number;
  let theirs: Socket[];
  let pool: SocketPool;
  beforeEach(async () => {
    theirs = [];
    attempts = 0;
    engine = await startRawEngine((socket) => theirs.push(socket));
  });
  afterEach(async () => {
    pool.close(new Error('the test is over'));
    await engine.stop();
  });

  function open(options: Partial<SocketPoolOptions> = {}): void {
    pool = new SocketPool({
      connect: (onConnect) => {
        attempts++;
        const socket = connect(engine.url.slice('unix://'.length));
        socket.once('connect', () => {
          onConnect(null, socket);
        });
      },
      most: 2,
      keepsAlive: true,
      ...options,
    });
  }

  function ask(count: number): Guest[] {
    const guests = Array.from({ length: count }, () => new Guest());
    for (const guest of guests) pool.request(guest);
    return guests;
  }

  /** Returns the socket of a guest as soon as it has one. */
  async function socketOf(guest: Guest | undefined): Promise<Socket> {
    await when(() => guest?.socket !== undefined);
    return guest?.socket ?? assert.fail();
  }

  it('opens sockets up to its limit and gives them to the requests in order', async () => {
    open();
    const [first, second, third, fourth] = ask(4);
    const socket = await socketOf(first);
    await socketOf(second);
    await settle();
    assert.equal(engine.open(), 2);
    assert.equal(pool.size, 4);
    assert.equal(third?.socket, undefined);
    pool.release(socket, IDLE_MS);
    assert.equal(await socketOf(third), socket);
    assert.equal(fourth?.socket, undefined);
    assert.equal(pool.size, 3);
  });

  it('has no limit if it needs none', async () => {
    open({ most: null });
    const guests = ask(20);
    await when(() => guests.every(({ socket }) => socket !== undefined));
    assert.equal(attempts, 20);
  });

  it('opens another socket when one closes', async () => {
    open({ most: 1 });
    const [first, second] = ask(2);
    (await socketOf(first)).destroy();
    assert.notEqual(await socketOf(second), first?.socket);
    assert.equal(pool.size, 1);
  });

  it('gives nothing to a request that was withdrawn', async () => {
    open({ most: 1 });
    const [first, second, third] = ask(3);
    assert(second);
    pool.withdraw(second);
    pool.release(await socketOf(first), IDLE_MS);
    await socketOf(third);
    assert.equal(second.socket, undefined);
    assert.equal(pool.size, 1);
  });

  it('keeps the socket of a request that was withdrawn while it was opened', async () => {
    open();
    const [left] = ask(1);
    assert(left);
    pool.withdraw(left);
    await when(() => engine.open() === 1);
    await settle();
    const [next] = ask(1);
    await socketOf(next);
    assert.equal(attempts, 1);
  });

  it('closes each socket after its request if it keeps none', async () => {
    open({ keepsAlive: false });
    const [first] = ask(1);
    pool.release(await socketOf(first), IDLE_MS);
    await when(() => engine.accepted() === 1 && engine.open() === 0);
    const [second, left] = ask(2);
    assert(left);
    pool.withdraw(left);
    await socketOf(second);
    await when(() => attempts === 3 && engine.open() === 1);
  });

  it('closes a socket that may not be idle', async () => {
    open();
    const [first] = ask(1);
    pool.release(await socketOf(first), 0);
    assert(first?.socket?.destroyed);
  });

  it('closes an idle socket after its time, and needs no timer otherwise', async () => {
    open();
    const [first] = ask(1);
    const socket = await socketOf(first);
    assert.equal(socket.timeout ?? 0, 0);
    pool.release(socket, 3_000);
    assert.equal(socket.timeout, 3_000);
    const [second] = ask(1);
    assert.equal(await socketOf(second), socket);
    assert.equal(socket.timeout, 0);
    pool.release(socket, 1);
    await when(() => engine.open() === 0);
  });

  /** Returns an idle socket and its other end. */
  async function idle(): Promise<[socket: Socket, theirs: Socket]> {
    const socket = await socketOf(ask(1)[0]);
    socket.write('GET /x HTTP/1.1\r\n\r\n');
    await when(() => theirs.length === 1);
    pool.release(socket, 600_000);
    return [socket, theirs[0] ?? assert.fail()];
  }

  it('does not use an idle socket that the engine has closed', async () => {
    open();
    const [socket, other] = await idle();
    other.destroy();
    const [next] = ask(1);
    assert.notEqual(await socketOf(next), socket);
    assert.equal(next?.error, undefined);
  });

  it('closes an idle socket as soon as the engine ends it', async () => {
    open();
    const [socket, other] = await idle();
    let isClosed: boolean | undefined;
    socket.once('end', () => (isClosed = socket.destroyed));
    other.end();
    await when(() => isClosed !== undefined);
    assert.equal(isClosed, true);
  });

  it('closes an idle socket on which bytes arrive', async () => {
    open();
    const [socket, other] = await idle();
    other.write('HTTP/1.1 200 OK\r\n\r\n');
    await when(() => socket.destroyed);
  });

  it('uses an idle socket after the request that was about to use it was withdrawn', async () => {
    open();
    const [socket, other] = await idle();
    const [left] = ask(1);
    assert(left);
    pool.withdraw(left);
    await settle();
    const [next] = ask(1);
    assert.equal(await socketOf(next), socket);
    const bytes = once(socket, 'data');
    other.write('HTTP/1.1 200 OK\r\n\r\n');
    await bytes;
    assert(!socket.destroyed);
  });

  it('fails one request for each socket that cannot be opened', () => {
    const refusals: ((error: Error) => void)[] = [];
    open({
      most: 1,
      connect: (onConnect) => {
        refusals.push((error) => {
          onConnect(error, null);
        });
      },
    });
    const [first, second] = ask(2);
    const why = new Error('refused');
    refusals.shift()?.(why);
    assert.deepEqual([first?.error, second?.error, pool.size], [why, undefined, 1]);
    refusals.shift()?.(why);
    assert.equal(second?.error, why);
    assert.equal(refusals.length, 0);
  });

  it('reports what connecting throws', () => {
    const why = new Error('no tunnel');
    open({
      connect: () => {
        throw why;
      },
    });
    const guests = ask(3);
    assert.deepEqual(
      guests.map(({ error }) => error),
      [why, why, why],
    );
  });

  it('fails all requests when it is closed, and those that follow', async () => {
    open({ most: 1 });
    const [first, second] = ask(2);
    const socket = await socketOf(first);
    const why = new Error('cut');
    let thrown: unknown;
    socket.once('error', (error) => (thrown = error));
    pool.close(why);
    assert.equal(second?.error, why);
    await when(() => thrown === why);
    assert.equal(ask(1)[0]?.error, why);
  });

  it('closes a socket that opens after it was closed', async () => {
    open();
    const [first] = ask(1);
    pool.close(new Error('cut'));
    await when(() => engine.accepted() === 1 && engine.open() === 0);
    assert.equal(first?.socket, undefined);
  });

  it('forgets a socket that was detached', async () => {
    open({ most: 1 });
    const [first, second] = ask(2);
    const socket = await socketOf(first);
    pool.detach(socket);
    assert.notEqual(await socketOf(second), socket);
    pool.close(new Error('cut'));
    assert(!socket.destroyed);
    socket.destroy();
  });

  it('leaves no listeners on a socket that is used again and again', async () => {
    open({ most: 1 });
    const counts: number[] = [];
    for (let turn = 0; turn < 3; turn++) {
      const socket = await socketOf(ask(1)[0]);
      counts.push(socket.eventNames().reduce((sum, name) => sum + socket.listenerCount(name), 0));
      pool.release(socket, IDLE_MS);
    }
    assert.equal(new Set(counts).size, 1, String(counts));
  });
});
