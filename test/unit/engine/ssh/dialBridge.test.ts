import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { DialBridge } from '../../../../src/engine/ssh/dialBridge.ts';
import { Program } from '../../../../src/engine/ssh/program.ts';
import type { SessionLimits } from '../../../../src/engine/ssh/sshSessions.ts';

describe('a bridge of one process for each connection', () => {
  let folder: string;
  let bridge: DialBridge;
  let programs: Program[];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gantry-bridge-'));
    programs = [];
  });

  afterEach(async () => {
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

  it('hands on what each side says, and hears the answer after our end', async () => {
    await listen('cat; echo the end');
    const socket = dial();
    socket.end('hello\n');
    assert.equal(await text(socket), 'hello\nthe end\n');
  });

  it('closes the connection whose process failed', async () => {
    await listen('exit 3');
    const socket = dial();
    assert.equal(await text(socket.resume()), '');
    socket.destroy();
  });

  it('ends the process whose connection was closed', async () => {
    await listen('echo up; exec cat');
    const socket = dial();
    await heard(socket, 'up\n');
    socket.destroy();
    assert.equal((await programs[0]!.ended).code, 0);
  });

  it('ends even a process that does not hear of it', async () => {
    await listen('trap "" TERM; echo up; exec sleep 1000');
    const socket = dial();
    await heard(socket, 'up\n');
    bridge.dispose();
    assert.equal((await programs[0]!.ended).code, null);
  });

  it('lets a connection in when the process of another one has ended', async () => {
    await listen('echo up; cat', { most: 1 });
    const leave = await bridge.enter('call');
    const first = dial();
    await heard(first, 'up\n');
    const second = bridge.enter('call');
    let isIn = false;
    void second.then(() => (isIn = true));
    first.destroy();
    leave?.(true);
    await programs[0]!.ended;
    await second;
    assert.equal(isIn, true);
  });

  it('lets one more in for one that could not be opened', async () => {
    await listen('cat', { most: 1 });
    const leave = await bridge.enter('call');
    const second = bridge.enter('call');
    leave?.(false);
    await second;
  });

  it('lets the next one log in when one before it has', async () => {
    await listen('echo up; cat', { most: 9, atOnce: 1 });
    await bridge.enter('call');
    const second = bridge.enter('call');
    const first = dial();
    await second;
    assert.equal(programs.length, 1);
    first.destroy();
  });
});
