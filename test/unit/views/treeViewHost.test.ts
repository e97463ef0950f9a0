import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { Container, Image } from '../../../src/engine/model.ts';
import { Emitter } from '../../../src/base/lifetime.ts';
import { ContainerRows } from '../../../src/views/containers/containerRows.ts';
import { EngineRows } from '../../../src/views/engines/engineRows.ts';
import { Folds } from '../../../src/views/folds.ts';
import { DEFAULT_ARRANGEMENT } from '../../../src/views/images/imageArrangement.ts';
import { ImageRows } from '../../../src/views/images/imageRows.ts';
import type { RenderContext } from '../../../src/views/rowPresentation.ts';
import type { Rows } from '../../../src/views/rows.ts';
import { wallClock } from '../../../src/base/time.ts';
import type { TreeNode } from '../../../src/views/treeNode.ts';
import type * as viewHost from '../../../src/views/treeViewHost.ts';
import type { KnownEngine } from '../../../src/inventory/knownEngine.ts';
import { container, idOf, image } from '../inventory/support/nouns.ts';
import { fakeMemento } from '../support/commandLab.ts';
import { openEngineLab, type EngineLab } from '../support/engineLab.ts';
import { turn } from '../support/fakeClock.ts';
import * as editor from '../support/fakeVscode.ts';
import { inProject } from './support/stage.ts';

const INFO = { product: 'docker', engineApi: '1.41', api: '1.41' } as const;
const LIVE = { kind: 'live', info: INFO } as const;
const NONE = editor.TreeItemCollapsibleState.None;
const FOLDED = editor.TreeItemCollapsibleState.Collapsed;
const UNFOLDED = editor.TreeItemCollapsibleState.Expanded;

/** A tree view of VS Code that the test controls. Counts what is set, even to the same value. */
class FakeView {
  readonly visibility = new Emitter<{ visible: boolean }>();
  readonly selecting = new Emitter<void>();
  readonly collapsing = new Emitter<{ element: TreeNode }>();
  readonly expanding = new Emitter<{ element: TreeNode }>();
  onDidChangeVisibility = this.visibility.event;
  onDidChangeSelection = this.selecting.event;
  onDidCollapseElement = this.collapsing.event;
  onDidExpandElement = this.expanding.event;
  visible = false;
  selection: readonly TreeNode[] = [];
  badge: { readonly value: number } | undefined;
  description: string | undefined;
  readonly messages: string[] = [];
  readonly revealed: TreeNode[] = [];

  get message(): string {
    return this.messages.at(-1) ?? '';
  }

  set message(text: string) {
    this.messages.push(text);
  }

  reveal(node: TreeNode, options: object): Promise<void> {
    assert.deepEqual(options, { select: true, focus: false });
    this.revealed.push(node);
    return Promise.reject(new Error('the row was removed'));
  }

  show(visible = true): void {
    this.visible = visible;
    this.visibility.fire({ visible });
  }

  dispose(): void {
    this.visibility.dispose();
  }
}

describe('TreeViewHost', () => {
  const { createTreeView } = editor.window;
  let Host: typeof viewHost.TreeViewHost;
  let lab: EngineLab;
  let view: FakeView;
  let rows: EngineRows<Rows>;
  let host: viewHost.TreeViewHost;
  /** The refreshes that VS Code was asked for: the IDs of rows, or undefined for all. */
  let refreshed: (readonly string[] | undefined)[];

  before(async () => {
    ({ TreeViewHost: Host } = await import('../../../src/views/treeViewHost.ts'));
  });

  const contextOf = ({ inventory, activity }: KnownEngine): RenderContext => {
    return { inventory, activity, now: () => wallClock.now() };
  };
  const containerRows = (engine: KnownEngine, top?: TreeNode): Rows =>
    new ContainerRows(engine.id, contextOf(engine), top);
  const imageRows = (engine: KnownEngine, top?: TreeNode): Rows =>
    new ImageRows(engine.id, contextOf(engine), top, DEFAULT_ARRANGEMENT);

  function open(
    make = containerRows,
    more: Pick<viewHost.TreeViewHostOptions, 'onExpand' | 'isFiltered'> = {},
  ): void {
    const { engines } = lab;
    const texts = { isPreferred: () => false, whenEmpty: () => '' };
    rows = new EngineRows({ engines, contextOf, make, ...texts });
    const folds = new Folds(fakeMemento());
    const options = { rows, engines, folds, showCollapseAll: true, ...more };
    host = new Host('gantry.containers', options);
    host.onDidChangeTreeData((nodes) => refreshed.push(nodes?.map(({ id }) => id)));
  }

  beforeEach(async () => {
    view = new FakeView();
    refreshed = [];
    Object.assign(editor.window, { createTreeView: () => view });
    lab = await openEngineLab();
  });
  afterEach(() => {
    mock.timers.reset();
    mock.restoreAll();
    host.dispose();
    rows.dispose();
    lab.close();
    Object.assign(editor.window, { createTreeView });
  });

  const inventory = () => lab.engines.all[0]?.inventory ?? assert.fail('no engine');
  const list = (containers: readonly Container[], images: readonly Image[] = []): void => {
    inventory().replaceAll(containers, images, Date.now(), LIVE);
  };
  const children = async (node?: TreeNode): Promise<readonly string[]> =>
    ((await host.getChildren(node)) ?? []).map((one) => one.present(rows.contextOf(one)).label);
  const stateOf = (node: TreeNode) => host.getTreeItem(node).collapsibleState;
  const only = (id: string): TreeNode => rows.find(id) ?? assert.fail('no row');

  it('shows the rows that are known immediately, and those below them', async () => {
    open();
    list([container('a', { labels: inProject('shop') }), container('b')]);
    assert(Array.isArray(host.getChildren()));
    assert.deepEqual(await children(), ['shop', 'b']);
    const [project] = rows.roots;
    assert.deepEqual(await children(project), ['a']);
    const child = project?.children?.[0];
    assert.equal(child && host.getParent(child), project);
    assert.deepEqual(await children(child), []);
  });

  it('repaints the rows that have changed because a row was expanded', async () => {
    open(containerRows, { onExpand: ({ children = [] }) => Promise.resolve(children) });
    list([container('a', { labels: inProject('shop') })]);
    refreshed.length = 0;
    mock.timers.enable({ apis: ['setTimeout'] });
    await children(rows.roots[0]);
    await Promise.resolve();
    mock.timers.tick(1000);
    assert.deepEqual(refreshed, [rows.roots[0]?.children?.map(({ id }) => id)]);
  });

  it('waits for the first list instead of showing an empty view, and then shows it only once', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    open();
    inventory().setPhase({ kind: 'connecting' });
    const asked = children();
    list([container('a')]);
    assert.deepEqual(await asked, ['a']);
    assert.deepEqual(refreshed, []);
    list([container('a'), container('b')]);
    mock.timers.tick(1000);
    assert.deepEqual(refreshed, [undefined]);
  });

  it('shows that it is connecting if the first list takes longer than a second', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    open();
    inventory().setPhase({ kind: 'connecting' });
    let isShown = false;
    const asked = children().then(() => (isShown = true));
    mock.timers.tick(999);
    await turn();
    assert.equal(isShown, false);
    mock.timers.tick(1);
    await asked;
  });

  it('shows several engines at once, whatever their state, and none', async () => {
    lab.write({ one: 'unix:///nonexistent/1', two: 'unix:///nonexistent/2' });
    for (const { inventory } of lab.engines.all) inventory.setPhase({ kind: 'connecting' });
    open();
    assert(Array.isArray(host.getChildren()));
    assert.equal((await children()).length, lab.engines.all.length);
  });

  it('refreshes only the row that has changed', () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    open();
    list([container('a'), container('b')]);
    mock.timers.tick(1000);
    refreshed.length = 0;
    inventory().replaceContainers([idOf('a')], [container('a', { state: 'paused' })], Date.now());
    mock.timers.tick(1000);
    assert.deepEqual(refreshed, [[only(idOf('a')).id]]);
  });

  it('refreshes no row that VS Code has read since it refreshes all rows', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    open();
    list([container('a'), container('b')]);
    list([container('a', { state: 'paused' }), container('b')]);
    assert.deepEqual(await children(), ['a', 'b']);
    mock.timers.tick(1000);
    assert.deepEqual(refreshed, [undefined]);
    list([container('a'), container('b')]);
    mock.timers.tick(1000);
    assert.deepEqual(refreshed, [undefined, [`default/container/${idOf('a')}`]]);
  });

  it('repaints the age of a row while the view is visible', () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    let now = Date.now();
    mock.method(wallClock, 'now', () => now);
    const pass = (milliseconds: number): void => {
      now += milliseconds;
      mock.timers.tick(milliseconds);
    };
    open();
    list([container('a'), container('b')]);
    const old = only(idOf('a'));
    const young = only(idOf('b'));
    const paint = (): void => void [old, young].map((row) => host.getTreeItem(row));
    paint();
    refreshed.length = 0;
    pass(600_000);
    assert.deepEqual(refreshed, []);
    view.show();
    pass(1000);
    assert.deepEqual(refreshed, [[old.id, young.id]]);
    paint();
    list([container('a')]);
    pass(1000);
    refreshed.length = 0;
    pass(120_000);
    assert.deepEqual(refreshed, [[old.id]]);
    view.show(false);
    paint();
    pass(600_000);
    assert.equal(refreshed.length, 1);
  });

  it('keeps projects collapsed and expanded as the user left them', () => {
    open();
    list([container('a', { labels: inProject('shop') })]);
    const [project] = rows.roots;
    assert(project);
    assert.equal(stateOf(only(idOf('a'))), NONE);
    assert.equal(stateOf(project), UNFOLDED);
    const seen: boolean[] = [];
    host.onDidFold(() => seen.push(host.isOpen(project)));
    view.collapsing.fire({ element: project });
    assert.equal(stateOf(project), FOLDED);
    view.expanding.fire({ element: project });
    assert.equal(stateOf(project), UNFOLDED);
    assert.deepEqual(seen, [false, true]);
  });

  it('opens a collapsed project while a filter is on, and collapses it again', () => {
    let isFiltered = false;
    open(containerRows, { isFiltered: () => isFiltered });
    list([container('a', { labels: inProject('shop') })]);
    const [project] = rows.roots;
    assert(project);
    view.collapsing.fire({ element: project });
    const { id } = host.getTreeItem(project);
    isFiltered = true;
    assert.equal(stateOf(project), UNFOLDED);
    assert.notEqual(host.getTreeItem(project).id, id);
    view.expanding.fire({ element: project });
    isFiltered = false;
    assert.equal(stateOf(project), FOLDED);
    assert.equal(host.getTreeItem(project).id, id);
  });

  it('creates the tooltip of a row when the pointer is on it', () => {
    open();
    list([container('a')]);
    const item = host.getTreeItem(only(idOf('a')));
    assert.equal(item.tooltip, undefined);
    assert.equal(host.resolveTreeItem(item, only(idOf('a'))), item);
    const { value } = item.tooltip as unknown as editor.MarkdownString;
    assert.match(value, /sleep 9/);
  });

  it('ignores the selection of a hidden view', () => {
    open();
    list([container('a')]);
    const row = only(idOf('a'));
    view.selection = [row];
    assert.deepEqual(host.selection, []);
    view.show();
    assert.deepEqual(host.selection, [row]);
  });

  it('is used when the user opens it or selects a row', () => {
    open();
    let uses = 0;
    host.onDidUse(() => (uses += 1));
    view.show(false);
    assert.equal(uses, 0);
    view.show();
    assert.equal(uses, 1);
    view.selecting.fire();
    assert.equal(uses, 2);
  });

  it('sets a message or description only if it differs, because that delays the rows', () => {
    open();
    host.setMessage('');
    host.setMessage('Loading images...');
    host.setMessage('Loading images...');
    host.setMessage('');
    assert.deepEqual(view.messages, ['Loading images...', '']);
    host.setDescription('');
    assert.equal(view.description, undefined);
    host.setDescription('3');
    assert.equal(view.description, '3');
  });

  it('has a badge for a number other than 0', () => {
    open();
    host.setBadge(2, '2 unhealthy');
    assert.deepEqual(view.badge, { value: 2, tooltip: '2 unhealthy' });
    const { badge } = view;
    host.setBadge(2, '2 unhealthy');
    assert.equal(view.badge, badge);
    host.setBadge(0, '');
    assert.equal(view.badge, undefined);
  });

  describe('that reveals a row', () => {
    const reveal = async (id: string, reference?: string): Promise<void> => {
      host.reveal(lab.engines.all[0]?.id ?? '', id, reference);
      await turn();
    };

    it('selects it as soon as it exists, after VS Code was notified', async () => {
      open();
      list([]);
      view.show();
      await reveal(idOf('a'));
      assert.deepEqual(view.revealed, []);
      refreshed.length = 0;
      list([container('a')]);
      await turn();
      assert.deepEqual(view.revealed, [only(idOf('a'))]);
      assert.deepEqual(refreshed, [undefined]);
    });

    it('selects it when the user opens the view, and only once', async () => {
      open();
      list([container('a')]);
      await reveal(idOf('a'));
      assert.deepEqual(view.revealed, []);
      view.show();
      view.show();
      await turn();
      assert.deepEqual(view.revealed, [only(idOf('a'))]);
    });

    it('waits for the user to open the view if nothing is listed before', async () => {
      mock.timers.enable({ apis: ['setTimeout'] });
      open();
      await reveal(idOf('a'));
      mock.timers.tick(60_000);
      view.show();
      list([container('a')]);
      await turn();
      assert.deepEqual(view.revealed, [only(idOf('a'))]);
    });

    it('selects only the last of several', async () => {
      open();
      list([container('a'), container('b')]);
      await reveal(idOf('a'));
      await reveal(idOf('x'));
      view.show();
      await turn();
      assert.deepEqual(view.revealed, []);
      await reveal(idOf('b'));
      list([container('a'), container('b'), container('x')]);
      await turn();
      assert.deepEqual(view.revealed, [only(idOf('b'))]);
    });

    it('selects another row of an image if the one for the reference does not appear', async () => {
      mock.timers.enable({ apis: ['setTimeout'] });
      open(imageRows);
      const listed = image('a', { tags: ['app:1'] });
      list([], [listed]);
      view.show();
      await reveal(listed.id, 'app:2');
      assert.deepEqual(view.revealed, []);
      mock.timers.tick(10_000);
      await turn();
      assert.deepEqual(view.revealed, [only(listed.id)]);
    });

    it('does nothing after it was disposed', async () => {
      open();
      list([]);
      view.show();
      await reveal(idOf('a'));
      host.dispose();
      list([container('a')]);
      await turn();
      assert.deepEqual(view.revealed, []);
    });
  });
});
