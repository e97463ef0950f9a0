import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { DialBridge } from '../../../../src/engine/ssh/dialBridge.ts';
import { Program } from '../../../../src/engine/ssh/program.ts';

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

  async function listen(script: string, limit = 9): Promise<void> {
    const start = (): Program => {
      const program = new Program({ file: '/bin/sh', args: ['-c', script], env: process.env });
      programs.push(program);
      return program;
    };
    bridge = new DialBridge(start, limit);
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

  it('lets connections wait for their turn', async () => {
    await listen('echo up; cat', 1);
    const first = dial();
    await heard(first, 'up\n');
    const second = dial();
    second.write('me too\n');
    await once(second, 'connect');
    assert.equal(programs.length, 1);
    first.end();
    await heard(second, 'up\nme too\n');
    second.destroy();
    first.destroy();
  });

  it('starts nothing at its end for those who wait', async () => {
    await listen('echo up; cat', 1);
    const first = dial();
    await heard(first, 'up\n');
    const second = dial();
    await once(second, 'connect');
    bridge.dispose();
    await programs[0]!.ended;
    assert.equal(programs.length, 1);
    first.destroy();
    second.destroy();
  });

  it('gives no turn to a connection that left meanwhile', async () => {
    await listen('echo up; cat', 1);
    const first = dial();
    await heard(first, 'up\n');
    const second = dial();
    await once(second, 'connect');
    second.destroy();
    const third = dial();
    await once(third, 'connect');
    first.end();
    await heard(third, 'up\n');
    third.destroy();
    first.destroy();
  });
});
