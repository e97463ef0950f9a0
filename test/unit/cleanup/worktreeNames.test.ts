import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { worktreeNames } from '../../../src/cleanup/worktreeNames.ts';
import { findWorktree } from '../../../src/projects/worktrees/findWorktree.ts';
import type { WorktreeRecord } from '../../../src/projects/worktrees/worktreeOverrides.ts';
import { GitFolders, needGit } from '../support/gitFolders.ts';

describe('cleanup/worktreeNames', () => {
  before(needGit);
  let folders: GitFolders;
  beforeEach(() => {
    folders = new GitFolders();
  });
  afterEach(() => folders.dispose());

  const record = async (project: string, folder: string): Promise<WorktreeRecord> => {
    const found = await findWorktree(folder);
    assert(found);
    const { root, gitFolder } = found;
    return { project, folder: root, gitFolder, base: project, ports: [] };
  };

  it('are the branch and the folder, with the path only if that is not enough, and say what is gone', async () => {
    const shop = folders.repository('shop');
    const other = folders.repository('other/shop');
    const login = folders.worktree('shop', 'login', 'feature/login');
    const cart = folders.worktree('shop', 'cart', 'cart');
    const records = [
      await record('shop', shop),
      await record('shop-2', other),
      await record('login', login),
      await record('login-api', login),
      await record('cart', cart),
    ];
    folders.git('login', 'checkout', '-q', '--detach');
    rmSync(cart, { recursive: true });
    const found = await worktreeNames({ all: () => Promise.resolve(records) });
    assert.deepEqual(Object.fromEntries(found), {
      shop: `main · shop · ${shop}`,
      'shop-2': `main · shop · ${other}`,
      login: 'login',
      'login-api': 'login',
      cart: 'cart · cart · worktree gone',
    });
  });
});
