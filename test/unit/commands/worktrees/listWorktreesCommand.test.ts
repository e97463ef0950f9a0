import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { listWorktreesCommand } from '../../../../src/commands/worktrees/listWorktreesCommand.ts';
import { offerDown } from '../../../../src/commands/worktrees/offerDown.ts';
import { downCommand } from '../../../../src/commands/projects/downCommand.ts';
import type { Container } from '../../../../src/engine/model.ts';
import type { Engines } from '../../../../src/engines/engines.ts';
import { findWorktree } from '../../../../src/projects/worktrees/findWorktree.ts';
import { KnownWorktrees } from '../../../../src/projects/worktrees/knownWorktrees.ts';
import { WorktreeOverrides } from '../../../../src/projects/worktrees/worktreeOverrides.ts';
import { container } from '../../inventory/support/nouns.ts';
import { openCommandLab, type CommandLab } from '../../support/commandLab.ts';
import { GitFolders, needGit } from '../../support/gitFolders.ts';
import { when } from '../../support/lab.ts';
import { ProjectEngine } from '../../support/projectEngine.ts';
import { ESCAPE } from '../../support/scriptedUi.ts';
import { inProject } from '../../views/support/stage.ts';

describe('the projects of worktrees', () => {
  before(needGit);
  let folders: GitFolders;
  let overrides: WorktreeOverrides;
  let lab: CommandLab;
  beforeEach(() => {
    folders = new GitFolders();
    overrides = new WorktreeOverrides(folders.at('storage'));
  });
  afterEach(async () => {
    await lab.close();
    overrides.dispose();
    folders.dispose();
  });

  const open = async (containers: readonly Container[]): Promise<void> => {
    const { answer } = new ProjectEngine(containers);
    const window = { worktrees: () => Promise.resolve(overrides) };
    lab = await openCommandLab(answer, { window });
    lab.list(containers);
  };
  /** A container of a project in a folder, created also from the file of this project. */
  const of = (letter: string, project: string, folder: string, separated = ''): Container =>
    container(letter, {
      labels: {
        ...inProject(project, 'web'),
        'com.docker.compose.project.working_dir': folder,
        'com.docker.compose.project.config_files': [
          `${folder}/compose.yaml`,
          ...(separated === '' ? [] : [overrides.pathOf(separated)]),
        ].join(),
      },
      state: letter === 'a' ? 'running' : 'exited',
    });
  const write = async (project: string, folder: string): Promise<void> => {
    const found = await findWorktree(folder);
    assert(found);
    const { root, gitFolder } = found;
    const record = { project, folder: root, gitFolder, base: 'shop', ports: [] };
    await overrides.write(record, 'services: {}');
  };
  const list = (): Promise<unknown> => lab.call(listWorktreesCommand(), {});

  it('are those with a file of their own, wherever they are', async () => {
    folders.repository('shop');
    const login = folders.worktree('shop', 'login', 'feature/login');
    const cart = folders.worktree('shop', 'cart', 'cart');
    await write('shop-login', login);
    await write('shop-cart', cart);
    await open([
      of('a', 'shop-login', login, 'shop-login'),
      of('b', 'shop-cart', cart, 'shop-cart'),
    ]);
    rmSync(cart, { recursive: true });
    assert.deepEqual(await list(), [
      { folder: cart, branch: 'cart', isGone: true, project: 'shop-cart', isUp: false },
      { folder: login, branch: 'feature/login', isGone: false, project: 'shop-login', isUp: true },
    ]);
  });

  it('are no others that name such a file', async () => {
    folders.repository('shop');
    const login = folders.worktree('shop', 'login', 'login');
    await write('shop-login', login);
    await open([
      of('a', 'blog', login, 'shop-login'),
      of('b', 'shop-cart', '/tmp/x\njavascript:alert(1)', 'shop-cart'),
      of('c', '../login', login, '../login'),
    ]);
    assert.deepEqual(await list(), []);
  });

  it('are also those in worktrees of the workspace, in the innermost one', async () => {
    const shop = folders.repository('shop');
    const inner = folders.worktree('shop', 'shop/.trees/cart', 'cart');
    const blog = folders.repository('blog');
    await open([
      of('a', 'shop', shop),
      of('b', 'cart', `${inner}/api`),
      of('c', 'blog', blog),
      of('d', 'odd', `${shop}/../blog`),
    ]);
    lab.ui.folders = [inner];
    const places = [
      { folder: inner, branch: 'cart', isGone: false, project: 'cart', isUp: false },
      { folder: shop, branch: 'main', isGone: false, project: 'shop', isUp: true },
    ];
    assert.deepEqual(await list(), places);
    lab.ui.trusted = false;
    assert.deepEqual(await list(), []);
  });

  it('can be taken down once they are gone, after the question of Down', async () => {
    const file = overrides.pathOf('shop-login');
    await open([of('a', 'shop-login', '/gone', 'shop-login'), of('b', 'blog', '/blog')]);
    lab.register([downCommand()]);
    const { ui, context } = lab;
    const known = new KnownWorktrees(file.replace(/\/[^/]+$/, ''), () => assert.fail('is opened'));
    const engines = { all: [context.unit] } as unknown as Engines;
    const handlerOf = (id: string) => Promise.resolve(lab.handlerOf(id));
    const offer = (project: string): void =>
      offerDown(project, { engines, knownWorktrees: known, ui, handlerOf });
    offer('blog');
    offer('shop-cart');
    assert.equal(ui.shown.length, 0);
    offer('shop-login');
    const [shown] = ui.of('info');
    assert.equal(shown?.text, 'The worktree of shop-login was removed.');
    ui.act(ESCAPE);
    shown.press?.('Take Down...');
    await when(() => ui.of('confirm').length === 1);
    assert.equal(ui.of('confirm')[0]?.text, 'Take down shop-login?');
    assert.deepEqual(
      lab.records.filter(({ method }) => method !== 'GET'),
      [],
    );
  });
});
