import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { composeArguments, hashArguments } from '../../../../src/projects/cli/composeArguments.ts';
import { findComposeCli, type ComposeCli } from '../../../../src/projects/cli/composeCli.ts';
import { engineEnvironment, engineVariables } from '../../../../src/engine/cli/engineVariables.ts';
import { runCli } from '../../../../src/engine/cli/runCli.ts';
import { parseEndpoint } from '../../../../src/engine/http/endpoint.ts';

const NEW_HELP = `Usage:  docker compose [OPTIONS] COMMAND
      --dry-run                    Execute command in dry run mode
      --progress string            Set type of progress output (auto,
                                   tty, plain, json, quiet)
      --project-directory string   Specify an alternate working directory
  -p, --project-name string        Project name`;

describe('the compose CLI', function () {
  this.timeout(20_000);
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gantry-compose-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Installs a program. Its words are `$*`. */
  const put = (name: string, body: string): string => {
    const file = join(folder, name);
    writeFileSync(file, `#!/bin/sh\n${body}\n`);
    chmodSync(file, 0o755);
    return file;
  };
  const helpOf = (words: string, help: string): string =>
    `[ "$*" = "${words}" ] || exit 3\ncat <<'EOF'\n${help}\nEOF`.replace('cat', '/bin/cat');
  const find = (): Promise<ComposeCli | undefined> => findComposeCli({ PATH: folder });

  it('is the plugin of Docker, with what its help names', async () => {
    put('docker', helpOf('compose --help', NEW_HELP));
    put('docker-compose', helpOf('--help', NEW_HELP));
    assert.deepEqual(await find(), {
      file: 'docker',
      prefix: ['compose'],
      hasJson: true,
      hasDryRun: true,
      hasFolder: true,
    });
  });

  it('is that of Podman if Docker has no plugin', async () => {
    put('docker', helpOf('compose --help', 'Usage:  docker [OPTIONS] COMMAND'));
    put('podman', helpOf('compose help', '-p, --project-name\n --dry-run'));
    const found = { hasJson: false, hasDryRun: true, hasFolder: false };
    assert.deepEqual(await find(), { file: 'podman', prefix: ['compose'], ...found });
  });

  it('is the old program if there is no other', async () => {
    put('docker', 'exit 1');
    const help = '-p, --project-name NAME\n--project-directory PATH\n--progress TYPE (auto, tty)';
    put('docker-compose', helpOf('--help', help));
    const found = { hasJson: false, hasDryRun: false, hasFolder: true };
    assert.deepEqual(await find(), { file: 'docker-compose', prefix: [], ...found });
  });

  it('is missing if no program answers', async () => {
    assert.equal(await find(), undefined);
    put('docker', 'exit 1');
    put('docker-compose', 'echo nothing');
    assert.equal(await find(), undefined);
  });

  it('gets its arguments without a shell', async () => {
    const file = put('show', 'for word; do echo "[$word]"; done');
    const lines: string[] = [];
    const args = ['$(id)', '`id`', 'a b', '-x', '*'];
    const { code } = await runCli(
      { file, args, env: {} },
      (line) => lines.push(line),
      new AbortController().signal,
    );
    assert.deepEqual([code, ...lines], [0, '[$(id)]', '[`id`]', '[a b]', '[-x]', '[*]']);
  });

  it('reports each line of both outputs, also the last without an end', async () => {
    const file = put('say', 'echo one; echo two >&2; printf three; exit 7');
    const lines: string[] = [];
    const call = { file, args: [], env: {} };
    const { code } = await runCli(call, (line) => lines.push(line), new AbortController().signal);
    assert.deepEqual([code, lines.sort()], [7, ['one', 'three', 'two']]);
  });

  it('waits while a line is taken, and keeps the order', async () => {
    const file = put('flood', 'for at in 1 2 3 4 5 6 7 8 9; do echo $at; done; printf end');
    const lines: string[] = [];
    let taking = 0;
    const call = { file, args: [], env: {} };
    const { signal } = new AbortController();
    const take = async (line: string): Promise<void> => {
      assert.equal(++taking, 1);
      await new Promise((resolve) => setImmediate(resolve));
      taking--;
      lines.push(line);
    };
    const { code } = await runCli(call, take, signal);
    assert.deepEqual([code, lines.join('')], [0, '123456789end']);
  });

  it('is terminated when a line cannot be taken, and says why', async () => {
    const file = put('hang', 'echo ready; exec /bin/sleep 1000');
    const call = { file, args: [], env: {} };
    const refuse = (): Promise<void> => Promise.reject(new Error('too much'));
    await assert.rejects(runCli(call, refuse, new AbortController().signal), /too much/);
  });

  it('is terminated when the signal aborts', async () => {
    const file = put('hang', 'echo ready; exec /bin/sleep 1000');
    const controller = new AbortController();
    const call = { file, args: [], env: {} };
    const { code } = await runCli(call, () => controller.abort(), controller.signal);
    assert.equal(code, null);
  });
});

describe('composeArguments', () => {
  const cli: ComposeCli = {
    file: 'docker',
    prefix: ['compose'],
    hasJson: true,
    hasDryRun: true,
    hasFolder: true,
  };
  const request = {
    project: 'shop',
    folder: '/a b',
    files: ['/a b/compose.yaml', '/x.yaml'],
    profiles: ['dev'],
    envFiles: ['/e'],
    services: ['web'],
    removeOrphans: true,
  };
  const common = [
    '--project-name=shop',
    '--project-directory=/a b',
    '--file=/a b/compose.yaml',
    '--file=/x.yaml',
    '--profile=dev',
    '--env-file=/e',
  ];

  it('names the project, its folder, its files, and the services', () => {
    const before = ['compose', '--progress=json', ...common];
    const after = ['--remove-orphans', 'web'];
    assert.deepEqual(composeArguments(cli, 'up', request), [...before, 'up', '--detach', ...after]);
    const recreate = [...before, 'up', '--detach', '--force-recreate', ...after];
    assert.deepEqual(composeArguments(cli, 'recreate', request), recreate);
    const build = [...before, 'up', '--detach', '--build', ...after];
    assert.deepEqual(composeArguments(cli, 'build', request), build);
    assert.deepEqual(composeArguments(cli, 'watch', request), [...before, 'watch', 'web']);
    assert.equal(composeArguments(cli, 'up', request, true)[2], '--dry-run');
  });

  it('asks for the hashes of all services, whatever their profiles', () => {
    const all = common.toSpliced(5, 0, '--profile=*');
    assert.deepEqual(hashArguments(cli, request), ['compose', ...all, 'config', '--hash=*']);
  });

  it('leaves out what the program does not know', () => {
    const old = { ...cli, prefix: [], hasJson: false, hasFolder: false };
    const files = { files: ['/x.yaml'], folder: '/a' };
    assert.deepEqual(composeArguments(old, 'up', files), ['--file=/x.yaml', 'up', '--detach']);
  });
});

describe('engineVariables', () => {
  const tls = { verify: true, folder: '/certs' };
  const cases: [address: string, host: string, more?: object][] = [
    ['/run/x.sock', 'unix:///run/x.sock'],
    ['ssh://me@box:2222/run/p.sock', 'ssh://me@box:2222/run/p.sock'],
    ['ssh://box', 'ssh://box'],
    ['tcp://h:2376', 'tcp://h:2376', { DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: '/certs' }],
  ];
  for (const [address, host, more] of cases) {
    it(`chooses ${address}`, () => {
      const endpoint = parseEndpoint(address, 'setting', more && tls);
      const both = { DOCKER_HOST: host, CONTAINER_HOST: host };
      assert.deepEqual(engineVariables(endpoint), { ...both, ...more });
    });
  }

  it('replaces what chooses another engine', () => {
    const env = { HOME: '/h', DOCKER_CONTEXT: 'other', DOCKER_TLS_VERIFY: '1', DOCKER_HOST: 'x' };
    const chosen = engineEnvironment(env, { DOCKER_HOST: 'unix:///a' });
    assert.deepEqual(chosen, { HOME: '/h', DOCKER_HOST: 'unix:///a' });
  });
});
