import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import type { EngineRequest } from '../../../../src/engine/http/engineRequest.ts';
import type { DuplexStream } from '../../../../src/engine/http/duplexStream.ts';
import { failure, openLab, when, type Lab } from '../../support/lab.ts';
import { bytesOf } from '../../support/rawEngine.ts';

const REQUEST: EngineRequest = { method: 'POST', path: '/exec/x/start', body: { Tty: true } };
const AGREED = bytesOf('101 UPGRADED', { connection: 'Upgrade', upgrade: 'tcp' });

async function textOf({ output }: DuplexStream): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of output) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

describe('DuplexStream', () => {
  let lab: Lab;
  let theirs: Socket | undefined;
  let isSaid: boolean;
  beforeEach(() => {
    lab = openLab();
    theirs = undefined;
  });
  afterEach(() => lab.close());

  /** Opens an upgraded connection; the engine accepts it and sends its output in these packets. */
  async function open(packets: readonly string[], signal?: AbortSignal): Promise<DuplexStream> {
    isSaid = false;
    const { connection } = await lab.raw((socket) => {
      theirs = socket;
      void speak(socket, packets);
    });
    return connection.upgrade({ ...REQUEST, signal });
  }

  async function speak(socket: Socket, packets: readonly string[]): Promise<void> {
    for (const packet of packets) {
      socket.write(packet);
      await new Promise((resolve) => setImmediate(resolve));
    }
    isSaid = true;
  }

  it('requests the upgrade with the headers that engines expect and with the body', async () => {
    let head = '';
    const { engine, connection } = await lab.raw((socket, text) => {
      head = text.toLowerCase();
      socket.write(AGREED);
    });
    await connection.upgrade(REQUEST);
    assert.deepEqual(engine.seen, ['POST /v1.41/exec/x/start']);
    assert.match(head, /\r\nconnection: upgrade\r\n/);
    assert.match(head, /\r\nupgrade: tcp\r\n/);
    assert.match(head, /\r\ncontent-length: 12(\r\n|$)/);
  });

  it('loses no output that arrives together with the upgrade response or in pieces', async () => {
    for (const packets of [
      [`${AGREED}hello`],
      [AGREED.slice(0, 10), `${AGREED.slice(10)}hel`, 'lo'],
    ]) {
      const twoWay = await open(packets);
      await when(() => isSaid);
      theirs?.end();
      assert.equal(await textOf(twoWay), 'hello');
    }
  });

  it('sends input, half-closes, and keeps receiving output', async () => {
    const twoWay = await open([AGREED]);
    let seen = '';
    theirs?.on('data', (part: string) => (seen += part));
    await twoWay.write(Buffer.from('first '));
    await twoWay.write(Buffer.from('second'));
    let isEnded = false;
    theirs?.on('end', () => {
      isEnded = true;
    });
    twoWay.end();
    await when(() => seen.includes('first second') && isEnded);
  });

  it('holds the writer back until the engine takes more', async () => {
    const twoWay = await open([AGREED]);
    theirs?.pause().removeAllListeners('data');
    const chunk = Buffer.alloc(1024 * 1024);
    const progress = { sent: 0, isDone: false };
    const sending = (async () => {
      for (let count = 0; count < 64; count++) {
        await twoWay.write(chunk);
        progress.sent++;
      }
      progress.isDone = true;
    })();
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    assert(!progress.isDone && progress.sent < 64, String(progress.sent));
    theirs?.resume();
    await sending;
  });

  it('holds the engine back until the output is read', async () => {
    const twoWay = await open([AGREED]);
    let taken = 0;
    const chunk = Buffer.alloc(256 * 1024);
    const total = 64;
    const push = (): void => {
      while (taken < total && theirs) {
        taken++;
        if (!theirs.write(chunk)) {
          theirs.once('drain', push);
          return;
        }
      }
      theirs?.end();
    };
    push();
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    assert(taken < total, String(taken));
    assert.equal((await textOf(twoWay)).length, total * chunk.length);
  });

  it('rejects with the message of the engine if the upgrade is refused', async () => {
    const { connection } = await lab.raw((socket) => {
      const body = JSON.stringify({ message: 'No such exec instance: x' });
      const headers = { 'content-type': 'application/json', 'content-length': `${body.length}` };
      socket.write(bytesOf('404 Not Found', headers, body));
    });
    const error = await failure(connection.upgrade(REQUEST), 'notFound');
    assert.equal(error.engineMessage, 'No such exec instance: x');
    assert.equal(error.operation, 'POST /exec/x/start');
  });

  it('has only output if the response is an ordinary one', async () => {
    const twoWay = await open([bytesOf('200 OK', { 'content-type': 'x/raw-stream' }, 'hello')]);
    assert.equal(twoWay.acceptsInput, false);
    await twoWay.write(Buffer.from('nobody hears'));
    twoWay.end();
    theirs?.end();
    assert.equal(await textOf(twoWay), 'hello');
  });

  it('ends with its signal, before and after the upgrade', async () => {
    const before = new AbortController();
    const { connection } = await lab.raw((socket) => (theirs = socket));
    const waiting = connection.upgrade({ ...REQUEST, signal: before.signal });
    await when(() => theirs !== undefined);
    before.abort(new Error('enough'));
    await assert.rejects(waiting, /enough/);
    const after = new AbortController();
    const twoWay = await open([AGREED], after.signal);
    const reading = textOf(twoWay);
    after.abort(new Error('enough'));
    await assert.rejects(reading, /enough/);
    await when(() => theirs?.destroyed === true);
  });

  it('ends without an error when it is closed, and then ignores input', async () => {
    const twoWay = await open([AGREED]);
    const reading = textOf(twoWay);
    twoWay.close();
    assert.equal(await reading, '');
    await twoWay.write(Buffer.from('x'));
    twoWay.end();
    twoWay.close();
  });

  it('distinguishes a broken connection from one that ended', async () => {
    const twoWay = await open([AGREED]);
    const reading = textOf(twoWay);
    // Closing a socket with unread bytes resets the connection.
    theirs?.pause().removeAllListeners('data');
    void twoWay.write(Buffer.alloc(4 * 1024 * 1024));
    await when(() => (theirs?.readableLength ?? 0) >= (theirs?.readableHighWaterMark ?? 0));
    theirs?.destroy();
    await failure(reading, 'cut');
  });

  it('ends with its connection', async () => {
    const { connection } = await lab.raw((socket) => {
      theirs = socket;
      socket.write(AGREED);
    });
    const twoWay = await connection.upgrade(REQUEST);
    const reading = textOf(twoWay);
    connection.dispose();
    await failure(reading, 'cut');
    await when(() => theirs?.destroyed === true);
  });
});
