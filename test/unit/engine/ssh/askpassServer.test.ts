import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { AskpassServer } from '../../../../src/engine/ssh/askpassServer.ts';
import type { Ask, SshQuestion } from '../../../../src/engine/ssh/sshQuestion.ts';

const HELPER = fileURLToPath(new URL('../../../../src/engine/ssh/askpass.ts', import.meta.url));

describe('the askpass server', () => {
  let folder: string;
  let server: AskpassServer;
  let variables: NodeJS.ProcessEnv;
  let asked: SshQuestion[];
  let refusals: number;
  let open: number[];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gantry-ask-'));
    asked = [];
    refusals = 0;
    open = [];
  });

  afterEach(() => {
    server.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  async function serve(answer: Ask): Promise<void> {
    server = new AskpassServer({
      folder,
      helper: HELPER,
      host: 'me@nas',
      ask: (question, signal) => {
        asked.push(question);
        return answer(question, signal);
      },
      onOpen: (count) => open.push(count),
      onRefused: () => refusals++,
    });
    variables = await server.listen();
  }

  const start = (prompt: string, env: NodeJS.ProcessEnv = {}) =>
    spawn(variables['SSH_ASKPASS'] ?? '', [prompt], {
      env: { ...process.env, ...variables, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });

  /** Asks through the helper. Returns its output and exit code. */
  async function ask(prompt: string, env?: NodeJS.ProcessEnv): Promise<unknown[]> {
    const helper = start(prompt, env);
    const [said] = await Promise.all([text(helper.stdout), once(helper, 'close')]);
    return [said, helper.exitCode];
  }

  it('passes the prompt to the user and the answer back', async () => {
    await serve(() => Promise.resolve('s"e$c r\'ät'));
    const prompt = '-e $(touch x) "quoted" `x` *';
    assert.deepEqual(await ask(prompt), ['s"e$c r\'ät\n', 0]);
    assert.deepEqual(asked, [{ kind: 'password', prompt, host: 'me@nas', isWhole: true }]);
    assert.deepEqual(open, [1, 0]);
  });

  it('returns only the first line of an answer', async () => {
    await serve(() => Promise.resolve('one\ntwo'));
    assert.deepEqual(await ask('Password: '), ['one\n', 0]);
  });

  it('reports a refusal if the user does not answer', async () => {
    await serve(() => Promise.resolve(undefined));
    assert.deepEqual(await ask('Password: '), ['', 1]);
    assert.equal(refusals, 1);
  });

  it('reports a refusal if asking fails', async () => {
    await serve(() => Promise.reject(new Error('no window')));
    assert.deepEqual(await ask('Password: '), ['', 1]);
    assert.equal(refusals, 1);
  });

  it('answers yes to a confirmation, whatever the answer is', async () => {
    await serve(() => Promise.resolve(''));
    assert.deepEqual(await ask('Sure (yes/no)? '), ['yes\n', 0]);
    assert.deepEqual(await ask('Use the key?', { SSH_ASKPASS_PROMPT: 'confirm' }), ['yes\n', 0]);
  });

  it('does not report a refusal if a notice is closed', async () => {
    await serve(() => Promise.resolve(undefined));
    await ask('Touch it', { SSH_ASKPASS_PROMPT: 'none' });
    assert.equal(refusals, 0);
  });

  it('rejects a helper with a wrong secret, and keeps its folder private', async () => {
    await serve(() => Promise.resolve('secret'));
    assert.deepEqual(await ask('Password: ', { GANTRY_ASKPASS_SECRET: 'guess' }), ['', 1]);
    assert.deepEqual(asked, []);
    assert.equal(statSync(folder).mode & 0o077, 0);
  });

  it('aborts the question when ssh exits', async () => {
    const [shown, isShown] = promise();
    const [taken, isTaken] = promise();
    await serve(async (_question, signal) => {
      signal.addEventListener('abort', isTaken);
      isShown();
      await taken;
      return undefined;
    });
    const helper = start('Password: ');
    await shown;
    helper.kill('SIGKILL');
    await taken;
    assert.equal(refusals, 0);
  });

  it('fails to listen if the socket path is too long', async () => {
    const inside = folder;
    folder = join(folder, 'x'.repeat(100));
    mkdirSync(folder);
    await assert.rejects(serve(() => Promise.resolve(undefined)));
    folder = inside;
  });

  it('closes open questions when the server is disposed', async () => {
    await serve((_question, signal) => {
      const gone = once(signal, 'abort').then(() => undefined);
      server.dispose();
      return gone;
    });
    assert.deepEqual(await ask('Password: '), ['', 1]);
  });
});

function promise(): readonly [Promise<void>, () => void] {
  const { promise: wait, resolve } = Promise.withResolvers<undefined>();
  return [wait, () => resolve(undefined)];
}
