import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { mock } from 'node:test';
import { DialBridge } from '../../../../src/engine/ssh/dialBridge.ts';
import { Program } from '../../../../src/base/program.ts';
import type { SessionLimits } from '../../../../src/engine/ssh/dialBridge.ts';

describe('a dial bridge', () => {
  let folder: string;
  let bridge: DialBridge;
  let programs: Program[];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gantry-bridge-'));
    programs = [];
  });

  afterEach(async () => {
    mock.timers.reset();
    bridge.dispose();
    await Promise.all(programs.map(({ ended }) => ended));
    rmSync(folder, { recursive: true, force: true });
  });

  async function listen(script: string, limits: SessionLimits = { most: 9 }): Promise<void> {
    const start = (): Program => {
      const program = new Program({ file: '/bin/sh', args: ['-c', script], env: process.env });
      programs.push(program);
      return program;
    };
    bridge = new DialBridge(start, limits);
    await bridge.listen(join(folder, 'd'));
  }

  function dial(): Socket {
    const socket = connect({ path: join(folder, 'd'), allowHalfOpen: true });
    socket.on('error', () => undefined);
    return socket;
  }

  async function heard(socket: Socket, wanted: string): Promise<void> {
    let said = '';
    for await (const part of socket.iterator({ destroyOnReturn: false })) {
      said += String(part);
      if (said === wanted) return;
    }
    assert.fail(`ended after ${said}`);
  }

  it('passes data in both directions, and the response after the request side has ended', async () => {
    await listen('cat; echo the end');
    const socket = dial();
    socket.end('hello\n');
    assert.equal(await text(socket), 'hello\nthe end\n');
  });

  it('closes the connection if its process failed', async () => {
    await listen('exit 3');
    const socket = dial();
    assert.equal(await text(socket.resume()), '');
    socket.destroy();
  });

  it('closes the connection, and frees its session, if the system refuses to start a process', async () => {
    const env = { LONG: 'x'.repeat(16 * 1024 * 1024) };
    bridge = new DialBridge(() => new Program({ file: '/bin/sh', args: [], env }), { most: 1 });
    await bridge.listen(join(folder, 'd'));
    const leave = await bridge.enter('call');
    const socket = dial();
    assert.equal(await text(socket.resume()), '');
    socket.destroy();
    leave?.(true);
    await bridge.enter('call');
    assert.equal(bridge.hasFailed, true);
  });

  it('ends the process if its connection was closed', async () => {
    // It ends by itself, however long that takes.
    mock.timers.enable({ apis: ['setTimeout'] });
    await listen('echo up; exec cat');
    const socket = dial();
    await heard(socket, 'up\n');
    socket.destroy();
    assert.equal((await programs[0]!.ended).code, 0);
  });

  it('kills a process that keeps writing some time after its connection was closed', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    await listen('exec yes');
    const socket = dial();
    await once(socket, 'data');
    socket.destroy();
    while (!programs[0]!.isOver) {
      mock.timers.tick(1000);
      await new Promise((resolve) => setImmediate(resolve));
    }
  });

  it('kills a process that ignores SIGTERM when the bridge is disposed', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    await listen('trap "" TERM; echo up; exec sleep 1000');
    const socket = dial();
    await heard(socket, 'up\n');
    bridge.dispose();
    mock.timers.tick(2000);
    assert.equal((await programs[0]!.ended).code, null);
  });

  it('admits a connection when the process of another one has ended', async () => {
    await listen('echo up; cat', { most: 1 });
    const leave = await bridge.enter('call');
    const first = dial();
    await heard(first, 'up\n');
    const second = bridge.enter('call');
    let isIn = false;
    void second.then(() => (isIn = true));
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(isIn, false);
    first.destroy();
    leave?.(true);
    await programs[0]!.ended;
    await second;
  });

  it('admits all waiting connections when the bridge is disposed', async () => {
    await listen('cat', { most: 1 });
    await bridge.enter('call');
    const waiting = bridge.enter('call');
    bridge.dispose();
    (await waiting)?.(false);
    assert.notEqual(await bridge.enter('call'), undefined);
  });

  it('admits another connection if one could not be opened', async () => {
    await listen('cat', { most: 1 });
    const leave = await bridge.enter('call');
    const second = bridge.enter('call');
    leave?.(false);
    await second;
  });

  it('starts the next login when the previous one is complete', async () => {
    await listen('echo up; cat', { most: 9, atOnce: 1 });
    await bridge.enter('call');
    const second = bridge.enter('call');
    const first = dial();
    await second;
    assert.equal(programs.length, 1);
    first.destroy();
  });
});
