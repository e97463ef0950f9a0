import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { awaitOpen, type OnConnect } from '../../../../src/engine/http/tlsConnector.ts';

describe('awaitOpen', () => {
  /** Returns the code of the error of a socket that never opens, after `happens` ran. */
  async function codeOf(host: string, happens: (socket: Socket) => void): Promise<unknown> {
    const socket = new Socket();
    const told = new Promise((resolve) => {
      const tell: OnConnect = (...[error]) => {
        resolve(error && 'code' in error ? error.code : error);
      };
      awaitOpen(socket, 'connect', host, tell, 5);
    });
    happens(socket);
    const code = await told;
    assert(socket.destroyed);
    return code;
  }

  it('reports a failed name resolution if the host name is not resolved in time', async () => {
    assert.equal(await codeOf('engine.example', () => undefined), 'EAI_AGAIN');
  });

  it('reports a timeout if the host name is resolved or needs no resolution', async () => {
    const found = (socket: Socket): void => void socket.emit('lookup', null, '192.0.2.1', 4, '');
    assert.equal(await codeOf('engine.example', found), 'ETIMEDOUT');
    assert.equal(await codeOf('192.0.2.1', () => undefined), 'ETIMEDOUT');
    assert.equal(await codeOf('', () => undefined), 'ETIMEDOUT');
  });

  it('reports nothing after the socket has opened', async () => {
    const socket = new Socket();
    const told: unknown[] = [];
    awaitOpen(socket, 'connect', '', (...outcome) => told.push(outcome), 5);
    socket.emit('connect');
    socket.once('error', () => undefined);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.destroy(new Error('later'));
    await closed;
    assert.deepEqual(told, [[null, socket]]);
  });
});
