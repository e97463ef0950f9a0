import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  DIAL_STDIO,
  LOOK_UP,
  LOOK_UP_AND_STAY,
  readRemoteSocket,
} from '../../../../src/engine/ssh/remoteSocket.ts';

describe('the search for the remote socket', () => {
  let folder: string;
  let servers: Server[];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gantry-look-'));
    servers = [];
  });

  afterEach(() => {
    for (const server of servers) server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function listen(name: string): Promise<string> {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    const server = createServer();
    servers.push(server);
    server.listen(path);
    await once(server, 'listening');
    return path;
  }

  /** Runs a script as the login shell of the remote host would. */
  function run(script: string, input: string, env: NodeJS.ProcessEnv = {}): string {
    const given = { PATH: process.env['PATH'], HOME: folder, ...env };
    const { stdout, status } = spawnSync('/bin/sh', ['-c', script], { input, env: given });
    assert.equal(status, 0);
    return stdout.toString();
  }

  const found = (input: string, env?: NodeJS.ProcessEnv) =>
    readRemoteSocket(run(LOOK_UP, input, env));

  it('uses the requested path, whatever other sockets exist', async () => {
    const path = await listen('mine');
    const other = await listen('other');
    const env = { DOCKER_HOST: `unix://${other}` };
    assert.deepEqual(found(`${path}\n`, env), { path, isOurs: true });
    assert.equal(found(`${folder}/absent\n`, env), 'none');
  });

  it('does not accept a file or a folder as a socket', () => {
    writeFileSync(join(folder, 'file'), '');
    assert.equal(found(`${folder}/file\n`), 'none');
    assert.equal(found(`${folder}\n`), 'none');
  });

  it('does not let a shell interpret the path', () => {
    const mark = join(folder, 'mark');
    for (const path of [`$(touch ${mark})`, `";touch ${mark};"`, `';touch ${mark};'`, '`x`', '-n'])
      assert.equal(found(`${path}\n`), 'none');
    assert(!existsSync(mark));
  });

  it('prefers the socket in DOCKER_HOST', async () => {
    const path = await listen('with space/x.sock');
    assert.deepEqual(found('\n', { DOCKER_HOST: `unix://${path}` }), { path, isOurs: true });
  });

  it('reports the same socket from the script that stays until its input ends', async () => {
    const path = await listen('mine');
    assert.deepEqual(readRemoteSocket(run(LOOK_UP_AND_STAY, `${path}\nmore`)), {
      path,
      isOurs: true,
    });
  });

  it('ignores the output of login scripts, and waits for a complete line', () => {
    const said = 'Welcome!\ngantry-socket rw /run/docker.sock\n';
    assert.deepEqual(readRemoteSocket(said), { path: '/run/docker.sock', isOurs: true });
    assert.deepEqual(readRemoteSocket('gantry-socket ro /x y\n'), { path: '/x y', isOurs: false });
    assert.equal(readRemoteSocket('gantry-socket ro \n'), 'none');
    assert.equal(readRemoteSocket('Welcome!\ngantry-so'), undefined);
  });

  it('passes the connection to docker system dial-stdio with the socket', async () => {
    const path = await listen('mine');
    const docker = '#!/bin/sh\necho "$DOCKER_HOST $*"; cat\n';
    writeFileSync(join(folder, 'docker'), docker, { mode: 0o755 });
    const env = { PATH: `${folder}:${process.env['PATH'] ?? ''}` };
    const said = run(DIAL_STDIO, `${path}\nGET`, env);
    assert.equal(said, `unix://${path} system dial-stdio\nGET`);
  });

  it('contains no characters that some login shells interpret inside quotes', () => {
    for (const script of [LOOK_UP, LOOK_UP_AND_STAY, DIAL_STDIO]) {
      assert.match(script, /^sh -c '[^'!\\\n]+'$/);
    }
  });
});
