import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findWorktree } from '../../../../src/projects/worktrees/findWorktree.ts';
import {
  findWorktreeState,
  type WorktreeState,
} from '../../../../src/projects/worktrees/findWorktreeState.ts';
import { GitFolders, needGit } from '../../support/gitFolders.ts';

type Known = Parameters<typeof findWorktreeState>[0];

describe('the state of a worktree', () => {
  before(needGit);
  let folders: GitFolders;
  beforeEach(() => {
    folders = new GitFolders();
  });
  afterEach(() => folders.dispose());

  /** What was recorded of a worktree when its project was created. */
  const recorded = async (folder: string): Promise<Known> => {
    const found = await findWorktree(folder);
    assert(found);
    return { folder: found.root, gitFolder: found.gitFolder };
  };
  const stateOf = async (known: Known): Promise<Omit<WorktreeState, 'paths'>> => {
    const { paths: _, ...state } = await findWorktreeState(known);
    return state;
  };
  const login = async (): Promise<Known> => {
    folders.repository('shop');
    return recorded(folders.worktree('shop', 'login', 'feature/login'));
  };

  it('has the branch that is checked out now, as git writes it', async () => {
    const known = await login();
    const { folder } = known;
    assert.deepEqual(await stateOf(known), { folder, isGone: false, branch: 'feature/login' });
    for (const branch of ['Feature/LOGIN', 'a/b/c.d-e', 'shop-🛒', 'x'.repeat(200)]) {
      folders.git('login', 'checkout', '-q', '-b', branch);
      assert.equal((await stateOf(known)).branch, branch);
    }
    folders.git('login', 'checkout', '-q', '--detach');
    assert.deepEqual(await stateOf(known), { folder, isGone: false });
  });

  it('is also that of the repository itself, of a bare one, and of a submodule', async () => {
    const shop = folders.repository('shop');
    const main = await recorded(shop);
    assert.deepEqual(await stateOf(main), { folder: shop, isGone: false, branch: 'main' });

    folders.git('.', 'clone', '-q', '--bare', 'shop', 'bare.git');
    const bare = await recorded(folders.worktree('bare.git', 'of-bare', 'bare'));
    const { folder } = bare;
    assert.deepEqual(await stateOf(bare), { folder, isGone: false, branch: 'bare' });

    folders.repository('outer');
    folders.git('outer', 'submodule', '--quiet', 'add', shop, 'inner');
    const inner = await recorded(folders.at('outer/inner'));
    assert.deepEqual(await stateOf(inner), {
      folder: folders.at('outer/inner'),
      isGone: false,
      branch: 'main',
    });
    folders.git('outer', 'submodule', '--quiet', 'deinit', '-f', 'inner');
    assert.equal((await stateOf(inner)).isGone, true);
  });

  it('is where the worktree was moved', async () => {
    const known = await login();
    folders.git('shop', 'worktree', 'move', folders.at('login'), folders.at('other'));
    const folder = folders.at('other');
    assert.deepEqual(await stateOf(known), { folder, isGone: false, branch: 'feature/login' });
  });

  it('is gone after git has removed it, also the only one', async () => {
    const known = await login();
    folders.git('shop', 'worktree', 'remove', folders.at('login'));
    assert.deepEqual(await stateOf(known), { folder: known.folder, isGone: true });
  });

  it('is gone after its folder was deleted, or only the `.git` file', async () => {
    const known = await login();
    const { folder } = known;
    rmSync(join(folder, '.git'));
    assert.equal((await stateOf(known)).isGone, true);
    rmSync(folder, { recursive: true });
    assert.deepEqual(await stateOf(known), { folder, isGone: true, branch: 'feature/login' });
  });

  it('is gone in the folder of the repository, also if no other is there', async () => {
    folders.repository('shop');
    const known = await recorded(folders.worktree('shop', 'shop/.trees/login', 'login'));
    rmSync(folders.at('shop/.trees'), { recursive: true });
    assert.equal((await stateOf(known)).isGone, true);
  });

  it('is gone with the whole repository', async () => {
    const known = await login();
    const main = await recorded(folders.at('shop'));
    folders.write('blog/README.md', '');
    for (const name of ['login', 'shop']) rmSync(folders.at(name), { recursive: true });
    assert.equal((await stateOf(known)).isGone, true);
    assert.equal((await stateOf(main)).isGone, true);
  });

  it('is not gone with its disk', async () => {
    folders.repository('disk/shop');
    const main = await recorded(folders.at('disk/shop'));
    folders.repository('other');
    const known = await recorded(folders.worktree('other', 'mounted/login', 'login'));
    for (const name of ['disk', 'mounted']) {
      rmSync(folders.at(name), { recursive: true });
      const one = name === 'disk' ? main : known;
      assert.equal((await stateOf(one)).isGone, false, `${name} is not mounted`);
      mkdirSync(folders.at(name));
      assert.equal((await stateOf(one)).isGone, false, `nothing is mounted at ${name}`);
    }
  });

  it('is not gone while git has locked it', async () => {
    const known = await login();
    folders.git('shop', 'worktree', 'lock', folders.at('login'));
    renameSync(known.folder, folders.at('away'));
    assert.equal((await stateOf(known)).isGone, false);
    folders.git('shop', 'worktree', 'unlock', known.folder);
    assert.equal((await stateOf(known)).isGone, true);
  });

  it('is not gone if there is no answer', async function () {
    if (process.getuid?.() === 0 || process.platform === 'win32') this.skip();
    folders.repository('shop');
    const known = await recorded(folders.worktree('shop', 'trees/login', 'login'));
    rmSync(known.folder, { recursive: true });
    folders.write('trees/other', '');
    assert.equal((await stateOf(known)).isGone, true);
    chmodSync(folders.at('trees'), 0);
    assert.equal((await stateOf(known)).isGone, false);
    chmodSync(folders.at('trees'), 0o700);
  });

  it('is not looked for where a repository leads away', async () => {
    const known = await login();
    const { folder, gitFolder } = known;
    for (const line of ['//server/share/.git', '/etc/passwd', 'x'.repeat(20_000), '']) {
      writeFileSync(join(gitFolder, 'gitdir'), `${line}\n`);
      assert.equal((await stateOf(known)).folder, folder, line.slice(0, 20));
    }
  });
});
