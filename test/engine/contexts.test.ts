import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import type { Machine, TlsMaterial } from '../../src/engine/http/endpoint.ts';
import { listCandidates } from '../../src/engine/discovery/listCandidates.ts';
import { discoverEndpoints } from '../../src/engine/discovery/discoverEndpoints.ts';
import { readEngineConfig } from '../../src/engine/discovery/engineConfig.ts';
import { EngineConfigWatch } from '../../src/engine/discovery/engineConfigWatch.ts';
import { describeOnDocker } from './support.ts';

const run = promisify(execFile);

// Docker engines come with the Docker CLI, which provides the expected results.
describeOnDocker('contexts, as stored by the Docker CLI', () => {
  let folder = '';
  let ca = '';

  const environment = (
    env: Readonly<Record<string, string>>,
  ): Record<string, string | undefined> => ({
    ...process.env,
    // Older versions treat an empty variable as set.
    DOCKER_HOST: undefined,
    DOCKER_CONTEXT: undefined,
    DOCKER_CONFIG: folder,
    ...env,
  });
  const docker = async (
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<string> => {
    const { stdout } = await run('docker', args, { env: environment(env) });
    return stdout.trim();
  };
  const machine = (env: Readonly<Record<string, string>> = {}): Machine => ({
    platform: process.platform,
    home: folder,
    env: environment(env),
  });

  /** Resolves to the context and endpoint that the Docker CLI uses; `missing` if it reports no such context. */
  const theirs = (env: Readonly<Record<string, string>>): Promise<string> =>
    docker(['context', 'inspect', '--format', '{{.Name}} {{.Endpoints.docker.Host}}'], env).catch(
      () => 'missing',
    );

  /** Resolves to the context and endpoint that Gantry uses, in the same format. */
  const ours = async (env: Readonly<Record<string, string>>): Promise<string> => {
    const { candidates } = await discoverEndpoints('', await readEngineConfig(machine(env)));
    const { found, endpoint, error } = candidates[0]!;
    if (error) return error.reason === 'contextMissing' ? 'missing' : error.reason;
    return `${found.kind === 'context' ? found.name : 'default'} ${endpoint?.url ?? ''}`;
  };

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'contexts-'));
    ca = join(folder, 'theirs.pem');
    const days = ['-days', '1', '-subj', '/CN=test', '-out', ca];
    await run('openssl', [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-keyout',
      ca + '.key',
      ...days,
    ]);
    for (const [name, host] of [
      ['socket', 'host=unix:///some.sock'],
      ['login', 'host=ssh://me@some.host:2222'],
      ['secured', `host=tcp://some.host:2376,ca=${ca}`],
      ['unchecked', 'host=tcp://some.host:2377,skip-tls-verify=true'],
    ] as const) {
      await docker(['context', 'create', name, '--docker', host]);
    }
  });

  after(() => rmSync(folder, { recursive: true }));

  it('are all offered, with the addresses that the CLI lists', async () => {
    const format = '{{.Name}} {{.DockerEndpoint}}';
    const listed = (await docker(['context', 'ls', '--format', format])).split('\n');
    const candidates = await listCandidates(machine());
    assert.deepEqual(
      candidates
        .filter(({ found }) => found.kind === 'context')
        .map(({ name, endpoint }) => `${name} ${endpoint?.url ?? ''}`)
        .sort(),
      listed.filter((line) => !line.startsWith('default ')).sort(),
    );
  });

  it('have the certificates that the CLI stored', async () => {
    const candidates = await listCandidates(machine());
    const tlsOf = (name: string): TlsMaterial | undefined => {
      const transport = candidates.find((candidate) => candidate.name === name)?.endpoint
        ?.transport;
      return transport?.kind === 'tcp' ? transport.tls : undefined;
    };
    const stored = await readFile(ca, 'utf8');
    const { folder = '', ...secured } = tlsOf('secured') ?? {};
    assert.deepEqual(secured, { verify: true, ca: stored, isCaAlone: true });
    assert.equal(await readFile(join(folder, 'ca.pem'), 'utf8'), stored);
    assert.deepEqual(tlsOf('unchecked'), { verify: false });
  });

  it('are selected by the rules of the CLI, for all combinations of host, variable and current context', async () => {
    for (const current of ['default', 'socket']) {
      await docker(['context', 'use', current]);
      const hosts: Record<string, string>[] = [{}, { DOCKER_HOST: 'tcp://127.0.0.1:1' }];
      for (const host of hosts) {
        for (const name of [undefined, 'default', 'login', 'nowhere']) {
          const env = { ...host, ...(name !== undefined && { DOCKER_CONTEXT: name }) };
          assert.equal(await ours(env), await theirs(env), JSON.stringify({ current, ...env }));
        }
      }
    }
  });

  it('trigger a change event if the CLI selects, creates or updates one', async () => {
    await docker(['context', 'use', 'socket']);
    let heard = (): void => undefined;
    const watch = new EngineConfigWatch(machine(), () => heard());
    try {
      await watch.begun;
      for (const args of [
        ['use', 'login'],
        ['create', 'another', '--docker', 'host=unix:///another.sock'],
        ['update', 'another', '--docker', 'host=unix:///else.sock'],
      ]) {
        const next = new Promise<void>((resolve) => (heard = resolve));
        await docker(['context', ...args]);
        await next;
      }
      assert.equal(await ours({}), 'login ssh://me@some.host:2222');
      assert.equal(await ours({ DOCKER_CONTEXT: 'another' }), 'another unix:///else.sock');
    } finally {
      watch.dispose();
    }
  });

  it('are missing if the CLI has removed the selected one', async () => {
    await docker(['context', 'use', 'socket']);
    await docker(['context', 'rm', '--force', 'socket']);
    assert.equal(await ours({ DOCKER_CONTEXT: 'socket' }), 'missing');
    assert.equal(await theirs({ DOCKER_CONTEXT: 'socket' }), 'missing');
  });
});
