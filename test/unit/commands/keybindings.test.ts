// What each key of package.json does with each kind of row that can be selected.
import assert from 'node:assert/strict';
import type { BuildRun } from '../../../src/builds/buildRun.ts';
import { BuildTrace } from '../../../src/builds/buildTrace.ts';
import { commands as builds } from '../../../src/commands/builds/commands.ts';
import { commands as containers } from '../../../src/commands/containers/commands.ts';
import { editorCommands } from '../../../src/commands/frame/command.ts';
import type { CommandDependencies } from '../../../src/commands/frame/commandDependencies.ts';
import { commands as images } from '../../../src/commands/images/commands.ts';
import { commands as networks } from '../../../src/commands/networks/commands.ts';
import { commands as volumes } from '../../../src/commands/volumes/commands.ts';
import type { KnownEngine } from '../../../src/inventory/knownEngine.ts';
import { BuildNode, BuildNoteNode } from '../../../src/views/builds/buildNode.ts';
import { EngineNode, NoteNode } from '../../../src/views/engines/engineNode.ts';
import { NetworkNode } from '../../../src/views/networks/networkNode.ts';
import { ProjectNode, ServiceNode } from '../../../src/views/containers/containerNode.ts';
import type { TreeNode } from '../../../src/views/treeNode.ts';
import { VolumeNode } from '../../../src/views/volumes/volumeNode.ts';
import { container, image, network, volume } from '../inventory/support/nouns.ts';
import {
  containerRow,
  ENGINE,
  imageRow,
  openCommandLab,
  type CommandLab,
} from '../support/commandLab.ts';
import { json } from '../support/fakeEngine.ts';
import { manifest } from '../support/manifest.ts';
import { give } from '../support/scriptedUi.ts';

// The test of the commands on files has the keys of the Files view.
const KEYS = manifest.contributes.keybindings.filter(
  ({ args, command }) => args === 'focusedView' && !command.startsWith('gantry.files.'),
);

const web = container('a', { name: 'web' });
const tool = image('b', { tags: ['tool:latest'] });
/** A target of each view. */
const ROWS: Readonly<Record<string, TreeNode>> = {
  containers: containerRow(web),
  images: imageRow(tool),
  volumes: new VolumeNode(ENGINE, volume('data')),
  networks: new NetworkNode(ENGINE, network('c')),
  builds: new BuildNode(buildOf('done'), String),
};

function buildOf(phase: BuildRun['phase']): BuildRun {
  const known = { ref: 'r', engine: ENGINE, title: 'shop', phase, trace: new BuildTrace() };
  return known as unknown as BuildRun;
}

const ONLY = /^Select only (containers|images|volumes|networks|builds)\.$/;

describe('the keys of the views', () => {
  let lab: CommandLab;
  let ran: string[];

  beforeEach(async () => {
    ran = [];
    lab = await openCommandLab((_, response) => json(response, 200, []));
    const parts = { ui: lab.ui } as unknown as CommandDependencies;
    const folders = [containers, images, networks, volumes, builds];
    lab.register(folders.flatMap((commands) => commands(parts)));
    lab.register(
      editorCommands({
        'gantry.projects.down': (row) => ran.push(`down ${(row as ProjectNode).title}`),
        'gantry.projects.remove': (row) => ran.push(`remove ${(row as ServiceNode).title}`),
      }),
    );
    lab.list([web, container('d', { name: 'stranger' })], [tool]);
  });
  afterEach(() => lab.close());

  const engine = new EngineNode(
    { id: ENGINE, name: 'Default' } as unknown as KnownEngine,
    {} as ConstructorParameters<typeof EngineNode>[1],
  );
  const note = new NoteNode(engine, { id: ENGINE } as unknown as KnownEngine, {} as never);
  const rowOf = (command: string): TreeNode =>
    ROWS[command.split('.')[1] ?? ''] ?? assert.fail(command);
  const press = async (command: string, ...rows: readonly TreeNode[]) => {
    lab.ui.shown.length = 0;
    lab.selection = rows;
    await lab.press(command);
    return lab.ui.shown.map(({ kind, text }) => `${kind}: ${text}`);
  };
  const isCopy = (command: string): boolean => command.includes('.copy');

  it('are all tested here', () => {
    assert.deepEqual(
      new Set(KEYS.map(({ command }) => command.split('.')[1])),
      new Set(Object.keys(ROWS)),
    );
  });

  for (const { command, key } of KEYS) {
    const hasEngines = !command.startsWith('gantry.builds.');
    const name = `${key} (${command})`;

    it(`${name} does nothing if nothing is selected`, async () => {
      assert.deepEqual(await press(command), []);
    });

    it(`${name} works on the selected row, without a list to pick from`, async () => {
      const [first = '', ...rest] = await press(command, rowOf(command));
      assert.match(first, isCopy(command) ? /^copy: / : /^(choose|confirm|input|progress): /);
      assert.doesNotMatch([first, ...rest].join(), /Select/);
    });

    if (!hasEngines) continue;

    it(`${name} does not reach for another row if an engine is selected`, async () => {
      const shown = await press(command, engine);
      if (isCopy(command)) assert.deepEqual(shown, ['copy: Default']);
      else assert.match(shown.join(), /^info: Select only \w+\.$/);
      assert.match((await press(command, note)).join(), /^info: Select only \w+\.$/);
      assert.deepEqual(lab.engine.seen, []);
    });

    it(`${name} does not drop a row of another kind`, async () => {
      const shown = await press(command, rowOf(command), engine);
      if (isCopy(command)) assert.match(shown.join(), /^copy: .+\nDefault$/);
      else assert.match(shown.join().replace('info: ', ''), ONLY);
      assert.deepEqual(lab.engine.seen, []);
    });
  }

  describe('on builds', () => {
    const texts = { label: 'm', description: '', message: 'm' };
    const note = new BuildNoteNode({ kind: 'failed', engine: ENGINE, ...texts });
    const build = ROWS['builds'] ?? assert.fail();

    for (const command of ['gantry.builds.remove', 'gantry.builds.copyName']) {
      it(`${command} does nothing on a message, and drops none`, async () => {
        assert.deepEqual(await press(command, note), ['info: Select only builds.']);
        assert.deepEqual(await press(command, build, note), ['info: Select only builds.']);
        assert.deepEqual(lab.engine.seen, []);
      });
    }

    it('Delete says that a running build cannot be removed', async () => {
      const running = new BuildNode(buildOf('running'), String);
      assert.deepEqual(await press('gantry.builds.remove', running), [
        'error: The build is running. Cancel it first.',
      ]);
    });
  });

  describe('on a project', () => {
    const shop = new ProjectNode(ENGINE, 'shop');
    const service = new ServiceNode(shop, 'worker');

    it('Delete is Down, F2 nothing, and Ctrl+C copies the name', async () => {
      assert.deepEqual(await press('gantry.containers.remove', shop), []);
      assert.deepEqual(ran, ['down shop']);
      assert.deepEqual(await press('gantry.containers.rename', shop), [
        'info: Select only containers.',
      ]);
      assert.deepEqual(await press('gantry.containers.copyName', shop, service), [
        'copy: shop\nworker',
      ]);
    });

    it('Delete removes the containers of a service', async () => {
      await press('gantry.containers.remove', service);
      assert.deepEqual(ran, ['remove worker']);
    });

    it('Delete does nothing if a container is selected, too', async () => {
      for (const rows of [
        [shop, containerRow(web)],
        [containerRow(web), shop],
      ])
        assert.deepEqual(await press('gantry.containers.remove', ...rows), [
          'info: Select only containers.',
        ]);
      assert.deepEqual(ran, []);
    });
  });

  it('Delete names the containers that cannot be removed', async () => {
    const going = container('e', { name: 'going', state: 'removing' });
    const shown = await press('gantry.containers.remove', containerRow(web), containerRow(going));
    assert.equal(shown[0], 'info: Left out because of their state: going.');
    assert.match(shown[1] ?? '', /^confirm: Remove the container web\?/);
  });

  it('the palette does not drop a row of another kind, either', async () => {
    lab.ui.act(give('Remove'));
    lab.selection = [containerRow(web), engine];
    await lab.run('gantry.containers.remove');
    assert.deepEqual(
      lab.ui.shown.map(({ text }) => text),
      ['Select only containers.'],
    );
    assert.deepEqual(lab.engine.seen, []);
  });
});
