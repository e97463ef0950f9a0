import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { awaitOpen } from '../../../../src/engine/http/socketOpening.ts';

describe('engine/socketOpening', () => {
  /** The code of what is told of a socket that never opens, after `happens`. */
  async function codeOf(host: string, happens: (socket: Socket) => void): Promise<unknown> {
    const socket = new Socket();
    const told = new Promise((resolve) => {
      awaitOpen(socket, { ready: 'connect', host, limit: 5 }, (...[error]) => {
        resolve(error && 'code' in error ? error.code : error);
      });
    });
    happens(socket);
    const code = await told;
    assert(socket.destroyed);
    return code;
  }

  it('says of a name that nobody looks up in time that it is not known', async () => {
    assert.equal(await codeOf('engine.example', () => undefined), 'EAI_AGAIN');
  });

  it('says of a machine that is found, or needs no looking for, that it is late', async () => {
    const found = (socket: Socket): void => void socket.emit('lookup', null, '192.0.2.1', 4, '');
    assert.equal(await codeOf('engine.example', found), 'ETIMEDOUT');
    assert.equal(await codeOf('192.0.2.1', () => undefined), 'ETIMEDOUT');
    assert.equal(await codeOf('', () => undefined), 'ETIMEDOUT');
  });

  it('says nothing of what becomes of a socket once it is open', async () => {
    const socket = new Socket();
    const told: unknown[] = [];
    awaitOpen(socket, { ready: 'connect', host: '', limit: 5 }, (...outcome) => told.push(outcome));
    socket.emit('connect');
    socket.once('error', () => undefined);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.destroy(new Error('later'));
    await closed;
    assert.deepEqual(told, [[null, socket]]);
  });
});
