import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import { fileURLToPath } from 'node:url';
import { failedWith, type FailureReason } from '../../../../src/engine/errors.ts';
import type { Ask } from '../../../../src/engine/ssh/sshQuestion.ts';
import { sshTunnels } from '../../../../src/engine/ssh/sshTunnels.ts';
import type { Tunnel } from '../../../../src/engine/ssh/tunnel.ts';
import { until } from '../../../bed/http.ts';

const HELPER = fileURLToPath(new URL('../../../../src/engine/ssh/askpass.ts', import.meta.url));

describe('a tunnel', () => {
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

  /** Plays ssh by a script that notes how often it was started. */
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
      ask = () => Promise.resolve(undefined),
    }: { host?: string; ask?: Ask | undefined } = {},
  ): Tunnel {
    const options = { ask, helper: HELPER, program, temporaryFolder: folder, canShare: true };
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

  it('says at once again that there is no ssh, until another try is wanted', async () => {
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
    it(`does not try ${reason} again by itself`, async () => {
      tunnel = playing(`echo "${line}" >&2; exit 255`);
      await fails(reason);
      await fails(reason);
      assert.equal(starts(), 1);
      tunnel.retry();
      await fails(reason);
      assert.equal(starts(), 2);
    });

  it('tries again what may be over', async () => {
    tunnel = playing('echo "ssh: connect to host nas port 22: Connection refused" >&2; exit 255');
    await fails('refused');
    await fails('refused');
    assert.equal(starts(), 2);
  });

  it('does not ask again by itself what was answered in vain', async () => {
    const asks = '"$SSH_ASKPASS" "Password: " >/dev/null';
    const down = 'echo "ssh: connect to host nas port 22: Connection refused" >&2; exit 255';
    tunnel = playing(`${asks}; ${down}`, () => Promise.resolve('secret'));
    await fails('refused');
    await fails('refused');
    assert.equal(starts(), 1);
  });

  it('gives up a login that takes too long', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    tunnel = playing('exec sleep 1000');
    const wait = fails('connectTimeout');
    mock.timers.tick(120_000);
    mock.timers.reset();
    await wait;
  });

  it('waits for the person as long as they think', async () => {
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

  it('is one try for all who want it', async () => {
    tunnel = playing('exit 255');
    await Promise.all([fails('sshFailed'), fails('sshFailed'), fails('sshFailed')]);
    assert.equal(starts(), 1);
  });

  it('goes on when one of those who wait leaves, and ends when the last does', async () => {
    tunnel = playing('exec sleep 1000');
    const [one, other] = [new AbortController(), new AbortController()];
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

  it('ends what is under way with itself, and does nothing afterwards', async () => {
    tunnel = playing('exec sleep 1000');
    const wait = fails('cut');
    await until(() => starts() === 1, 'ssh runs');
    tunnel.dispose();
    await wait;
    await fails('cut');
    assert.equal(starts(), 1);
  });

  it('starts nothing for a caller who has left already', async () => {
    tunnel = playing('exit 255');
    await assert.rejects(tunnel.open(AbortSignal.abort()), { name: 'AbortError' });
    assert.equal(starts(), 0);
  });

  it('starts nothing for a host that would be an option', async () => {
    playing('exit 255');
    tunnel = open(join(folder, 'ssh'), { host: '-oProxyCommand=x' });
    await fails('badEndpoint');
    assert.equal(starts(), 0);
  });
});
