import assert from 'node:assert/strict';
import { openCommandLab, runAsEditor, ENGINE, type CommandLab } from '../../support/commandLab.ts';
import type { CommandDependencies } from '../../../../src/commands/frame/commandDependencies.ts';
import type { Container } from '../../../../src/engine/model.ts';
import {
  ContainerNode,
  ProjectNode,
  ServiceNode,
} from '../../../../src/views/containers/containerNode.ts';
import { container } from '../../inventory/support/nouns.ts';
import { pick, type Answer } from '../../support/scriptedUi.ts';

const { projectMenuCommands } =
  await import('../../../../src/commands/projects/projectMenuCommands.ts');

const FILE = '/shop/compose.yaml';

function member(service: string, more: Partial<Container> = {}): Container {
  return container('c', {
    id: service.padEnd(64, '0'),
    name: `shop-${service}-1`,
    state: 'running',
    labels: {
      'com.docker.compose.project': 'shop',
      'com.docker.compose.config-hash': 'hash',
      'com.docker.compose.service': service,
      'com.docker.compose.project.config_files': FILE,
    },
    ...more,
  });
}

describe('the menu of a lens', () => {
  let lab: CommandLab;
  let called: unknown[];
  let dependencies: CommandDependencies;
  beforeEach(async () => {
    lab = await openCommandLab(() => undefined, { titleOf: (name) => `${name} (Docker)` });
    called = [];
    const { ui, context } = lab;
    const { unit } = context;
    const choice = {
      ofEngine: (id: string) => (id === ENGINE ? context : undefined),
      named: () => unit,
    };
    dependencies = {
      ui,
      choice,
      engines: { all: [unit] },
      showDetails: () => undefined,
      handlerOf: (id: string) =>
        Promise.resolve((...passed: readonly unknown[]) => {
          called.push([id, ...passed.map(shown)]);
        }),
    } as unknown as CommandDependencies;
  });
  afterEach(() => lab.close());

  const shown = (passed: unknown): unknown => {
    if (passed instanceof ContainerNode) return `container ${passed.container.name}`;
    if (passed instanceof ServiceNode) return `service ${passed.project.key} ${passed.key}`;
    if (passed instanceof ProjectNode) return `project ${passed.key}: ${passed.size}`;
    return passed;
  };

  async function open(argument: unknown, ...answers: readonly Answer[]) {
    lab.ui.act(...answers);
    await runAsEditor(projectMenuCommands(dependencies), 'gantry.projects.actions', argument);
    return lab.ui.of('pick').at(-1);
  }

  const labels = async (argument: unknown): Promise<readonly string[]> =>
    ((await open(argument))?.items ?? []).map(({ label, description = '' }) =>
      [label, description].join(' ').trim(),
    );

  it('offers Up and its preview for what was not created, and runs nothing by itself', async () => {
    const argument = { file: FILE, service: 'web', canBuild: true };
    assert.deepEqual(await labels(argument), [
      'Up',
      'Up in This Worktree',
      'What Would Up Change?',
      'Build Image...',
    ]);
    assert.equal(called.length, 0);
    assert.equal(lab.ui.of('pick').at(-1)?.text, 'web');
    await open(argument, pick('Up'));
    await open({ file: FILE }, pick('What'));
    assert.deepEqual(called, [
      ['gantry.projects.up', { files: [FILE], services: ['web'] }, []],
      ['gantry.projects.whatWouldUpChange', { files: [FILE] }, []],
    ]);
    await open(argument, pick('Build'));
    const [id, uri] = called[2] as unknown as readonly [string, { readonly path: string }];
    assert.deepEqual([id, uri.path], ['gantry.images.build', FILE]);
  });

  it('offers for a running service what one wants of it, with the engine in the title', async () => {
    const ports = [{ privatePort: 80, publicPort: 8080, protocol: 'tcp' }];
    lab.list([member('web', { ports }), member('db')]);
    assert.deepEqual(await labels({ file: FILE, service: 'web' }), [
      ...[
        'Up',
        'Up in This Worktree',
        'What Would Up Change?',
        'Stop',
        'Restart',
        'Logs',
        'Open Shell',
      ],
      'Open in Browser shop-web-1 · 8080',
    ]);
    assert.equal(lab.ui.of('pick').at(-1)?.text, 'web · shop (Docker)');
    for (const label of ['Up', 'Restart', 'Logs', 'Open Shell', 'Open in Browser'])
      await open({ file: FILE, service: 'web' }, pick(label));
    assert.deepEqual(called, [
      ['gantry.projects.up', 'service shop web'],
      ['gantry.projects.restart', 'service shop web'],
      ['gantry.containers.logs', 'container shop-web-1'],
      ['gantry.containers.openShell', 'container shop-web-1'],
      ['gantry.containers.openInBrowser', 'container shop-web-1'],
    ]);
  });

  it('offers for a project its log, its pages, and Down', async () => {
    const ports = [80, 81].map((port) => ({
      privatePort: port,
      publicPort: port,
      protocol: 'tcp',
    }));
    lab.list([member('web', { ports }), member('db', { state: 'exited' })]);
    assert.deepEqual(await labels({ project: 'shop', engine: 'Docker' }), [
      ...['Up', 'Up in This Worktree', 'What Would Up Change?', 'Start', 'Stop', 'Restart', 'Logs'],
      ...['Open in Browser... shop-web-1 · 80, 81', 'Show in Containers', 'Down...'],
    ]);
    for (const label of ['Logs', 'Down...']) await open({ file: FILE }, pick(label));
    assert.deepEqual(called, [
      ['gantry.containers.openLogViewer', 'project shop: 2'],
      ['gantry.projects.down', 'project shop: 2'],
    ]);
  });

  it('asks which project first if several were created from the file', async () => {
    const labels = { ...member('web').labels, 'com.docker.compose.project': 'aaa-prod' };
    const prod = member('web', { id: 'f'.repeat(64), name: 'aaa-prod-web-1', labels });
    lab.list([prod, member('web')]);
    const argument = { file: FILE, service: 'web' };
    await open(argument, pick('shop'), pick('Stop'));
    const [asked, menu] = lab.ui.of('pick');
    assert.deepEqual(
      asked?.items?.map(({ label }) => label),
      ['aaa-prod (Docker)', 'shop (Docker)'],
    );
    assert.equal(menu?.text, 'web · shop (Docker)');
    assert.deepEqual(called, [['gantry.projects.stop', 'service shop web']]);
    // The first question is canceled.
    await open(argument);
    assert.equal(lab.ui.of('pick').length, 3);
    await open({ project: 'aaa-prod' }, pick('Down'));
    assert.deepEqual(called.at(-1), ['gantry.projects.down', 'project aaa-prod: 1']);
  });

  it('asks which engine first if several have the project', async () => {
    lab.list([member('web')]);
    const { context } = lab;
    const unit = { id: 'other', name: 'Podman', inventory: context.unit.inventory };
    const other = { ...context, unit, titleOf: (name: string) => `${name} (Podman)` };
    Object.assign(dependencies, {
      engines: { all: [context.unit, unit] },
      choice: { ofEngine: (id: string) => (id === ENGINE ? context : other) },
    });
    await open({ file: FILE, service: 'web' }, pick('shop (Podman)'));
    assert.equal(lab.ui.of('pick')[1]?.text, 'web · shop (Podman)');
  });

  it('depends on the state', async () => {
    const of = async (state: Container['state']) => {
      lab.list([member('web', { state })]);
      return (await labels({ file: FILE, service: 'web' })).slice(3);
    };
    assert.deepEqual(await of('exited'), ['Start', 'Logs']);
    assert.deepEqual(await of('paused'), ['Unpause', 'Stop', 'Restart', 'Logs']);
  });

  it('names the containers of a service that has several', async () => {
    const second = { id: 'd'.repeat(64), name: '$(flame) shop-web-2\nx' };
    lab.list([member('web'), member('web', second)]);
    const all = await labels({ file: FILE, service: 'web' });
    assert.deepEqual(
      all.filter((label) => label.startsWith('Open Shell')),
      ['Open Shell $(flame) shop-web-2\nx', 'Open Shell shop-web-1'],
    );
    await open({ file: FILE, service: 'web' }, pick('Logs'));
    assert.deepEqual(called, [['gantry.containers.openLogViewer', 'service shop web']]);
  });

  it('says in Restricted Mode why there is no Up, and leads to trust', async () => {
    lab.ui.trusted = false;
    lab.list([member('web')]);
    const why = 'Up Needs a Trusted Workspace';
    assert.deepEqual((await labels({ file: FILE, service: 'web' })).slice(0, 2), [why, 'Stop']);
    await open({ file: FILE }, pick(why));
    assert.equal(lab.ui.of('manageTrust').length, 1);
  });

  it('offers no Up for a swarm stack', async () => {
    const stack = { 'com.docker.stack.namespace': 'shop' };
    lab.list([member('web', { labels: stack })]);
    assert.deepEqual(await labels({ project: 'shop' }), [
      'Stop',
      'Restart',
      'Logs',
      'Show in Containers',
    ]);
  });

  it('begins with the choice of a project of the workspace, those with trouble first', async () => {
    lab.ui.folders = ['/shop', '/desk'];
    const labelsOf = (project: string) => ({
      ...member('web').labels,
      'com.docker.compose.project': project,
      'com.docker.compose.project.config_files': `/${project}/compose.yaml`,
    });
    const others = ['desk', 'far'].map((name) =>
      member(name, { labels: labelsOf(name), health: 'unhealthy' }),
    );
    lab.list([member('web'), ...others]);
    await open(undefined, pick('desk'), pick('Show'));
    const [asked, menu] = lab.ui.of('pick');
    assert.deepEqual(
      asked?.items?.map(({ label, description, icon }) => [label, description, icon]),
      [
        ['desk (Docker)', '1 of 1 up · 1 unhealthy', 'warning'],
        ['shop (Docker)', '1 of 1 up', 'layers'],
      ],
    );
    assert.equal(menu?.text, 'desk (Docker)');
    assert.equal(lab.ui.of('focusView')[0]?.text, 'gantry.containers.focus');
    assert.deepEqual(lab.revealed, [member('desk').id]);
  });

  it('does not ask for the only project of the workspace, and says if there is none', async () => {
    lab.ui.folders = ['/shop'];
    lab.list([member('web')]);
    assert.equal((await open(undefined))?.text, 'shop (Docker)');
    lab.ui.folders = ['/elsewhere'];
    await open(undefined);
    assert.equal(lab.ui.of('pick').length, 1);
    assert.equal(lab.ui.of('info')[0]?.text, 'The workspace has no compose project.');
  });

  it('takes nothing else', async () => {
    assert.equal(await open(undefined), undefined);
    await open({ file: 1 });
    assert.match(lab.ui.of('error')[0]?.text ?? '', /"file"/);
  });
});
