import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Container } from '../../../../src/engine/model.ts';
import { Emitter } from '../../../../src/base/lifetime.ts';
import {
  recordTaskContainer,
  WorkspacePlaces,
  type WorkspaceOptions,
} from '../../../../src/projects/workspace/workspacePlaces.ts';
import { worktreesOf } from '../../../../src/projects/workspace/worktreesOf.ts';
import { container, idOf } from '../../inventory/support/nouns.ts';
import { fakeMemento } from '../../support/commandLab.ts';
import { settle } from '../../support/lab.ts';

const composed = (folder: string, files = ''): Container =>
  container('a', {
    labels: {
      'com.docker.compose.project.working_dir': folder,
      'com.docker.compose.project.config_files': files,
    },
  });
const mounted = (source: string): Container =>
  container('b', { mounts: [{ type: 'bind', source, path: '/srv', isReadOnly: false }] });

describe('what belongs to the workspace', () => {
  const changed = new Emitter<void>();
  let folders = ['/home/me/shop'];
  const open = (options: Partial<WorkspaceOptions> = {}): WorkspacePlaces =>
    new WorkspacePlaces({
      folders: () => folders,
      onDidChange: changed.event,
      worktreesOf: () => Promise.resolve([]),
      memory: fakeMemento(),
      platform: 'linux',
      storage: '/home/me/.config/storage',
      ...options,
    });

  beforeEach(() => {
    folders = ['/home/me/shop'];
  });

  it('is in a folder of it, or has its compose file or a mount there', () => {
    const places = open();
    assert.deepEqual(places.namesOf(composed('/home/me/shop'), true), ['shop']);
    assert.deepEqual(places.namesOf(composed('/home/me/shop/api'), false), ['shop']);
    assert.deepEqual(places.namesOf(composed('/home/me/shop2'), true), []);
    assert.deepEqual(places.namesOf(composed('/home/me/shop/../other'), true), []);
    assert.deepEqual(places.namesOf(composed('/x', '/home/me/shop/c.yaml'), true), ['shop']);
    assert.deepEqual(places.namesOf(mounted('/home/me/shop/src'), true), ['shop']);
  });

  it('is not mounted on another machine', () => {
    assert.deepEqual(open().namesOf(mounted('/home/me/shop/src'), false), []);
  });

  it('was created by one of its tasks', () => {
    const memory = fakeMemento();
    recordTaskContainer(memory, idOf('c'));
    assert.deepEqual(open({ memory }).namesOf(container('c'), true), ['shop']);
    assert.deepEqual(open({ memory }).namesOf(container('d'), true), []);
  });

  it('is in a worktree, which is looked for at the first need', async () => {
    const asked: (readonly string[])[] = [];
    const places = open({
      worktreesOf: (own) => {
        asked.push(own);
        return Promise.resolve(['/home/me/shop.worktrees/login']);
      },
    });
    let changes = 0;
    places.onDidChange(() => (changes += 1));
    assert.deepEqual(asked, []);
    const there = composed('/home/me/shop.worktrees/login');
    assert.deepEqual(places.namesOf(there, true), []);
    await settle();
    assert.deepEqual(places.namesOf(there, true), ['login']);
    assert.deepEqual([changes, asked.length], [1, 1]);
  });

  it('is the project of a worktree by its folder, and not by the file that we have of it', async () => {
    const files = (name: string): string =>
      `/home/me/shop/.trees/${name}/compose.yaml,/home/me/.config/storage/worktrees/shop-${name}.yaml`;
    const there = composed('/home/me/shop/.trees/login', files('login'));
    const places = open({ worktreesOf: () => Promise.resolve(['/home/me/shop/.trees/login']) });
    assert.deepEqual(places.namesOf(there, true), ['shop']);
    await settle();
    assert.deepEqual(places.namesOf(there, true), ['login']);
    // All of the user is open.
    folders = ['/home/me'];
    const others = composed('/srv/shop', '/home/me/.config/storage/worktrees/shop-x.yaml');
    assert.deepEqual(open().namesOf(others, true), []);
    assert.deepEqual(open().namesOf(composed('/home/me/x'), true), ['me']);
  });

  it('has as much of the path in its name as tells it from others', async () => {
    folders = ['/home/me/shop/api'];
    const found = ['/home/me/trees/login/api', '/home/me/trees/cart/api', '/home/me/web'];
    const places = open({ worktreesOf: () => Promise.resolve(found) });
    places.namesOf(composed('/x'), true);
    await settle();
    assert.deepEqual(
      [...folders, ...found].flatMap((one) => places.namesOf(composed(one), true)),
      ['shop/api', 'login/api', 'cart/api', 'web'],
    );
  });

  it('is another with other folders', async () => {
    const places = open();
    let changes = 0;
    places.onDidChange(() => (changes += 1));
    changed.fire();
    assert.equal(changes, 0);
    const there = composed('/home/me/blog');
    assert.deepEqual(places.namesOf(there, true), []);
    folders = ['/home/me/blog'];
    changed.fire();
    await settle();
    assert.deepEqual(places.namesOf(there, true), ['blog']);
    places.dispose();
  });

  it('is found as Docker Desktop and WSL write paths', () => {
    folders = ['C:\\Users\\Me\\Shop'];
    const windows = open({ platform: 'win32' });
    assert.deepEqual(windows.namesOf(composed('c:\\users\\me\\shop\\api'), true), ['Shop']);
    const desktop = mounted('/run/desktop/mnt/host/c/Users/Me/Shop/src');
    assert.deepEqual(windows.namesOf(desktop, true), ['Shop']);
    folders = ['/mnt/c/Users/Me/Shop'];
    assert.deepEqual(open().namesOf(composed('C:\\Users\\Me\\Shop'), true), ['Shop']);
    folders = ['/Users/me/shop'];
    const mac = open({ platform: 'darwin' });
    assert.deepEqual(mac.namesOf(mounted('/host_mnt/Users/me/Shop/src'), true), ['shop']);
  });

  it('is not everything, if the workspace is the root', () => {
    folders = ['/'];
    assert.deepEqual(open().namesOf(composed('/home'), true), []);
  });
});

describe('worktrees', () => {
  let root: string;
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'gantry-worktrees-')));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  /** Writes a repository with one worktree, as git does. */
  const repository = () => {
    const own = join(root, 'shop/.git/worktrees/login');
    mkdirSync(own, { recursive: true });
    mkdirSync(join(root, 'shop/api'));
    mkdirSync(join(root, 'login/api'), { recursive: true });
    writeFileSync(join(root, 'shop/.git/HEAD'), 'ref: refs/heads/main\n');
    writeFileSync(join(own, 'gitdir'), `${join(root, 'login/.git')}\n`);
    writeFileSync(join(own, 'commondir'), '../..\n');
    writeFileSync(join(root, 'login/.git'), `gitdir: ${own}\n`);
  };

  it('are found from the repository and from each other, below the root, too', async () => {
    repository();
    const [shop, login] = ['shop', 'login'].map((name) => join(root, name));
    assert.deepEqual(await worktreesOf([`${shop}`]), [login]);
    assert.deepEqual(await worktreesOf([`${login}`]), [shop]);
    assert.deepEqual(await worktreesOf([join(root, 'shop/api')]), [join(root, 'login/api')]);
  });

  it('are not without a repository, or with one of another shape', async () => {
    assert.deepEqual(await worktreesOf([root, join(root, 'gone')]), []);
    repository();
    writeFileSync(join(root, 'shop/.git/worktrees/login/gitdir'), 'x'.repeat(20_000));
    assert.deepEqual(await worktreesOf([join(root, 'shop')]), []);
    writeFileSync(join(root, 'shop/.git/worktrees/login/gitdir'), '/etc/passwd\n');
    assert.deepEqual(await worktreesOf([join(root, 'shop')]), []);
  });

  it('are not looked for on a network share', async () => {
    repository();
    const own = join(root, 'shop/.git/worktrees/login');
    writeFileSync(join(root, 'login/.git'), `gitdir: /${own}\n`);
    assert.deepEqual(await worktreesOf([join(root, 'login')]), []);
    writeFileSync(join(root, 'login/.git'), `gitdir: ${own}\n`);
    writeFileSync(join(own, 'commondir'), `/${join(root, 'shop/.git')}\n`);
    assert.deepEqual(await worktreesOf([join(root, 'login')]), []);
  });

  it('are also where a link leads', async () => {
    mkdirSync(join(root, 'real'));
    symlinkSync(join(root, 'real'), join(root, 'link'));
    assert.deepEqual(await worktreesOf([join(root, 'link')]), [join(root, 'real')]);
  });
});
