import assert from 'node:assert/strict';
import { EngineError } from '../../../src/engine/errors.ts';
import { Emitter } from '../../../src/base/lifetime.ts';
import { Orphans } from '../../../src/projects/orphans.ts';
import { KnownWorktrees } from '../../../src/projects/worktrees/knownWorktrees.ts';
import { WorkspacePlaces } from '../../../src/projects/workspace/workspacePlaces.ts';
import { Arrangements } from '../../../src/views/arrangement/arrangements.ts';
import { Pins } from '../../../src/views/arrangement/pins.ts';
import { NewerImages } from '../../../src/registries/transfers/newerImages.ts';
import { Transfers } from '../../../src/registries/transfers/transfers.ts';
import type { TreeNode } from '../../../src/views/treeNode.ts';
import type { Views, ViewsOptions } from '../../../src/views/views.ts';
import { container, idOf, image, network, volume } from '../inventory/support/nouns.ts';
import { fakeMemento } from '../support/commandLab.ts';
import { openEngineLab, type EngineLab } from '../support/engineLab.ts';
import { FakeClock } from '../support/fakeClock.ts';
import * as editor from '../support/fakeVscode.ts';

const INFO = { product: 'docker', engineApi: '1.41', api: '1.41' } as const;

/** The used parts of a VS Code tree view. */
interface FakeView {
  readonly treeDataProvider: {
    getChildren(node?: TreeNode): readonly TreeNode[];
    getTreeItem(node: TreeNode): { readonly label: string };
  };
  readonly dragAndDropController: {
    handleDrop(target: TreeNode, transfer: object): Promise<void>;
  };
  readonly visibility: Emitter<{ readonly visible: boolean }>;
  visible: boolean;
  description?: string;
  message?: string;
}

describe('Views', () => {
  const { createTreeView } = editor.window;
  const { executeCommand } = editor.commands;
  let arrangements: Arrangements;
  let dropped: TreeNode[];
  const used = new Emitter<never>();
  const shown = new Map<string, FakeView>();
  const context = new Map<unknown, unknown>();
  let lab: EngineLab;
  let views: Views;
  let buildsView: { -readonly [key in keyof ViewsOptions['builds']]: ViewsOptions['builds'][key] };

  beforeEach(async () => {
    const never = new Emitter<never>().event;
    const events = { onDidChangeVisibility: never, onDidChangeSelection: never };
    const folding = { onDidCollapseElement: never, onDidExpandElement: never };
    const open = (
      id: string,
      options: Pick<FakeView, 'treeDataProvider' | 'dragAndDropController'>,
    ) => {
      const visibility = new Emitter<{ readonly visible: boolean }>();
      const seen = { visible: false, visibility, onDidChangeVisibility: visibility.event };
      const view = { ...options, ...events, ...folding, ...seen, dispose: () => undefined };
      shown.set(id, view);
      return view;
    };
    const execute = (id: string, key: unknown, value: unknown) =>
      Promise.resolve(void context.set(id === 'setContext' ? key : id, value));
    Object.assign(editor.window, { createTreeView: open });
    Object.assign(editor.commands, { executeCommand: execute });
    lab = await openEngineLab();
    Object.assign(editor.workspace, {
      getConfiguration: () => ({ get: () => undefined }),
      onDidChangeConfiguration: never,
    });
    dropped = [];
    const { defaultArrangement } =
      await import('../../../src/views/arrangement/defaultArrangement.ts');
    const memory = fakeMemento();
    arrangements = new Arrangements(memory, defaultArrangement);
    const places = new WorkspacePlaces({
      folders: () => ['/home/me/shop'],
      onDidChange: new Emitter<void>().event,
      worktreesOf: () => Promise.resolve([]),
      memory,
      platform: 'linux',
      storage: '/storage',
    });
    const { Views: EditorViews } = await import('../../../src/views/views.ts');
    const clock = new FakeClock();
    buildsView = { ...events, visible: true, selection: [], onDidChangeSelection: used.event };
    views = new EditorViews({
      builds: buildsView,
      engines: lab.engines,
      newer: new NewerImages(),
      orphans: new Orphans({
        mayRead: () => true,
        onDidChange: new Emitter<void>().event,
      }),
      knownWorktrees: new KnownWorktrees('/storage/worktrees', () => assert.fail('is opened')),
      aliasesOf: () => Promise.resolve([]),
      statisticsOf: () => Promise.resolve(undefined),
      connect: (rows) => void dropped.push(...rows),
      transfers: new Transfers(clock),
      foldMemory: memory,
      arrangements,
      pins: new Pins(memory),
      places,
      preferred: lab.preferred,
      describe: String,
    });
  });

  afterEach(() => {
    views.dispose();
    lab.close();
    Object.assign(editor.window, { createTreeView });
    Object.assign(editor.commands, { executeCommand });
  });

  const list = async (...tags: readonly string[]) => {
    const images = tags.map((tag, at) => image(`${at}`, { tags: [tag] }));
    const live = { kind: 'live', info: INFO } as const;
    lab.engines.all[0]?.inventory.replaceAll([], images, Date.now(), live);
    await Promise.resolve();
  };
  const images = () => {
    const view = shown.get('gantry.images');
    const rows = view?.treeDataProvider.getChildren() ?? [];
    return {
      rows: rows.map(({ id }) => id.split('/').slice(3).join('/')),
      count: view?.description,
    };
  };

  it('has the selected builds while their view is visible, and was used last or has the focus', () => {
    const row = {} as TreeNode;
    buildsView.selection = [row];
    assert.deepEqual(
      [views.selection('build', false), views.selection('build', true)],
      [[], [row]],
    );
    used.fire(undefined as never);
    assert.deepEqual(views.selection('build', false), [row]);
    assert.deepEqual(views.selection('container', false), []);
    buildsView.visible = false;
    assert.deepEqual(views.selection('build', true), []);
  });

  it('shows the images that match the filter, and how many of all images these are', async () => {
    await list('me/app:1', 'me/web:1', 'other:1');
    assert.equal(images().count, '3');
    arrangements.show('images', { filter: 'me/' });
    assert.deepEqual(images(), { rows: ['me/app:1', 'me/web:1'], count: '“me/” · 2 of 3' });
    assert.equal(context.get('gantry.images.isFiltered'), true);
    arrangements.show('images', { filter: '' });
    assert.equal(images().rows.length, 3);
    assert.equal(images().count, '3');
    assert.equal(context.get('gantry.images.isFiltered'), false);
  });

  it('reports that Podman does not report changes of networks', async () => {
    const [{ inventory } = assert.fail('no engine')] = lab.engines.all;
    const message = () => shown.get('gantry.networks')?.message ?? '';
    inventory.networks.replace([network('a')]);
    for (const product of ['docker', 'podman'] as const) {
      inventory.setPhase({ kind: 'live', info: { ...INFO, product, version: '5.8.6' } });
      await Promise.resolve();
      assert.equal(message().includes('Select Refresh'), product === 'podman');
    }
  });

  it('sets whether there are several engines', async () => {
    const isSet = async (): Promise<unknown> => {
      await Promise.resolve();
      return context.get('gantry.severalEngines');
    };
    lab.write({ Staging: 'unix:///staging.sock', Other: 'unix:///other.sock' });
    assert.equal(await isSet(), true);
    lab.write({});
    assert.equal(await isSet(), false);
  });

  it('explains why the volumes cannot be listed', async () => {
    const [{ inventory } = assert.fail('no engine')] = lab.engines.all;
    inventory.setPhase({ kind: 'live', info: INFO });
    inventory.volumes.replace([], new EngineError('failed', { status: 403 }));
    await Promise.resolve();
    assert.equal(
      shown.get('gantry.volumes')?.message,
      'Cannot list volumes: permission denied. Retrying...',
    );
  });

  const counts = async (): Promise<readonly unknown[]> => {
    await Promise.resolve();
    return ['containers', 'volumes', 'networks'].map(
      (name) => shown.get(`gantry.${name}`)?.description,
    );
  };
  const see = (name: string, visible: boolean): void => {
    const view = shown.get(`gantry.${name}`) ?? assert.fail('no view');
    view.visible = visible;
    view.visibility.fire({ visible });
  };

  it('shows how many containers, volumes and networks there are', async () => {
    const [{ inventory } = assert.fail('no engine')] = lab.engines.all;
    const live = { kind: 'live', info: INFO } as const;
    for (const name of ['volumes', 'networks']) see(name, true);
    inventory.replaceAll([container('a'), container('b')], [], Date.now(), live);
    inventory.volumes.replace([volume('one'), volume('two'), volume('three')]);
    inventory.networks.replace([network('n')]);
    assert.deepEqual(await counts(), ['2', '3', '1']);
    inventory.volumes.replace([volume('one')]);
    inventory.replaceAll([container('a')], [], Date.now(), live);
    assert.deepEqual(await counts(), ['1', '1', '1']);
    inventory.replaceAll([], [], Date.now(), live);
    assert.deepEqual(await counts(), ['', '1', '1']);
  });

  it('shows no count of a list that is not kept up to date', async () => {
    const [{ inventory } = assert.fail('no engine')] = lab.engines.all;
    inventory.setPhase({ kind: 'live', info: INFO });
    see('volumes', true);
    inventory.volumes.replace([volume('one')]);
    assert.equal((await counts())[1], '1');
    see('volumes', false);
    inventory.volumes.replace([volume('one'), volume('two')]);
    assert.equal((await counts())[1], '');
    see('volumes', true);
    assert.equal((await counts())[1], '2');
  });

  it('counts the stopped containers that are hidden', async () => {
    Object.assign(editor.workspace, {
      getConfiguration: () => ({
        get: (name: string) => name === 'containers.hideStopped' || undefined,
      }),
    });
    const { inventory } = addLive();
    const stopped = ['b', 'c'].map((id) => container(id, { state: 'exited' }));
    inventory.replaceAll([container('a'), ...stopped], [], Date.now());
    assert.equal((await counts())[0], '1 of 3');
  });

  /** Adds an engine and connects it. */
  const addLive = () => {
    lab.write({ Other: 'unix:///other.sock' });
    const other = lab.engines.named('Other') ?? assert.fail('no engine');
    other.inventory.setPhase({ kind: 'live', info: INFO });
    return other;
  };
  /** Returns the labels below the row of an engine. */
  const below = (view: string, engine: string): readonly string[] => {
    const { treeDataProvider: rows } = shown.get(`gantry.${view}`) ?? assert.fail('no view');
    const row = rows.getChildren().find((one) => one.engine === engine);
    return rows.getChildren(row).map((one) => rows.getTreeItem(one).label);
  };

  it('shows that the volumes and networks of one engine are loading', async () => {
    const [{ inventory } = assert.fail('no engine')] = lab.engines.all;
    const areLoading = async (): Promise<readonly unknown[]> => {
      await Promise.resolve();
      return ['volumes', 'networks'].map((view) => context.get(`gantry.${view}.isLoading`));
    };
    inventory.setPhase({ kind: 'live', info: INFO });
    assert.deepEqual(await areLoading(), [true, true]);
    inventory.volumes.replace([]);
    assert.deepEqual(await areLoading(), [false, true]);
    inventory.networks.replace([]);
    assert.deepEqual(await areLoading(), [false, false]);
  });

  it('shows that the volumes and networks of several engines are loading', () => {
    const { id, inventory } = addLive();
    assert.deepEqual(below('volumes', id), ['Loading volumes...']);
    assert.deepEqual(below('networks', id), ['Loading networks...']);
    inventory.volumes.replace([]);
    inventory.networks.replace([]);
    assert.deepEqual(below('volumes', id), ['No volumes']);
    assert.deepEqual(below('networks', id), ['No networks']);
  });

  it('does not claim that an engine has no containers while stopped ones are hidden', () => {
    Object.assign(editor.workspace, {
      getConfiguration: () => ({
        get: (name: string) => name === 'containers.hideStopped' || undefined,
      }),
    });
    const { id, inventory } = addLive();
    assert.deepEqual(below('containers', id), ['No containers']);
    inventory.replaceAll([container('a', { state: 'exited' })], [], Date.now());
    assert.deepEqual(below('containers', id), ['No running containers']);
  });

  it('connects containers that are dropped on a network of their engine', async () => {
    const [{ id: engine, inventory } = assert.fail('no engine')] = lab.engines.all;
    inventory.replaceAll([container('a')], [], Date.now(), { kind: 'live', info: INFO });
    inventory.networks.replace([network('n')]);
    const networks = shown.get('gantry.networks') ?? assert.fail('no view');
    const [row = assert.fail('no row')] = networks.treeDataProvider.getChildren();
    const drop = (from: string) => {
      const text = JSON.stringify({ engine: from, ids: [idOf('a'), idOf('b')] });
      const items = ['', text].map((one) => ({ asString: () => Promise.resolve(one) }));
      const transfer = items.map((item) => ['application/vnd.gantry.containers', item]);
      return networks.dragAndDropController.handleDrop(row, transfer);
    };
    await drop('another');
    assert.deepEqual(dropped, []);
    await drop(engine);
    const [target, ...rows] = dropped;
    assert.equal(target, row);
    assert.deepEqual(
      rows.map(({ id }) => id),
      [`${engine}/container/${idOf('a')}`],
    );
  });
});
