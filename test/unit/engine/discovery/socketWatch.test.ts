import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync, type FSWatcher } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SocketWatch } from '../../../../src/engine/discovery/socketWatch.ts';
import type { Disposable } from '../../../../src/base/lifetime.ts';
import { FakeClock } from '../../support/fakeClock.ts';

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

  describe('whose watch fails', () => {
    let clock: FakeClock;
    let watchers: FailingWatcher[];
    let canWatch: boolean;

    const watchInVain = (): void => {
      watching = new SocketWatch(join(folder, 'engine.sock'), () => heard++, {
        clock,
        watchFolder: () => {
          if (!canWatch) throw new Error('ENOSPC');
          const watcher = new FailingWatcher();
          watchers.push(watcher);
          return watcher as unknown as FSWatcher;
        },
      });
    };

    beforeEach(() => {
      clock = new FakeClock();
      watchers = [];
      canWatch = true;
    });

    it('watches again after a pause that grows until a change is reported', () => {
      watchInVain();
      watchers[0]?.emit('error', new Error('EIO'));
      assert.equal(watchers[0]?.isClosed, true);
      clock.pass(999);
      assert.equal(watchers.length, 1);
      clock.pass(1);
      assert.deepEqual([watchers.length, heard], [2, 0]);
      watchers[1]?.emit('error', new Error('EIO'));
      assert.deepEqual(clock.sleeping, [2000]);
      clock.pass(2000);
      watchers[2]?.emit('change', 'rename', 'other');
      watchers[2]?.emit('error', new Error('EIO'));
      assert.deepEqual(clock.sleeping, [1000]);
    });

    it('calls back for a socket that appeared while nothing was watched', () => {
      watchInVain();
      watchers[0]?.emit('error', new Error('EIO'));
      writeFileSync(join(folder, 'engine.sock'), '');
      clock.pass(1000);
      assert.equal(heard, 1);
      watchers[1]?.emit('error', new Error('EIO'));
      clock.pass(2000);
      assert.deepEqual([watchers.length, heard], [3, 1]);
    });

    it('tries again if no folder can be watched', () => {
      canWatch = false;
      watchInVain();
      canWatch = true;
      clock.pass(1000);
      assert.equal(watchers.length, 1);
    });

    it('tries nothing more once it is disposed', () => {
      watchInVain();
      watchers[0]?.emit('error', new Error('EIO'));
      watching?.dispose();
      assert.deepEqual(clock.sleeping, []);
      watchInVain();
      watching?.dispose();
      watchers[1]?.emit('error', new Error('EIO'));
      assert.deepEqual([clock.sleeping, watchers.length], [[], 2]);
    });
  });
});

/** A folder watcher that reports only what the test emits. */
class FailingWatcher extends EventEmitter {
  isClosed = false;
  close(): void {
    this.isClosed = true;
  }
}
