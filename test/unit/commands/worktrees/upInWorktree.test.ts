import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CliCall } from '../../../../src/engine/cli/cliCall.ts';
import type { Container } from '../../../../src/engine/model.ts';
import type { Command } from '../../../../src/commands/frame/command.ts';
import { Screen } from '../../../../src/output/terminal/screen.ts';
import { WorktreeOverrides } from '../../../../src/projects/worktrees/worktreeOverrides.ts';
import { container, idOf } from '../../inventory/support/nouns.ts';
import { Repositories } from '../../projects/worktrees/support/repository.ts';
import {
  fakeMemento,
  openCommandLab,
  runAsEditor,
  type CommandLab,
} from '../../support/commandLab.ts';
import { json } from '../../support/fakeEngine.ts';
import { ESCAPE, give } from '../../support/scriptedUi.ts';
import { inProject } from '../../views/support/stage.ts';

const { upChangesCommands } =
  await import('../../../../src/commands/upChanges/upChangesCommands.ts');
const { composeCommands, copyUpCommand } =
  await import('../../../../src/commands/projects/composeCommands.ts');
const { downCommand } = await import('../../../../src/commands/projects/downCommand.ts');
const { ComposeTaskRun } = await import('../../../../src/tasks/composeTaskRun.ts');
const { readComposeTaskOptions } = await import('../../../../src/tasks/composeTaskOptions.ts');

const CONFIG = {
  services: {
    web: { image: 'x', container_name: 'web', ports: [{ target: 80, published: '8080' }] },
  },
};

describe('the project of a worktree', function () {
  this.timeout(20_000);
  let lab: CommandLab;
  let git: Repositories;
  let shop: string;
  let feature: string;
  let file: string;
  let overrides: WorktreeOverrides;
  let commands: readonly Command[];
  let list: readonly Container[];
  let volumes: readonly object[];
  let fails: boolean;
  /** What each run in a task prints, and its exit code. */
  let runs: { lines: readonly string[]; code: number }[];
  let calls: CliCall[];

  beforeEach(async () => {
    git = new Repositories();
    shop = git.create('shop', {
      'compose.yaml': 'services:\n  web:\n    image: x\n    ports: ["8080:80"]\n',
    });
    feature = git.addWorktree(shop, 'feature', 'feature/Login');
    file = join(feature, 'compose.yaml');
    overrides = new WorktreeOverrides(git.at('storage'));
    list = [];
    volumes = [];
    runs = [];
    calls = [];
    fails = false;
    install();
    const findCompose = () =>
      Promise.resolve({
        file: git.at('cli'),
        prefix: [],
        hasJson: true,
        hasDryRun: true,
        hasFolder: true,
      });
    const worktrees = () => Promise.resolve(overrides);
    const window = {
      memory: fakeMemento(),
      allowedFiles: new Set<string>(),
      findCompose,
      worktrees,
    };
    lab = await openCommandLab(
      ({ method, path }, response) => {
        if (fails) json(response, 500, { message: 'no' });
        else if (method === 'DELETE') {
          list = list.filter(({ id }) => !path.includes(id));
          response.writeHead(204).end();
        } else if (path === '/containers/json') json(response, 200, list.map(wire));
        else if (path === '/volumes') json(response, 200, { Volumes: volumes });
        else json(response, 200, []);
      },
      { window },
    );
    lab.ui.folders = [feature];
    lab.ui.runTask = async (call, { linesOf }) => {
      calls.push(call);
      const { lines, code } = runs.shift() ?? { lines: [], code: 0 };
      for (const line of lines) await linesOf(line);
      return code;
    };
    const details = { ui: lab.ui, showDetails: () => undefined };
    commands = [
      ...upChangesCommands(details),
      ...composeCommands(),
      copyUpCommand(lab.ui),
      downCommand(),
    ];
    lab.register(commands);
  });
  afterEach(async () => {
    overrides.dispose();
    await lab.close();
    git.remove();
  });

  /** Installs a CLI that resolves the project, and writes each of its calls to a file. */
  function install({
    version = '2.40.3',
    config = CONFIG,
  }: { readonly version?: string; readonly config?: object } = {}): void {
    writeFileSync(git.at('config.json'), JSON.stringify(config));
    const script = `#!/bin/sh
echo "$GANTRY_PORT_WEB_80 $*" >> '${git.at('calls')}'
case "$*" in
  *version*) echo '${version}';;
  *--format=json*) cat '${git.at('config.json')}';;
  *--hash*) ;;
  *) echo '{"dry-run":true,"id":"Container web","status":"Created"}';;
esac
`;
    writeFileSync(git.at('cli'), script, { mode: 0o755 });
  }

  const wire = ({ id, name, state, labels, ports }: Container) => ({
    ...{ Id: id, Names: [`/${name}`], Image: 'x', State: state, Labels: labels },
    Ports: ports.map(({ privatePort, publicPort, protocol }) => {
      return { PrivatePort: privatePort, PublicPort: publicPort, Type: protocol, IP: '0.0.0.0' };
    }),
  });

  /** Returns a container of a project that Compose created from these files. */
  function created(
    project: string,
    files: readonly string[],
    letter = 'a',
    folder = feature,
  ): Container {
    const labels = {
      ...inProject(project, 'web', 1),
      'com.docker.compose.project.config_files': files.join(','),
      'com.docker.compose.project.working_dir': folder,
    };
    return container(letter, { id: idOf(letter), name: `${project}-web-1`, labels });
  }

  /** Returns the name of the worktree's project, and makes it exist. */
  async function exist(letter = 'a'): Promise<string> {
    const { project } = (await lab.call('gantry.projects.upInWorktree', { files: [file] })) as {
      project: string;
    };
    list = [...list, created(project, [file, overrides.pathOf(project)], letter)];
    lab.list(list);
    calls.length = 0;
    return project;
  }

  const cliCalls = (): readonly string[] =>
    existsSync(git.at('calls')) ? readFileSync(git.at('calls'), 'utf8').trim().split('\n') : [];
  const up = (): Promise<unknown> => lab.call('gantry.projects.upInWorktree', { files: [file] });
  /** As the user, in a menu of the file. */
  const upByUser = (): Promise<unknown> => {
    const handler = lab.handlerOf('gantry.projects.upInWorktree');
    return Promise.resolve(handler({ files: [file] }, []));
  };
  const projectIn = ({ args }: CliCall): string =>
    args.find((one) => one.startsWith('--project-name='))?.slice(15) ?? assert.fail('no project');

  it('is shown the first time, runs once it is picked, and later at once', async () => {
    lab.ui.act(({ items = [] }) => {
      assert.equal(lab.ui.upChanges?.differences.length, 2);
      assert.deepEqual(calls, []);
      return items[0];
    });
    await upByUser();
    assert.equal(lab.ui.upChanges, undefined);
    const [call = assert.fail('nothing runs')] = calls;
    const project = projectIn(call);
    assert.match(project, /^shop-feature-login-[0-9a-f]{8}$/);
    const own = overrides.pathOf(project);
    assert.deepEqual(call.args.slice(2), [`--file=${file}`, `--file=${own}`, 'up', '--detach']);
    const port = /"published": "(2\d{4})"/.exec(readFileSync(own, 'utf8'))?.[1];
    assert.equal(call.env['GANTRY_PORT_WEB_80'], port);
    list = [created(project, [file, own])];
    lab.list(list);
    const before = lab.ui.shown.length;
    await upByUser();
    assert.equal(calls.length, 2);
    assert.deepEqual(
      lab.ui.shown.slice(before).filter(({ kind }) => kind === 'pick'),
      [],
    );
  });

  it('has the places of what is different, in the file', async () => {
    lab.ui.act(ESCAPE);
    await upByUser();
    assert.deepEqual(calls, []);
    const { differences = [], name = '' } = lab.ui.upChanges ?? {};
    assert.match(name, /^shop-feature-login-/);
    assert.deepEqual(
      differences.map(({ kind, place }) => [kind, place?.line, place?.file]),
      [
        ['containerName', 1, file],
        ['port', 3, file],
      ],
    );
    // The view stays, with its button.
    await runAsEditor(commands, 'gantry.upChanges.up');
    assert.equal(calls.length, 1);
  });

  it('is a sentence with the plain Up if Compose is too old', async () => {
    install({ version: '2.24.3' });
    await upByUser();
    const message = lab.ui.of('error').at(-1) ?? assert.fail('no message');
    assert.match(message.text, /need Docker Compose 2\.24\.4 or later/);
    assert.deepEqual([message.buttons, calls], [['Up'], []]);
    await message.press?.('Up');
    assert.deepEqual(calls[0]?.args, ['--progress=json', `--file=${file}`, 'up', '--detach']);
    await assert.rejects(up(), /need Docker Compose 2\.24\.4 or later/);
  });

  it('is for a caller what was created, with its ports', async () => {
    const project = await exist();
    const port = { privatePort: 80, publicPort: 20_000, protocol: 'tcp' } as const;
    list = list.map((one) => ({ ...one, ports: [port, { ...port, ip: '::' }] }));
    const expected = {
      exitCode: 0,
      project,
      ports: [{ service: 'web', container: 80, host: 20_000 }],
    };
    assert.deepEqual(await up(), expected);
    assert.deepEqual(await lab.call('gantry.projects.up', { project }), expected);
    assert.deepEqual(
      await lab.call('gantry.projects.up', { files: [file], worktree: true }),
      expected,
    );
    assert.deepEqual(await lab.call('gantry.projects.up', { worktree: true }), expected);
    assert.deepEqual(await lab.call('gantry.projects.recreate', { project }), { exitCode: 0 });
  });

  it('is a success although the engine does not answer afterwards', async () => {
    lab.ui.runTask = () => {
      fails = true;
      return Promise.resolve(0);
    };
    assert.deepEqual(await up(), { exitCode: 0 });
  });

  it('is named as the engine has it, also where the environment of Compose names it', async () => {
    lab.ui.runTask = () => {
      list = [created('named-by-env', [file])];
      return Promise.resolve(0);
    };
    const result = await lab.call('gantry.projects.up', { files: [file] });
    assert.deepEqual(result, { exitCode: 0, project: 'named-by-env', ports: [] });
  });

  it('gets the next port once if the first one is in use meanwhile', async () => {
    for (const words of [
      'Bind for :::PORT failed: port is already allocated',
      'failed to bind host port for 0.0.0.0:PORT:172.18.0.2:80/tcp: address already in use',
      'cannot listen on the TCP port: listen tcp4 :PORT: bind: address already in use',
      'ports are not available: exposing port TCP 0.0.0.0:PORT -> 127.0.0.1:0: listen tcp 0.0.0.0:PORT: bind: Only one usage of each socket address',
    ]) {
      calls.length = 0;
      const ports: number[] = [];
      lab.ui.runTask = async (call, { linesOf }) => {
        calls.push(call);
        const port = call.env['GANTRY_PORT_WEB_80'] ?? '';
        ports.push(Number(port));
        await linesOf(JSON.stringify({ error: true, message: words.replaceAll('PORT', port) }));
        return 1;
      };
      assert.deepEqual(await up(), { exitCode: 1 });
      const [first = 0, second, ...others] = ports;
      assert.deepEqual([second, others], [first === 29_999 ? 20_000 : first + 1, []], words);
    }
  });

  it('is not tried again for other reasons, nor for ports of others', async () => {
    for (const line of [
      'no such image',
      'Bind for :::29999 failed: port is already allocated x:1',
    ]) {
      calls.length = 0;
      runs = [
        {
          lines: [JSON.stringify({ error: true, message: line.replace('29999', '65000') })],
          code: 1,
        },
      ];
      assert.deepEqual(await up(), { exitCode: 1 });
      assert.equal(calls.length, 1);
    }
  });

  it('keeps its file in every command on its row, which makes it again if it is lost', async () => {
    const project = await exist();
    const own = overrides.pathOf(project);
    for (const verb of ['up', 'recreate', 'build', 'watch']) {
      rmSync(own, { force: true });
      calls.length = 0;
      await lab.call(`gantry.projects.${verb}`, { project });
      const [call = assert.fail()] = calls;
      assert.equal(projectIn(call), project);
      assert.deepEqual(
        call.args.filter((one) => one.startsWith('--file=')),
        [`--file=${file}`, `--file=${own}`],
      );
      assert.ok(existsSync(own));
    }
    const copied = (await lab.call('gantry.projects.copyUpCommand', { project })) as {
      command: string;
    };
    assert.match(
      copied.command,
      /^env .*GANTRY_PORT_WEB_80=2\d{4} .* --file=\S+\.yaml up --detach$/,
    );
    assert.deepEqual(lab.ui.of('confirm'), []);
  });

  it('keeps its name and ports on another branch, also if its file is lost, or it is down with volumes left', async () => {
    const project = await exist();
    await up();
    const port = calls.at(-1)?.env['GANTRY_PORT_WEB_80'];
    assert.match(port ?? '', /^2\d{4}$/);
    git.git(feature, 'checkout', '--quiet', '-b', 'other');
    for (const lose of [false, true]) {
      if (lose) rmSync(overrides.pathOf(project));
      calls.length = 0;
      await up();
      assert.equal(projectIn(calls[0] ?? assert.fail()), project);
    }
    volumes = [
      {
        Name: `${project}_data`,
        Labels: { ...inProject(project), 'com.docker.compose.volume': 'data' },
      },
    ];
    await lab.call('gantry.projects.down', { worktree: true });
    assert.deepEqual(list, []);
    calls.length = 0;
    await up();
    assert.equal(projectIn(calls[0] ?? assert.fail()), project);
    assert.equal(calls[0]?.env['GANTRY_PORT_WEB_80'], port);
    // Once nothing is left, it is forgotten.
    list = [created(project, [file, overrides.pathOf(project)])];
    volumes = [];
    await lab.call('gantry.projects.down', { project });
    assert.equal(existsSync(overrides.pathOf(project)), false);
  });

  it('is taken down alone', async () => {
    const project = await exist();
    list = [...list, created('shop', [join(shop, 'compose.yaml')], 'b', shop)];
    await lab.call('gantry.projects.down', { worktree: true, files: [file] });
    assert.deepEqual(
      list.map(({ name }) => name),
      ['shop-web-1'],
    );
    assert.equal(existsSync(overrides.pathOf(project)), false);
    await assert.rejects(
      lab.call('gantry.projects.down', { worktree: true }),
      /does not exist on this engine/,
    );
    assert.deepEqual(list.length, 1);
  });

  it('uses the files of this worktree on the row of another one', async () => {
    const project = await exist();
    lab.ui.folders = [shop];
    const { project: main } = (await lab.call('gantry.projects.upInWorktree', { project })) as {
      project: string;
    };
    assert.match(main, /^shop-main-/);
    assert.ok(calls[0]?.args.includes(`--file=${join(shop, 'compose.yaml')}`));
    assert.equal(
      calls[0]?.args.some((one) => one.includes(feature) || one.includes(project)),
      false,
    );
    assert.deepEqual(lab.ui.of('confirm'), []);
  });

  it('is that of the files that are named, whatever worktree is open', async () => {
    const project = await exist();
    lab.ui.folders = [shop];
    const { project: main } = (await lab.call('gantry.projects.upInWorktree', {
      files: ['compose.yaml'],
    })) as { project: string };
    const mainFile = join(shop, 'compose.yaml');
    list = [...list, created(main, [mainFile, overrides.pathOf(main)], 'b', shop)];
    assert.equal(((await up()) as { project: string }).project, project);
    await lab.call('gantry.projects.down', { worktree: true, files: [file] });
    assert.deepEqual(
      list.map(({ name }) => name),
      [`${main}-web-1`],
    );
  });

  it('uses the files of this worktree also if the folder of the project is elsewhere', async () => {
    list = [created('shop', [join(shop, 'compose.yaml')], 'b', git.root)];
    lab.ui.act(give('Use Files'));
    await lab.call('gantry.projects.upInWorktree', { project: 'shop' });
    assert.ok(calls[0]?.args.includes(`--file=${file}`));
  });

  it('has ports that no other worktree has had, also if it is not up', async () => {
    await exist();
    const [port = ''] = (cliCalls().at(-1) ?? '').split(' ');
    lab.ui.folders = [shop];
    const record = { ...((await overrides.all())[0] ?? assert.fail()), project: 'other-12345678' };
    const first = async (): Promise<number> => {
      await lab.call('gantry.projects.upInWorktree', { files: [join(shop, 'compose.yaml')] });
      return Number(calls.at(-1)?.env['GANTRY_PORT_WEB_80']);
    };
    const own = await first();
    assert.notEqual(own, Number(port));
    await overrides.write(
      { ...record, ports: record.ports.map((one) => ({ ...one, host: own })) },
      'x',
    );
    assert.equal(await first(), own === 29_999 ? 20_000 : own + 1);
  });

  it('is not that of containers whose labels only look like it', async () => {
    lab.ui.folders = [git.root];
    writeFileSync(git.at('x.yaml'), 'services: {}');
    for (const [name, path] of [
      ['../x', git.at('x.yaml')],
      ['shop', overrides.pathOf('other-1')],
    ] as const) {
      list = [created(name, [file, path])];
      calls.length = 0;
      await lab.call('gantry.projects.up', { project: name });
      // Compose refuses the first name.
      assert.deepEqual(
        calls.map(({ env }) => 'GANTRY_PORT_WEB_80' in env),
        [false],
        name,
      );
      assert.deepEqual(await overrides.all(), []);
    }
    assert.equal(readFileSync(git.at('x.yaml'), 'utf8'), 'services: {}');
  });

  it('asks before it reads files elsewhere that labels name', async () => {
    const elsewhere = join(git.create('elsewhere', { 'compose.yaml': 'name: x' }), 'compose.yaml');
    list = [created('evil', [elsewhere], 'e', join(git.root, 'elsewhere'))];
    for (const call of [
      () => lab.call('gantry.projects.down', { project: 'evil', worktree: true }),
      () => lab.call('gantry.projects.up', { project: 'evil', worktree: true }),
    ]) {
      const before = lab.ui.of('confirm').length;
      lab.ui.act(ESCAPE);
      await call().catch(() => undefined);
      assert.equal(lab.ui.of('confirm').length, before + 1);
      assert.deepEqual([cliCalls(), list.length], [[], 1]);
    }
  });

  it('runs nothing in Restricted Mode', async () => {
    lab.ui.trusted = false;
    await upByUser();
    await assert.rejects(up(), /Restricted Mode/);
    await assert.rejects(
      lab.call('gantry.projects.whatWouldUpChange', { files: [file], worktree: true }),
      /Restricted Mode/,
    );
    assert.deepEqual([cliCalls(), calls, await overrides.all()], [[], [], []]);
  });

  it('is refused in one sentence: outside of a repository, without a folder, by Compose, by the file system', async () => {
    writeFileSync(git.at('compose.yaml'), 'services: {}');
    const outside = { files: [git.at('compose.yaml')] };
    await assert.rejects(
      lab.call('gantry.projects.upInWorktree', outside),
      /is not in a git repository\. Use Up\./,
    );
    install({ config: { services: {} } });
    await assert.rejects(up(), /too large, or this version/);
    install();
    writeFileSync(git.at('storage'), '');
    await upByUser();
    assert.match(lab.ui.of('error').at(-1)?.text ?? '', /^Could not run Compose/);
    assert.deepEqual(calls, []);
  });

  it('is one project of two windows that bring it up at once', async () => {
    const results = (await Promise.all([up(), up(), up()])) as { project: string }[];
    assert.equal(new Set(results.map(({ project }) => project)).size, 1);
    assert.equal(new Set(calls.map(({ env }) => env['GANTRY_PORT_WEB_80'])).size, 1);
    assert.equal((await overrides.all()).length, 1);
  });

  describe('in a task', () => {
    let text: string;
    async function task(definition: object): Promise<number> {
      text = '';
      const screen = new Screen();
      screen.onDidWrite((part) => (text += part));
      const options = readComposeTaskOptions({
        type: 'gantry.compose',
        worktree: true,
        ...definition,
      });
      const { signal } = new AbortController();
      return new ComposeTaskRun({
        options,
        folder: feature,
        context: lab.context,
        screen,
        signal,
      }).run();
    }

    it('comes up, is waited for, and goes down alone', async () => {
      const project = await exist();
      list = [...list, created('shop', [join(shop, 'compose.yaml')], 'b', shop)];
      assert.equal(await task({ command: 'up', services: ['web'] }), 0);
      const last = cliCalls().at(-1) ?? '';
      assert.match(
        last,
        new RegExp(`^2\\d{4} .*--project-name=${project} .*${project}\\.yaml up --detach web$`),
      );
      assert.equal(await task({ command: 'down' }), 0);
      assert.deepEqual(
        list.map(({ name }) => name),
        ['shop-web-1'],
      );
      assert.equal(await task({ command: 'down' }), 0);
      assert.match(text, /does not exist on this engine/);
      assert.equal(list.length, 1);
    });

    it('never waits for the plain project', async () => {
      list = [created('shop', [join(shop, 'compose.yaml')], 'b', shop)];
      const run = task({ command: 'up', services: ['web'], waitFor: 'running' });
      await assert.rejects(run, /The project shop-feature-login-\w{8} does not exist/);
    });
  });
});
