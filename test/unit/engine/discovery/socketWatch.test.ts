import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SocketWatch } from '../../../../src/engine/discovery/socketWatch.ts';
import type { Disposable } from '../../../../src/lifetime.ts';

describe('SocketWatch', () => {
  let folder: string;
  let watching: Disposable | undefined;
  let heard = 0;
  let onHeard: () => void = () => undefined;

  const watchFor = (...path: readonly string[]): void => {
    watching = new SocketWatch(join(folder, ...path), () => {
      heard++;
      onHeard();
    });
  };

  /** Resolves at the next callback; the timeout of mocha ends the wait. */
  const next = (): Promise<void> => new Promise((resolve) => (onHeard = resolve));

  beforeEach(() => {
    heard = 0;
    folder = mkdtempSync(join(tmpdir(), 'gantry-watch-'));
  });

  afterEach(() => {
    watching?.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  it('calls back when the socket is created', async () => {
    watchFor('engine.sock');
    const told = next();
    const server = createServer().listen(join(folder, 'engine.sock'));
    await told;
    await new Promise((resolve) => server.close(resolve));
  });

  it('calls back when the socket is moved to its path', async () => {
    writeFileSync(join(folder, 'other'), '');
    watchFor('engine.sock');
    const told = next();
    renameSync(join(folder, 'other'), join(folder, 'engine.sock'));
    await told;
  });

  it('handles folders that are missing, deleted and created again', async () => {
    watchFor('run', 'podman', 'engine.sock');
    const first = next();
    mkdirSync(join(folder, 'run', 'podman'), { recursive: true });
    writeFileSync(join(folder, 'run', 'podman', 'engine.sock'), '');
    await first;
    rmSync(join(folder, 'run'), { recursive: true });
    const second = next();
    mkdirSync(join(folder, 'run'));
    mkdirSync(join(folder, 'run', 'podman'));
    writeFileSync(join(folder, 'run', 'podman', 'engine.sock'), '');
    await second;
  });

  it('ignores other files and the deletion of the socket', async () => {
    writeFileSync(join(folder, 'engine.sock'), '');
    watchFor('engine.sock');
    rmSync(join(folder, 'engine.sock'));
    writeFileSync(join(folder, 'engine.sock.lock'), '');
    const told = next();
    writeFileSync(join(folder, 'engine.sock'), 'x');
    await told;
    const before = heard;
    writeFileSync(join(folder, 'other'), '');
    watching?.dispose();
    writeFileSync(join(folder, 'engine.sock'), 'y');
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(heard, before);
  });

  it('leaves no watches behind', async () => {
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    const watches = () =>
      process.getActiveResourcesInfo().filter((name) => name === 'FSEventWrap').length;
    await turn();
    const before = watches();
    watchFor('a', 'b', 'engine.sock');
    assert.equal(watches() > before, true);
    watching?.dispose();
    while (watches() > before) await turn();
  });

  it('watches no Windows named pipe', () => {
    new SocketWatch('\\\\.\\pipe\\docker_engine', () => assert.fail()).dispose();
  });
});
