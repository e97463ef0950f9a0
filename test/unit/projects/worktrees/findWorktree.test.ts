import assert from 'node:assert/strict';
import { cpSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rootsOf } from '../../../../src/projects/worktrees/findCheckout.ts';
import { findWorktree, inOwnWorktree } from '../../../../src/projects/worktrees/findWorktree.ts';
import { worktreeProject } from '../../../../src/projects/worktrees/worktreeProject.ts';
import { Repositories } from './support/repository.ts';

describe('findWorktree', () => {
  let git: Repositories;
  let shop: string;
  let feature: string;

  beforeEach(() => {
    git = new Repositories();
    shop = git.create('shop', { 'compose.yaml': '', 'api/compose.yaml': '' });
    feature = git.addWorktree(shop, 'elsewhere/feature', 'Feature/Login');
  });
  afterEach(() => git.remove());

  const found = async (folder: string) => (await findWorktree(folder)) ?? assert.fail('none');
  const nameOf = async (folder: string) => worktreeProject(await found(folder), undefined).project;

  it('finds the repository itself, its worktrees, and folders in them', async () => {
    assert.deepEqual(await found(shop), {
      ...{ root: shop, common: join(shop, '.git'), gitFolder: join(shop, '.git') },
      ...{ isLinked: true, below: '', mainRoot: shop, branch: 'main' },
    });
    assert.deepEqual(await found(join(feature, 'api')), {
      ...{ root: feature, common: join(shop, '.git') },
      gitFolder: join(shop, '.git/worktrees/feature'),
      ...{ isLinked: true, below: 'api', mainRoot: shop, branch: 'Feature/Login' },
    });
    assert.equal(await findWorktree(git.root), undefined);
    assert.equal(await findWorktree(join(git.root, 'nothing')), undefined);
  });

  it('has no branch for a detached HEAD', async () => {
    git.git(feature, 'checkout', '--quiet', '--detach');
    assert.equal('branch' in (await found(feature)), false);
    assert.match(await nameOf(feature), /^shop-feature-[0-9a-f]{8}$/);
  });

  it('has any branch: of 200 characters, and with emoji', async () => {
    for (const branch of ['x'.repeat(200), 'fix/😀-é', 'a.b@c']) {
      git.git(feature, 'checkout', '--quiet', '-b', branch);
      assert.equal((await found(feature)).branch, branch);
    }
  });

  it('finds worktrees of a bare repository', async () => {
    git.git(git.root, 'clone', '--quiet', '--bare', shop, 'bare/shop.git');
    const bare = git.at('bare/shop.git');
    const one = git.addWorktree(bare, 'bare/one', 'one');
    const { mainRoot, common } = await found(one);
    assert.deepEqual([mainRoot, common], [git.at('bare/shop'), bare]);
    assert.deepEqual(await rootsOf(common), [one]);
    assert.match(await nameOf(one), /^shop-one-/);
  });

  it('finds a submodule, which is another one in each worktree', async () => {
    git.create('lib');
    for (const folder of [shop, feature]) {
      git.git(folder, 'submodule', 'add', '--quiet', git.at('lib'), 'lib');
      assert.equal((await found(join(folder, 'lib'))).root, join(folder, 'lib'));
    }
    const names = await Promise.all([shop, feature].map((one) => nameOf(join(one, 'lib'))));
    assert.notEqual(names[0], names[1]);
  });

  it('keeps the name of a worktree that is moved, and on another branch its hash', async () => {
    const before = await nameOf(feature);
    const moved = git.at('moved');
    git.git(shop, 'worktree', 'move', feature, moved);
    assert.equal(await nameOf(moved), before);
    git.git(moved, 'checkout', '--quiet', '-b', 'other');
    const after = await nameOf(moved);
    assert.deepEqual([after.slice(-8), after === before], [before.slice(-8), false]);
  });

  it('finds it by a link, and on another disk', async () => {
    const real = git.at('disk');
    renameSync(git.at('elsewhere'), real);
    symlinkSync(real, git.at('elsewhere'));
    git.git(join(real, 'feature'), 'worktree', 'repair');
    const direct = await found(join(real, 'feature'));
    assert.deepEqual(await found(feature), direct);
    assert.deepEqual([direct.root, direct.isLinked], [join(real, 'feature'), true]);
  });

  it('gives a folder that only says that it is a worktree a project of its own', async () => {
    const copy = git.at('copy');
    cpSync(feature, copy, { recursive: true });
    const folders = [copy];
    for (const [at, target] of [
      join(shop, '.git'),
      join(shop, '.git/worktrees/feature'),
    ].entries()) {
      mkdirSync(git.at(`evil${String(at)}`));
      writeFileSync(join(git.at(`evil${String(at)}`), '.git'), `gitdir: ${target}\n`);
      folders.push(git.at(`evil${String(at)}`));
    }
    const names = new Set<string>();
    for (const folder of [shop, feature, ...folders])
      names.add(worktreeProject(await found(folder), 'shop').project.slice(-8));
    assert.equal(names.size, 5);
  });

  it('looks at no server that a file of git names', async () => {
    mkdirSync(git.at('evil'));
    for (const path of ['//server/share', '\\\\server\\share']) {
      writeFileSync(git.at('evil/.git'), `gitdir: ${path}\n`);
      assert.equal(await findWorktree(git.at('evil')), undefined);
      writeFileSync(join(shop, '.git/worktrees/feature/gitdir'), `${path}/.git\n`);
      assert.deepEqual(await rootsOf(join(shop, '.git')), [shop]);
      writeFileSync(join(shop, '.git/worktrees/feature/commondir'), `${path}\n`);
      assert.equal(await findWorktree(feature), undefined);
    }
  });

  it('does not wait for what is no file', async () => {
    mkdirSync(git.at('odd'));
    git.git(git.root, 'init', '--quiet', 'odd/in');
    for (const text of [
      'gitdir: /dev/zero',
      'gitdir: /proc/self/fd',
      'gitdir:',
      'x'.repeat(20_000),
      '',
    ]) {
      writeFileSync(git.at('odd/.git'), text);
      const read = await findWorktree(git.at('odd'));
      assert.equal(read?.branch, undefined, text);
    }
  });
});

describe('inOwnWorktree', () => {
  let git: Repositories;
  let shop: string;

  beforeEach(() => {
    git = new Repositories();
    shop = git.create('shop', { 'api/compose.yaml': '' });
  });
  afterEach(() => git.remove());

  it('returns files of another worktree as those of the one that is open', async () => {
    const feature = git.addWorktree(shop, 'feature', 'feature');
    const files = ['api', 'api/compose.yaml'];
    const of = (root: string) => files.map((one) => join(root, one));
    assert.deepEqual(await inOwnWorktree(of(shop), [feature]), of(feature));
    assert.deepEqual(await inOwnWorktree(of(feature), [join(shop, 'api')]), of(shop));
    assert.deepEqual(await inOwnWorktree(of(feature), [git.root, feature]), of(feature));
  });

  it('knows a worktree that is in another one', async () => {
    const [one = '', two = ''] = ['one', 'two'].map((name) => {
      return git.addWorktree(shop, `shop/.worktrees/${name}`, name);
    });
    const file = (root: string) => [join(root, 'api/compose.yaml')];
    assert.deepEqual(await inOwnWorktree(file(one), [two]), file(two));
    assert.deepEqual(await inOwnWorktree(file(shop), [two]), file(two));
  });

  it('leaves what is elsewhere, and files of other repositories', async () => {
    const feature = git.addWorktree(shop, 'deep/down/feature', 'feature');
    const files = [join(shop, 'compose.yaml'), '/etc/common.env', join(shop, '../x/y')];
    assert.deepEqual(await inOwnWorktree(files, [feature]), [
      join(feature, 'compose.yaml'),
      ...files.slice(1),
    ]);
    const other = git.create('other');
    const elsewhere = [join(other, 'compose.yaml'), '//server/share/compose.yaml'];
    for (const file of elsewhere) assert.deepEqual(await inOwnWorktree([file], [feature]), [file]);
    assert.deepEqual(await inOwnWorktree([], [feature]), []);
  });
});
