import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { mock } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  failedWith,
  needsUser,
  type EngineError,
  type FailureReason,
} from '../../../../src/engine/errors.ts';
import type { Ask } from '../../../../src/engine/ssh/sshQuestion.ts';
import { keepTunnelOpen } from '../../../../src/engine/ssh/keepTunnelOpen.ts';
import { sshTunnels } from '../../../../src/engine/ssh/sshTunnels.ts';
import type { Entrance, SpareTunnels, Tunnel } from '../../../../src/engine/http/tunnel.ts';
import { until } from '../../../bed/until.ts';
import { startFakeEngine, type FakeEngine } from '../../support/fakeEngine.ts';

const HELPER = fileURLToPath(new URL('../../../../src/engine/ssh/askpass.ts', import.meta.url));

describe('an ssh tunnel', () => {
  let folder: string;
  let tunnel: Tunnel;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gantry-tunnel-'));
  });

  afterEach(async () => {
    mock.timers.reset();
    tunnel.dispose();
    await until(() => folders().length === 0, 'the private folders are gone');
    rmSync(folder, { recursive: true, force: true });
  });

  const folders = (): string[] => readdirSync(folder).filter((name) => name.startsWith('gantry-'));

  /** A tunnel with a fake ssh: a script that counts its starts. */
  function playing(script: string, ask?: Ask): Tunnel {
    const program = join(folder, 'ssh');
    const text = `#!/bin/sh\necho >> ${folder}/starts\n${script}\n`;
    writeFileSync(program, text, { mode: 0o755 });
    return open(program, { ask });
  }

  function open(
    program: string,
    {
      host = 'nas',
      place = folder,
      ask = () => Promise.resolve(undefined),
    }: { host?: string; place?: string; ask?: Ask | undefined } = {},
  ): Tunnel {
    const options = { ask, helper: HELPER, program, temporaryFolder: place, canShare: true };
    return sshTunnels(options)({ kind: 'ssh', host }, `ssh://${host}`);
  }

  const starts = (): number => {
    try {
      return readFileSync(join(folder, 'starts'), 'utf8').length;
    } catch {
      return 0;
    }
  };

  const fails = (reason: FailureReason, signal?: AbortSignal): Promise<void> =>
    assert.rejects(tunnel.open(signal), (error) => failedWith(error, reason));

  it('repeats sshMissing without a new attempt until retry is called', async () => {
    tunnel = open(join(folder, 'absent'));
    await fails('sshMissing');
    writeFileSync(join(folder, 'absent'), '#!/bin/sh\nexit 255\n', { mode: 0o755 });
    await fails('sshMissing');
    tunnel.retry();
    await fails('sshFailed');
  });

  for (const [line, reason] of [
    ['me@nas: Permission denied (publickey).', 'sshRefused'],
    ['Host key verification failed.', 'sshHostKey'],
  ] as const)
    it(`does not retry after ${reason} until retry is called`, async () => {
      tunnel = playing(`echo "${line}" >&2; exit 255`);
      await fails(reason);
      await fails(reason);
      assert.equal(starts(), 1);
      tunnel.retry();
      await fails(reason);
      assert.equal(starts(), 2);
    });

  it('tries again after a temporary failure', async () => {
    tunnel = playing('echo "ssh: connect to host nas port 22: Connection refused" >&2; exit 255');
    await fails('refused');
    await assert.rejects(tunnel.open(), (error: EngineError) => !needsUser(error));
    assert.equal(starts(), 2);
  });

  it('does not ask again after an answered question until retry is called', async () => {
    const asks = '"$SSH_ASKPASS" "Password: " >/dev/null';
    const down = 'echo "ssh: connect to host nas port 22: Connection refused" >&2; exit 255';
    tunnel = playing(`${asks}; ${down}`, () => Promise.resolve('secret'));
    await fails('refused');
    await assert.rejects(tunnel.open(), (error: EngineError) => needsUser(error));
    assert.equal(starts(), 1);
  });

  it('starts nothing if it is disposed while its code is loaded', async () => {
    tunnel = playing('exec sleep 1000');
    const wait = fails('cut');
    tunnel.dispose();
    await wait;
    assert.equal(starts(), 0);
  });

  it('times out if the login takes too long', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    tunnel = playing('exec sleep 1000');
    const wait = fails('connectTimeout');
    // Until the program runs, there is no time limit to pass.
    while (starts() === 0) await new Promise(setImmediate);
    mock.timers.tick(120_000);
    mock.timers.reset();
    await wait;
  });

  it('does not time out while the user answers a question', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const isAsked = Promise.withResolvers<undefined>();
    const answer = Promise.withResolvers<undefined>();
    tunnel = playing('"$SSH_ASKPASS" "Password: "; exec sleep 1000', () => {
      isAsked.resolve(undefined);
      return answer.promise;
    });
    const wait = fails('sshRefused');
    await isAsked.promise;
    mock.timers.tick(3_600_000);
    mock.timers.reset();
    answer.resolve(undefined);
    await wait;
  });

  it('shares one attempt between all callers', async () => {
    tunnel = playing('exit 255');
    await Promise.all([fails('sshFailed'), fails('sshFailed'), fails('sshFailed')]);
    assert.equal(starts(), 1);
  });

  it('continues while one caller waits, and stops when the last one leaves', async () => {
    tunnel = playing('exec sleep 1000');
    const one = new AbortController();
    const other = new AbortController();
    const gone = (wait: Promise<string>): Promise<void> =>
      assert.rejects(wait, { name: 'AbortError' });
    const waits = [tunnel.open(one.signal), tunnel.open(other.signal)] as const;
    await until(() => starts() === 1, 'ssh runs');
    one.abort();
    await gone(waits[0]);
    assert.equal(folders().length, 1);
    other.abort();
    await gone(waits[1]);
    await until(() => folders().length === 0, 'the try has ended');
  });

  it('stops an attempt when the tunnel is disposed, and starts no other one', async () => {
    tunnel = playing('exec sleep 1000');
    const wait = fails('cut');
    await until(() => starts() === 1, 'ssh runs');
    tunnel.dispose();
    await wait;
    await fails('cut');
    assert.equal(starts(), 1);
  });

  /**
   * Script of a fake ssh that logs in and handles a forward like `forward`. All other processes respond
   * immediately.
   */
  const loggedIn = (forward: string): string => `case "$*" in
    *ControlMaster=yes*)
      trap 'echo "channel 1: open failed: connect failed" >&2' USR1
      echo $$ > ${folder}/login
      echo "gantry-socket rw /e.sock"
      while :; do sleep 1000 & wait $!; done ;;
    *"-O forward"*) ${forward} ;;
    *gantry-socket*) echo "gantry-socket rw /e.sock" ;;
    *) echo HTTP/1.1; exec cat ;;
  esac`;

  const signalLogin = (signal: NodeJS.Signals): boolean =>
    process.kill(Number(readFileSync(join(folder, 'login'), 'utf8')), signal);

  it('keeps one socket until its login ends, then logs in again', async () => {
    tunnel = playing(loggedIn('exit 1'));
    const path = await tunnel.open();
    assert.equal(await tunnel.open(), path);
    signalLogin('SIGTERM');
    await until(() => folders().length === 0, 'the login has ended');
    assert.notEqual(await tunnel.open(), path);
    assert.equal(starts(), 6);
  });

  it('has limited sessions if the socket cannot be forwarded', async () => {
    tunnel = playing(loggedIn('exit 1'));
    assert.equal(tunnel.isNarrow, false);
    const { path, leave } = await tunnel.enter('call');
    assert.equal(tunnel.isNarrow, true);
    assert.equal(await tunnel.open(), path);
    leave(false);
    const enter = (): Promise<Entrance> => tunnel.enter('stream');
    for (let count = 0; count < 4; count++) await enter();
    await assert.rejects(enter(), (error) => failedWith(error, 'sshFull'));
  });

  describe('with a forwarded socket', () => {
    let engine: FakeEngine;

    beforeEach(async () => {
      engine = await startFakeEngine();
      const linked = `for all; do case "$all" in *:/e.sock) local=\${all%:*} ;; esac; done`;
      tunnel = playing(loggedIn(`${linked}; ln -s ${engine.socket} "$local"`));
    });

    afterEach(() => engine.stop());

    it('has unlimited sessions', async () => {
      const { path, leave } = await tunnel.enter('call');
      leave(true);
      assert.equal(await tunnel.open(), path);
      assert.equal(tunnel.isNarrow, false);
      for (let count = 0; count < 20; count++) await tunnel.enter('stream');
      assert.equal(starts(), 2);
    });

    it('is taken by the engine that is added after a test, without another login', async () => {
      const spare: SpareTunnels = new Map();
      const options = { ask: () => Promise.resolve(undefined), helper: HELPER, canShare: true };
      const program = join(folder, 'ssh');
      const make = sshTunnels({ ...options, program, temporaryFolder: folder }, spare);
      const tested = keepTunnelOpen(make, spare)({ kind: 'ssh', host: 'nas' }, 'ssh://nas');
      const path = await tested.open();
      tested.dispose();
      const [kept] = spare.values();
      tunnel = make({ kind: 'ssh', host: 'nas' }, 'ssh://nas');
      if (tunnel !== kept?.tunnel) kept?.tunnel.dispose();
      assert.equal(tunnel, kept?.tunnel);
      assert.equal(await tunnel.open(), path);
      assert.deepEqual([starts(), spare.size], [2, 0]);
    });

    it('forwards another socket in the same login after a connection was refused', async () => {
      const path = await tunnel.open();
      signalLogin('SIGUSR1');
      await until(async () => (await tunnel.open()) !== path, 'there is another way');
      assert.equal(dirname(await tunnel.open()), dirname(path));
      await until(() => !existsSync(path), 'the first forward is gone');
    });
  });

  it('creates its folder elsewhere if a socket path would be too long or has special characters', async () => {
    const places = [join(folder, 'a b'), join(folder, 'x'.repeat(60))];
    for (const place of places) {
      mkdirSync(place);
      playing(loggedIn('exit 1'));
      tunnel = open(join(folder, 'ssh'), { place });
      assert.equal((await tunnel.open()).startsWith(folder), false);
      tunnel.dispose();
    }
  });

  it('reports the system error if its folder cannot be created', async () => {
    tunnel = open(join(folder, 'ssh'), { place: join(folder, 'absent') });
    await assert.rejects(
      tunnel.open(),
      (error) =>
        failedWith(error, 'sshFailed') && error.engineMessage?.startsWith('ENOENT') === true,
    );
  });

  it('starts nothing if the signal is already aborted', async () => {
    tunnel = playing('exit 255');
    await assert.rejects(tunnel.open(AbortSignal.abort()), { name: 'AbortError' });
    assert.equal(starts(), 0);
  });

  it('starts nothing for a host that looks like an option', async () => {
    playing('exit 255');
    tunnel = open(join(folder, 'ssh'), { host: '-oProxyCommand=x' });
    await fails('badEndpoint');
    assert.equal(starts(), 0);
  });
});
