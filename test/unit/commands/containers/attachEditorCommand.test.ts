import assert from 'node:assert/strict';
import '../../support/fakeEditor.ts';
import { attachEditorCommand } from '../../../../src/commands/containers/attachEditorCommand.ts';
import { MissingCommandError } from '../../../../src/commands/ui/devContainers.ts';
import type { CommandDependencies } from '../../../../src/commands/frame/commandDependencies.ts';
import type { TreeNode } from '../../../../src/views/treeNode.ts';
import {
  ContainerNode,
  ProjectNode,
  ServiceNode,
} from '../../../../src/views/containers/containerNode.ts';
import { container, idOf } from '../../inventory/support/nouns.ts';
import { containerRow, ENGINE, openCommandLab, type CommandLab } from '../../support/commandLab.ts';
import { json } from '../../support/fakeEngine.ts';
import { ENTER, give, pick } from '../../support/scriptedUi.ts';

describe('attaching VS Code to a container', () => {
  const web = container('a', { name: 'web' });
  let lab: CommandLab;
  /** What the extension was told, in order. */
  let told: unknown[];
  /** What the extension is like. */
  let extension: { isPossible: boolean; isInstalled: boolean; program: string };
  /** The state of the container, and more of its inspect response. */
  let state: string;
  let more: object;
  let env: Record<string, string>;
  let refuse: Error | undefined;

  beforeEach(async () => {
    told = [];
    extension = { isPossible: true, isInstalled: true, program: 'docker' };
    state = 'running';
    more = { Config: { WorkingDir: '/app' } };
    refuse = undefined;
    lab = await openCommandLab(({ path }, response) => {
      if (path !== `/containers/${web.id}/json` && path !== `/containers/${idOf('b')}/json`) {
        json(response, 404, { message: 'No such container' });
        return;
      }
      const State = { Status: state, Running: state !== 'exited' };
      json(response, 200, { Id: path.slice(12, 76), Name: '/web', State, ...more });
    });
    // The program finds the engine of the row.
    env = { DOCKER_HOST: lab.engine.url };
    lab.list([web]);
    const tell = (...words: readonly unknown[]): Promise<void> => {
      told.push(words);
      return refuse ? Promise.reject(refuse) : Promise.resolve();
    };
    lab.ui.devContainers = {
      isPossible: () => extension.isPossible,
      isInstalled: () => Promise.resolve(extension.isInstalled),
      install: () => tell('install'),
      program: () => extension.program,
      setProgram: (program) => tell('setProgram', program),
      variables: () => env,
      showSettings: () => void tell('showSettings'),
      attach: (id) => tell('attach', id),
      openFolder: (id, folder, host) => tell('openFolder', id, folder, host),
    };
  });
  afterEach(() => lab.close());

  const command = () => {
    const machine = { platform: 'linux', home: '/home/me', uid: 1000, env: {}, files: NO_FILES };
    const maker = { machine } as unknown as CommandDependencies['maker'];
    return attachEditorCommand({ ui: lab.ui, maker });
  };
  const call = (argument: object = {}) => lab.call(command(), { id: web.id, ...argument });
  const run = (...rows: readonly TreeNode[]) => lab.run(command(), ...rows);
  const shown = (): readonly string[] => lab.ui.shown.map(({ kind }) => kind);

  it('opens the working directory, or the folder that is asked for', async () => {
    assert.deepEqual(await run(containerRow(web)), { folder: '/app' });
    assert.deepEqual(await call(), { folder: '/app' });
    assert.deepEqual(await call({ folder: '/-x y' }), { folder: '/-x y' });
    await assert.rejects(call({ id: ' ' }), /the ID is empty/);
    for (const folder of ['src', '', '/a\0b'])
      await assert.rejects(call({ folder }), /"folder" must be an absolute path/, folder);
    assert.deepEqual(told, [
      ['openFolder', web.id, '/app', undefined],
      ['openFolder', web.id, '/app', undefined],
      ['openFolder', web.id, '/-x y', undefined],
    ]);
    assert.deepEqual(shown(), ['progress']);
  });

  it('opens the folder where a workspace folder is mounted, by the innermost mount', async () => {
    const bind = (Source: string, Destination: string) => ({ Type: 'bind', Source, Destination });
    const binds = [bind('/', '/host'), bind('/home/me/shop', '/src/'), bind('/home/me', '/me')];
    more = { Config: { WorkingDir: '/app' }, Mounts: binds };
    for (const [folders, expected] of [
      [['/home/me/shop'], '/src'],
      [['/home/me/shop/web'], '/src/web'],
      [['/home/me/shopping'], '/me/shopping'],
      [['/opt/x', '/home/me/shop'], '/src'],
      [['/opt/x'], '/host/opt/x'],
      [[], '/app'],
    ] as const) {
      lab.ui.folders = folders;
      assert.deepEqual(await call(), { folder: expected }, folders.join());
    }
    more = { Mounts: [bind('/run/desktop/mnt/host/c/Users/me/shop', '/src')] };
    lab.ui.folders = ['C:\\Users\\Me\\shop\\web'];
    assert.deepEqual(await call(), { folder: '/src/web' });
  });

  it('lets the extension choose the folder if there is none, and in a remote window', async () => {
    more = { Config: { WorkingDir: '/' } };
    assert.deepEqual(await call(), {});
    more = {};
    assert.deepEqual(await call(), {});
    lab.ui.remoteName = 'ssh-remote';
    more = { Config: { WorkingDir: '/app' } };
    assert.deepEqual(await call(), {});
    assert.deepEqual(
      told,
      Array.from({ length: 3 }, () => ['attach', web.id]),
    );
  });

  it('is refused in other editors, and offers to install the extension where it is missing', async () => {
    extension.isInstalled = false;
    await assert.rejects(call(), /Dev Containers of Microsoft .* is not installed\.$/);
    assert.deepEqual(shown(), []);
    assert.equal(await run(containerRow(web)), undefined);
    const [message] = lab.ui.shown;
    assert.deepEqual([shown(), message?.buttons], [['info'], ['Install']]);
    assert.deepEqual(told, []);
    await message?.press?.('Install');
    assert.deepEqual(told, [['install']]);
    extension.isPossible = false;
    await assert.rejects(call(), /This editor cannot have the extension Dev Containers/);
    await run(containerRow(web));
    assert.match(lab.ui.of('error')[0]?.text ?? '', /This editor cannot have/);
    assert.deepEqual(lab.engine.seen, []);
  });

  it('says first that the program works on another engine', async () => {
    env = { DOCKER_HOST: 'tcp://10.0.0.9:2375' };
    await assert.rejects(call(), /would look for web on another engine than unix:/);
    assert.equal(await run(containerRow(web)), undefined);
    const [question] = lab.ui.of('choose');
    assert.deepEqual(question?.buttons, ['Open Settings', 'Attach Anyway']);
    assert.match(question.detail ?? '', /uses the program docker .*Set DOCKER_HOST to unix:/);
    assert.deepEqual(told, []);
    lab.ui.act(give('Open Settings'));
    assert.equal(await run(containerRow(web)), undefined);
    assert.deepEqual(told.splice(0), [['showSettings']]);
    lab.ui.act(give('Attach Anyway'));
    assert.deepEqual(await run(containerRow(web)), { folder: '/app' });
    assert.deepEqual(told, [['openFolder', web.id, '/app', lab.engine.url]]);
  });

  it('offers the setting for Podman, whose program finds the engine', async () => {
    env = { DOCKER_HOST: 'tcp://10.0.0.9:2375', CONTAINER_HOST: lab.engine.url };
    lab.ui.act(give('Use Podman'));
    assert.deepEqual(await run(containerRow(web)), { folder: '/app' });
    const [question] = lab.ui.of('choose');
    assert.deepEqual(question?.buttons, ['Use Podman', 'Attach Anyway']);
    assert.deepEqual(told, [
      ['setProgram', 'podman'],
      ['openFolder', web.id, '/app', undefined],
    ]);
    extension.program = '/usr/bin/podman-remote';
    await call();
    assert.equal(told.length, 3);
  });

  it('takes the only running container of a service, and asks for one of several', async () => {
    const two = container('b', { name: 'web-2' });
    const old = container('c', { name: 'web-3', state: 'exited' });
    lab.list([web, two, old]);
    const project = new ProjectNode(ENGINE, 'shop');
    const service = (...members: readonly (typeof web)[]): ServiceNode => {
      const node = new ServiceNode(project, 'web');
      for (const one of members) node.add(new ContainerNode(ENGINE, one, true, project));
      return node;
    };
    await run(service(web, old));
    assert.deepEqual(told.splice(0), [['openFolder', web.id, '/app', undefined]]);
    lab.ui.act(pick('web-2'));
    await run(service(web, two, old));
    const [asked] = lab.ui.of('pick');
    assert.deepEqual(
      asked?.items?.map(({ label }) => label),
      ['web', 'web-2'],
    );
    assert.deepEqual(told.splice(0), [['openFolder', two.id, '/app', undefined]]);
    await run(service(old));
    assert.match(lab.ui.of('error')[0]?.text ?? '', /No container of it is running\./);
  });

  it('works from the palette on the selected row, or on one that is picked', async () => {
    lab.selection = [containerRow(web)];
    await run();
    lab.selection = [];
    lab.ui.act(ENTER);
    await run();
    assert.equal(lab.ui.of('pick').length, 1);
    assert.deepEqual(
      told,
      Array.from({ length: 2 }, () => ['openFolder', web.id, '/app', undefined]),
    );
  });

  it('looks again whether the container runs', async () => {
    for (state of ['exited', 'paused', 'restarting']) {
      await assert.rejects(call(), /: web is not running\.$/, state);
      await run(containerRow(web));
    }
    assert.deepEqual([told, lab.ui.of('error').length], [[], 3]);
  });

  it('says that the extension lacks the command, or what it failed with', async () => {
    more = {};
    refuse = new MissingCommandError('remote-containers.x');
    await assert.rejects(call(), /has no command remote-containers\.x\. Update or enable it\.$/);
    refuse = new Error('No docker');
    await assert.rejects(call(), /Could not attach Visual Studio Code: No docker/);
    await run(containerRow(web));
    assert.match(lab.ui.of('error')[0]?.text ?? '', /^Could not attach .*No docker/);
  });
});

const NO_FILES = {
  readText: () => Promise.resolve(undefined),
  list: () => Promise.resolve([]),
  kindOf: () => Promise.resolve(undefined),
};
