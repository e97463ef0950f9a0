import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CliCall } from '../../../../src/engine/cli/cliCall.ts';
import { listContainers } from '../../../../src/engine/containers/containers.ts';
import { ContainerRows } from '../../../../src/views/containers/containerRows.ts';
import { ContainerNode, ProjectNode } from '../../../../src/views/containers/containerNode.ts';
import { container } from '../../inventory/support/nouns.ts';
import { Uri } from '../../support/fakeVscode.ts';
import { check, ESCAPE, give, pick, type Answer } from '../../support/scriptedUi.ts';
import { when } from '../../support/lab.ts';
import { podmanPing } from '../../support/projectEngine.ts';
import type { PlainCommand } from '../../../../src/commands/frame/command.ts';
import { ENGINE, fakeMemento, openCommandLab, type CommandLab } from '../../support/commandLab.ts';
import type { Memento } from '../../../../src/base/lifetime.ts';
import type { ComposeEvent } from '../../../../src/projects/cli/composeProgress.ts';
import type { ComposeCli } from '../../../../src/projects/cli/composeCli.ts';

const { composeCommands, copyUpCommand } =
  await import('../../../../src/commands/projects/composeCommands.ts');

const CLI: ComposeCli = {
  file: 'docker',
  prefix: ['compose'],
  hasJson: true,
  hasDryRun: true,
  hasFolder: true,
};

describe('the commands that run Compose', () => {
  let lab: CommandLab;
  let folder: string;
  let file: string;
  let calls: { readonly call: CliCall; readonly title: string }[];
  let cli: ComposeCli | undefined;
  let memory: Memento;
  let list: readonly object[];
  let whileFinding: () => void;
  let printed: readonly string[];
  let exitCode: number | undefined;
  let during: (onEvent: (event: ComposeEvent) => void) => unknown;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gantry-compose-'));
    file = join(folder, 'compose.yaml');
    writeFileSync(file, 'services: {}');
    calls = [];
    cli = CLI;
    memory = fakeMemento();
    printed = [];
    exitCode = undefined;
    during = () => undefined;
    whileFinding = () => undefined;
    const labels = {
      'com.docker.compose.project': 'shop',
      'com.docker.compose.config-hash': 'hash',
      'com.docker.compose.service': 'web',
      'com.docker.compose.project.config_files': file,
      'com.docker.compose.project.working_dir': folder,
      'com.docker.compose.project.environment_file': join(folder, 'dev.env'),
    };
    const gone = {
      'com.docker.compose.project': 'far',
      'com.docker.compose.config-hash': 'hash',
      'com.docker.compose.project.config_files': join(folder, 'gone.yaml'),
    };
    const windows = {
      'com.docker.compose.project': 'windows',
      'com.docker.compose.config-hash': 'hash',
      'com.docker.compose.project.config_files': 'C:\\shop.yaml',
    };
    const bare = { 'com.docker.compose.project': 'bare', 'com.docker.compose.config-hash': 'hash' };
    // As docker-compose 1 and podman-compose write them.
    const old = {
      'com.docker.compose.project': 'old',
      'com.docker.compose.config-hash': 'hash',
      'com.docker.compose.service': 'web',
      'com.docker.compose.project.config_files': 'compose.yaml,./more.yaml',
      'com.docker.compose.project.working_dir': folder,
      'com.docker.compose.project.environment_file': 'dev.env',
    };
    list = [labels, gone, bare, old, windows].map((own, at) => ({
      Id: String(at).repeat(64),
      Names: [`/c${at}`],
      State: 'running',
      Labels: own,
    }));
    const services = {
      memory,
      allowedFiles: new Set<string>(),
      findCompose: () => {
        whileFinding();
        return Promise.resolve(cli);
      },
    };
    lab = await openCommandLab(
      (_, response) => {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify(list));
      },
      { window: services },
    );
    lab.ui.folders = [folder];
    lab.ui.runTask = async (ran, { title, linesOf }) => {
      await during((event) => void linesOf(JSON.stringify(event)));
      for (const line of printed) await linesOf(line);
      return exitCode ?? calls.push({ call: ran, title }) + 2;
    };
    lab.engine.ping(podmanPing);
    const connection = await lab.context.engine.connect();
    lab.list(await listContainers(connection, { all: true }));
  });
  afterEach(async () => {
    rmSync(folder, { recursive: true });
    await lab.close();
  });

  const command = (id: string): PlainCommand => {
    return composeCommands().find((one) => one.id === id) as PlainCommand;
  };
  const call = (id: string, argument: object): Promise<unknown> => lab.call(command(id), argument);

  it('show in Problems what Compose refuses, until it takes the files', async () => {
    const message = "services.a additional properties 'comand' not allowed";
    const words = `validating ${file}: ${message}`;
    exitCode = 1;
    for (const line of [JSON.stringify({ error: true, message: words }), words]) {
      printed = ['{"id":"Network shop_default","status":"Creating"}', line];
      for (const id of ['up', 'build']) {
        lab.ui.composeProblem = undefined;
        await call(`gantry.projects.${id}`, { files: [file] });
        assert.deepEqual(lab.ui.composeProblem, { message, file, files: [file] });
      }
    }
    exitCode = 0;
    await call('gantry.projects.up', { files: [file] });
    assert.equal(lab.ui.composeProblem, undefined);
    printed = ['Error response from daemon: port is already allocated'];
    exitCode = 1;
    await call('gantry.projects.up', { files: [file] });
    assert.equal(lab.ui.composeProblem, undefined);
  });

  it('run in a task with the files, folder and variables of the project, for its engine', async () => {
    assert.deepEqual(await call('gantry.projects.up', { project: 'shop', services: ['web'] }), {
      exitCode: 3,
    });
    const [{ call: ran, title } = assert.fail()] = calls;
    assert.equal(title, 'compose up shop web');
    assert.deepEqual(
      [ran.file, ...ran.args],
      [
        ...['docker', 'compose', '--progress=json', '--project-name=shop'],
        ...[`--project-directory=${folder}`, `--file=${file}`, `--env-file=${folder}/dev.env`],
        ...['up', '--detach', 'web'],
      ],
    );
    const { url } = (await lab.context.engine.connect()).endpoint;
    assert.equal(ran.env['DOCKER_HOST'], url);
    assert.equal(ran.variables['DOCKER_HOST'], url);
    assert.equal(ran.env['PATH'], process.env['PATH']);
  });

  it('take files of labels relative to the folder of the project', async () => {
    const more = join(folder, 'more.yaml');
    writeFileSync(more, 'services: {}');
    await call('gantry.projects.up', { project: 'old' });
    const files = [`--file=${file}`, `--file=${more}`, `--env-file=${folder}/dev.env`];
    assert.deepEqual(calls[0]?.call.args.slice(4, 7), files);
  });

  it('run the health checks that Compose waits for on Podman', async () => {
    const path = '/libpod/containers/shop-db-1/healthcheck';
    during = (onEvent) => {
      onEvent({ id: 'Container shop-db-1', status: 'Waiting' });
      return when(() => lab.engine.seen.some((one) => one.path === path));
    };
    await call('gantry.projects.up', { project: 'shop' });
  });

  it('take files relative to the workspace folder', async () => {
    lab.ui.folders = [];
    await assert.rejects(call('gantry.projects.build', { files: ['compose.yaml'] }), /absolute/);
    lab.ui.folders = [folder];
    await call('gantry.projects.build', { files: ['compose.yaml'], profiles: ['dev'] });
    const [{ call: ran } = assert.fail()] = calls;
    const own = [`--file=${file}`, '--profile=dev', 'up', '--detach', '--build'];
    assert.deepEqual(ran.args, ['compose', '--progress=json', ...own]);
  });

  const refused: [argument: object, message: RegExp][] = [
    [{}, /Set "project" or "files"/],
    [{ project: 'bare' }, /The files of project bare are not known/],
    [{ project: 'nowhere' }, /The files of project nowhere are not known/],
    [{ project: 'far' }, /File not found: \S*gone\.yaml\./],
    [{ project: 'shop', services: ['--volumes'] }, /"--volumes" is not the name of a service/],
    [{ project: 'shop', services: [''] }, /is not the name of a service/],
    [{ project: 7 }, /"project" must be a string/],
  ];
  for (const [argument, message] of refused) {
    it(`refuse ${JSON.stringify(argument)} before anything runs`, async () => {
      await assert.rejects(call('gantry.projects.up', argument), message);
      assert.deepEqual(calls, []);
    });
  }

  it('refuse in an untrusted workspace', async () => {
    lab.ui.trusted = false;
    await assert.rejects(call('gantry.projects.watch', { project: 'shop' }), /Restricted Mode/);
    assert.deepEqual(calls, []);
  });

  it('offer to trust the workspace', async () => {
    lab.ui.trusted = false;
    lab.ui.act(pick('shop'));
    await lab.run(command('gantry.projects.up'));
    const [error] = lab.ui.of('error');
    assert.match(error?.text ?? '', /Restricted Mode/);
    await error?.press?.('Manage Trust');
    assert.equal(lab.ui.of('manageTrust').length, 1);
  });

  it('use the paths of labels as they are', async () => {
    const odd = join(folder, 'a,b', 'می\u200cخواهم ');
    mkdirSync(odd, { recursive: true });
    const own = join(odd, 'compose.yaml');
    for (const path of [own, join(odd, '.env')]) writeFileSync(path, '');
    lab.list([
      container('d', {
        labels: {
          'com.docker.compose.project': 'odd',
          'com.docker.compose.config-hash': 'hash',
          'com.docker.compose.service': 'web',
          'com.docker.compose.project.config_files': own,
          'com.docker.compose.project.working_dir': odd,
          'com.docker.compose.project.environment_file': join(odd, '.env'),
        },
      }),
    ]);
    list = [...lab.inventory.containers.values()].map(({ id, labels }) => {
      return { Id: id, Names: ['/web'], State: 'running', Labels: labels };
    });
    await call('gantry.projects.up', { project: 'odd' });
    const words = calls[0]?.call.args ?? [];
    for (const word of [`--project-directory=${odd}`, `--file=${own}`, `--env-file=${odd}/.env`])
      assert(words.includes(word), word);
  });

  it('are called by the project, however it was chosen', async () => {
    await call('gantry.projects.up', { files: [file] });
    const named = join(folder, 'named.yaml');
    writeFileSync(named, 'name: store\nservices: {}');
    await call('gantry.projects.up', { files: [named] });
    const plain = join(folder, 'My Shop', 'compose.yaml');
    mkdirSync(join(folder, 'My Shop'));
    writeFileSync(plain, 'services: {}');
    await call('gantry.projects.up', { files: [plain], services: ['web'] });
    assert.deepEqual(
      calls.map(({ title }) => title),
      ['compose up shop', 'compose up store', 'compose up myshop web'],
    );
  });

  it('name the engine in their task if there are several', async () => {
    Object.assign(lab.context, { titleOf: (name: string) => `${name} (podman)` });
    await call('gantry.projects.up', { files: [file] });
    assert.equal(calls[0]?.title, 'compose up shop (podman)');
  });

  it('work on the service of a container that has no row of its service', async () => {
    const [container = assert.fail()] = lab.inventory.containers.values();
    await lab.run(command('gantry.projects.recreate'), new ContainerNode(ENGINE, container, true));
    assert.deepEqual(calls[0]?.call.args.slice(-4), ['up', '--detach', '--force-recreate', 'web']);
  });

  it('ask before they run on containers that the filter hides', async () => {
    const shop = new ProjectNode(ENGINE, 'shop');
    const hidden = [{ container: container('b', { name: 'shop-db-1' }) }];
    Object.defineProperty(shop, 'notFound', { value: hidden });
    await lab.run(command('gantry.projects.recreate'), shop);
    assert.equal(calls.length, 0);
    const [question] = lab.ui.of('confirm');
    assert.equal(question?.detail, 'Hidden: shop-db-1');
    lab.ui.act(give('Continue'));
    await lab.run(command('gantry.projects.recreate'), shop);
    assert.equal(calls.length, 1);
  });

  it('ask once in a session before files outside of the workspace are used', async () => {
    lab.ui.folders = ['/elsewhere'];
    writeFileSync(file, 'services: {web: {profiles: [front]}}');
    const pickShop: Answer = ({ items = [] }) => items.find(({ label }) => label === 'shop');
    lab.ui.act(pickShop, ESCAPE);
    await lab.run(command('gantry.projects.up'));
    const detail = lab.ui.of('confirm')[0]?.detail ?? '';
    assert.match(detail, /any program as you/);
    assert(detail.includes(file));
    assert.deepEqual([calls, lab.ui.of('pickMany'), lab.ui.of('error')], [[], [], []]);
    assert(detail.includes('dev.env'));
    lab.ui.act(pickShop, give('Use Files'), check());
    await lab.run(command('gantry.projects.up'));
    lab.ui.act(pickShop, check());
    await lab.run(command('gantry.projects.up'));
    assert.deepEqual([calls.length, lab.ui.of('confirm').length], [2, 2]);
    await call('gantry.projects.up', { files: [file] });
    assert.equal(lab.ui.of('confirm').length, 2);
  });

  it('ask for a caller, too, before files that labels name are used', async () => {
    lab.ui.folders = ['/elsewhere'];
    const copy = copyUpCommand(lab.ui);
    const up = command('gantry.projects.up');
    for (const one of [up, copy]) {
      lab.ui.act(ESCAPE);
      await assert.rejects(lab.call(one, { project: 'shop' }), /Canceled/);
    }
    assert.equal(lab.ui.of('confirm').length, 2);
    lab.ui.act(give('Use Files'));
    await call('gantry.projects.up', { project: 'shop' });
    await call('gantry.projects.up', { files: [file] });
    assert.deepEqual([calls.length, lab.ui.of('confirm').length], [2, 3]);
  });

  it('ask before the folder of labels is used, if only that is outside of the workspace', async () => {
    // What is in the folder, without the folder itself.
    lab.ui.folders = [file, join(folder, 'dev.env')];
    const [container = assert.fail()] = lab.inventory.containers.values();
    const ofProject: Answer = ({ items = [] }) => items.find(({ label }) => label === 'shop');
    lab.ui.act(ESCAPE, ofProject, ESCAPE);
    await lab.run(command('gantry.projects.up'), new ContainerNode(ENGINE, container, true));
    await lab.run(command('gantry.projects.up'));
    const asked = lab.ui.of('confirm').map(({ detail }) => detail?.split('\n').slice(1));
    assert.deepEqual(asked, [[folder], [folder]]);
    assert.deepEqual(calls, []);
  });

  it('run what a lens chose: with its engine, after the question for profiles', async () => {
    writeFileSync(file, 'services: {web: {profiles: [front]}}');
    lab.register([command('gantry.projects.up')]);
    const lens = lab.handlerOf('gantry.projects.up');
    lab.ui.act(check('front'));
    await lens({ engine: 'Docker', project: 'shop' }, []);
    assert(calls[0]?.call.args.includes('--profile=front'));
    await lens({ engine: 'Docker', project: 'far' }, []);
    assert.match(lab.ui.of('error')[0]?.text ?? '', /File not found: \S*gone\.yaml\./);
    await lens({ engine: 'none', project: 'far' }, []);
    assert.match(lab.ui.of('error')[1]?.text ?? '', /Engine "none" not found/);
    await lens({ engine: 'Docker', project: 7 }, []);
    assert.match(lab.ui.of('error')[2]?.text ?? '', /"project" must be a string/);
  });

  it('use the override file of a compose file that the user chose, as Compose does', async () => {
    const override = join(folder, 'compose.override.yml');
    writeFileSync(override, 'services: {web: {profiles: [front]}}');
    const both = [`--file=${file}`, `--file=${override}`, '--profile=front'];
    for (const chosen of [Uri.file(file), Uri.file(override), { files: [file] }]) {
      lab.ui.act(check('front'));
      await lab.run(command('gantry.projects.up'), chosen as never);
      assert.deepEqual(calls.at(-1)?.call.args.slice(2, -2), both);
    }
    assert.deepEqual(memory.get('gantry.profiles'), [[file, ['front']]]);
    await call('gantry.projects.up', { files: [file] });
    assert.deepEqual(calls.at(-1)?.call.args.slice(2, -2), [`--file=${file}`]);
    writeFileSync(override, 'services: {}');
    const copy = copyUpCommand(lab.ui);
    await lab.run(copy, { files: [file] } as never);
    assert.match(lab.ui.of('copy')[0]?.text ?? '', /compose\.yaml .*compose\.override\.yml up/);
  });

  it('copy the command that Up runs', async () => {
    const copy = copyUpCommand(lab.ui);
    const [container = assert.fail()] = lab.inventory.containers.values();
    await lab.run(copy, new ContainerNode(ENGINE, container, true));
    const { url } = (await lab.context.engine.connect()).endpoint;
    const [copied] = lab.ui.of('copy');
    assert.match(copied?.text ?? '', new RegExp(`^env DOCKER_HOST=${url} .* up --detach web$`));
    assert.deepEqual(await lab.call(copy, { project: 'shop', services: ['web'] }), {
      command: copied?.text,
    });
    assert.deepEqual(calls, []);
  });

  it('copy it with the profiles that the user selects', async () => {
    writeFileSync(file, 'services: {web: {profiles: [front]}}');
    const copy = copyUpCommand(lab.ui);
    lab.ui.act(pick('shop'), check('front'), pick('shop'), ESCAPE);
    await lab.run(copy);
    assert.equal(await lab.run(copy), undefined);
    const copied = lab.ui.of('copy').map(({ text }) => text.includes(' --profile=front '));
    assert.deepEqual(copied, [true]);
  });

  it('do nothing if the user cancels while they look for Compose', async () => {
    whileFinding = () => lab.ui.cancel();
    const [container = assert.fail()] = lab.inventory.containers.values();
    const row = new ContainerNode(ENGINE, container, true);
    await lab.run(command('gantry.projects.up'), row);
    await lab.run(copyUpCommand(lab.ui), row);
    assert.deepEqual(
      lab.ui.shown.map(({ kind, text }) => [kind, text]),
      [
        ['progress', 'Starting Compose'],
        ['progress', 'Copying the command'],
      ],
    );
    assert.deepEqual(calls, []);
  });

  it('do nothing if the user cancels while the projects are loaded', async () => {
    lab.inventory.setPhase({ kind: 'connecting' });
    lab.engine.answer((_, response) => {
      lab.ui.cancel();
      response.destroy();
    });
    const up = command('gantry.projects.up');
    await lab.run(up);
    await lab.run(up, new ProjectNode(ENGINE, 'shop'));
    assert.deepEqual(
      lab.ui.shown.map(({ kind, text }) => [kind, text]),
      [
        ['progress', 'Loading projects'],
        ['progress', 'Loading projects'],
      ],
    );
    assert.deepEqual(calls, []);
  });

  it('work on the selected project if there is no row', async () => {
    const context = { ...lab.context, now: Date.now };
    const rows = new ContainerRows(ENGINE, context);
    lab.selection = rows.roots.filter((one) => one instanceof ProjectNode && one.key === 'shop');
    await lab.run(command('gantry.projects.up'));
    assert(calls[0]?.call.args.includes('--project-name=shop'));
    assert.deepEqual(lab.ui.of('pick'), []);
  });

  it('do not run on a project of another engine of that name', async () => {
    const [container = assert.fail()] = lab.inventory.containers.values();
    const alone = new ContainerNode(ENGINE, { ...container, labels: {} }, true);
    await lab.run(command('gantry.projects.up'), alone, new ProjectNode('podman', 'shop'));
    assert.deepEqual([calls, lab.ui.of('pick').length], [[], 1]);
  });

  it('report that Compose is not installed', async () => {
    cli = undefined;
    await assert.rejects(call('gantry.projects.up', { project: 'shop' }), /not installed/);
  });

  it('show in the rows what the CLI does, until it ends', async () => {
    const verbs: unknown[] = [];
    const verb = (): unknown => lab.context.activity.verbOf('0'.repeat(64));
    during = (onEvent) => {
      for (const status of ['Recreate', 'Recreated', 'Starting']) {
        onEvent({ id: 'Container c0', status });
        verbs.push(verb());
      }
    };
    await call('gantry.projects.up', { project: 'shop' });
    assert.deepEqual([...verbs, verb()], ['recreating', undefined, 'starting', undefined]);
  });

  it('do not remove orphans while they watch', async () => {
    const watch = call('gantry.projects.watch', { project: 'shop', removeOrphans: true });
    await assert.rejects(watch, /cannot remove orphans while it watches/);
    assert.deepEqual(calls, []);
  });

  it('have the networks listed again, during and after the run', async () => {
    const { networks } = lab.inventory;
    let marks = 0;
    networks.markStale = () => void marks++;
    const seen: number[] = [];
    during = (onEvent) => {
      onEvent({ id: 'Container c0', status: 'Created' });
      seen.push(marks);
      onEvent({ id: 'Network shop_default', status: 'Created' });
      seen.push(marks);
    };
    await call('gantry.projects.up', { project: 'shop' });
    assert.deepEqual([...seen, marks], [0, 1, 2]);
  });

  it('ask for the profiles of the files, and remember them for each project', async () => {
    writeFileSync(file, 'services: {web: {profiles: [front]}, db: {profiles: [back]}}');
    const pickShop: Answer = ({ items = [] }) => items.find(({ label }) => label === 'shop');
    lab.ui.act(pickShop, ({ items = [] }) => items.slice(1));
    await lab.run(command('gantry.projects.up'));
    assert.equal(calls[0]?.call.args.includes('--profile=front'), true);
    assert.equal(calls[0].call.args.includes('--profile=back'), false);
    assert.deepEqual(memory.get('gantry.profiles'), [['shop', ['front']]]);
    lab.ui.act(pickShop, () => undefined);
    await lab.run(command('gantry.projects.up'));
    assert.equal(calls.length, 1);
    const asked = lab.ui.shown.filter(({ kind }) => kind === 'pickMany');
    assert.deepEqual(
      asked.map(({ checked }) => checked?.map(({ label }) => label)),
      [[], ['front']],
    );
  });

  it('do not ask for profiles in an untrusted workspace, or if there are none', async () => {
    lab.ui.act(({ items = [] }) => items.find(({ label }) => label === 'shop'));
    await lab.run(command('gantry.projects.up'));
    lab.ui.trusted = false;
    writeFileSync(file, 'services: {web: {profiles: [front]}}');
    lab.ui.act(({ items = [] }) => items.find(({ label }) => label === 'shop'));
    await lab.run(command('gantry.projects.up'));
    assert.equal(calls.length, 1);
    assert.equal(lab.ui.shown.filter(({ kind }) => kind === 'pickMany').length, 0);
  });

  it('let the user pick a project or a compose file', async () => {
    // The letter of a Windows drive is as VS Code writes it.
    lab.ui.files = ['/other/compose.yaml', '/other/compose.override.yaml', file, 'c:\\shop.yaml'];
    lab.ui.act(({ items = [] }) => items.at(0));
    await lab.run(command('gantry.projects.recreate'));
    const list = lab.ui.shown.find(({ kind }) => kind === 'pick');
    const labels = list?.items?.map(({ label }) => label);
    assert.deepEqual(labels, ['far', 'old', 'shop', 'windows', '/other/compose.yaml']);
    assert.match(lab.ui.shown.at(-1)?.text ?? '', /File not found: \S*gone\.yaml\./);
  });
});
