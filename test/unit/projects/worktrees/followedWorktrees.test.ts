import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { findWorktree } from '../../../../src/projects/worktrees/findWorktree.ts';
import type { WorktreeState } from '../../../../src/projects/worktrees/findWorktreeState.ts';
import { FollowedWorktrees } from '../../../../src/projects/worktrees/followedWorktrees.ts';
import { KnownWorktrees } from '../../../../src/projects/worktrees/knownWorktrees.ts';
import { WorktreeOverrides } from '../../../../src/projects/worktrees/worktreeOverrides.ts';
import type { Container } from '../../../../src/engine/model.ts';
import { container } from '../../inventory/support/nouns.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { GitFolders, needGit } from '../../support/gitFolders.ts';
import { settle, when } from '../../support/lab.ts';

/** A container of a project, created from these files. */
const of = (project: string, files: string): Container =>
  container('a', {
    labels: {
      'com.docker.compose.project': project,
      'com.docker.compose.config-hash': 'hash',
      'com.docker.compose.service': 'web',
      'com.docker.compose.project.config_files': files,
    },
  });

describe('the worktrees of projects', () => {
  before(needGit);
  let folders: GitFolders;
  let overrides: WorktreeOverrides;
  let followed: FollowedWorktrees;
  let clock: FakeClock;
  let states: Map<string, WorktreeState | undefined>;
  let changes: number;

  beforeEach(() => {
    folders = new GitFolders();
    overrides = new WorktreeOverrides(folders.at('storage'));
    clock = new FakeClock();
    states = new Map();
    changes = 0;
    followed = new FollowedWorktrees(
      overrides,
      (project, state) => {
        states.set(project, state);
        changes += 1;
      },
      clock,
    );
  });
  afterEach(() => {
    followed.dispose();
    overrides.dispose();
    folders.dispose();
  });

  const write = async (project: string, folder: string): Promise<void> => {
    const found = await findWorktree(folder);
    assert(found);
    const { root, gitFolder } = found;
    const record = { project, folder: root, gitFolder, base: 'shop', ports: [] };
    await overrides.write(record, 'services: {}');
  };
  /** Waits for a state, letting each pause before a reading pass. */
  const reaches = async (project: string, isThere: (state: WorktreeState) => boolean) => {
    await when(() => {
      const state = states.get(project);
      if (state && isThere(state)) return true;
      clock.pass(500);
      return false;
    });
  };
  const login = async (): Promise<void> => {
    folders.repository('shop');
    await write('shop-login', folders.worktree('shop', 'login', 'login'));
    followed.follow('shop-login');
    await reaches('shop-login', ({ branch }) => branch === 'login');
    // It watches by now, and has looked again since.
    await settle();
    clock.pass(500);
    await settle();
  };

  it('have another branch after a checkout', async () => {
    await login();
    folders.git('login', 'checkout', '-q', '-b', 'feature/other');
    await reaches('shop-login', ({ branch }) => branch === 'feature/other');
    assert.equal(changes, 2);
  });

  it('are somewhere else after a move, and are still followed', async () => {
    await login();
    folders.git('shop', 'worktree', 'move', folders.at('login'), folders.at('moved'));
    const moved = folders.at('moved');
    await reaches('shop-login', ({ folder, isGone }) => folder === moved && !isGone);
    folders.git('moved', 'checkout', '-q', '-b', 'other');
    await reaches('shop-login', ({ branch }) => branch === 'other');
  });

  it('are gone once they are deleted, and back after the next Up', async () => {
    await login();
    rmSync(folders.at('login'), { recursive: true });
    await reaches('shop-login', ({ isGone }) => isGone);
    folders.git('shop', 'worktree', 'prune');
    folders.git('shop', 'worktree', 'add', '-q', folders.at('login'), 'login');
    await write('shop-login', folders.at('login'));
    await reaches('shop-login', ({ isGone }) => !isGone);
    folders.git('login', 'checkout', '-q', '-b', 'again');
    await reaches('shop-login', ({ branch }) => branch === 'again');
  });

  it('are looked for again with the next container, after they were gone', async () => {
    await login();
    folders.git('shop', 'worktree', 'remove', folders.at('login'));
    await reaches('shop-login', ({ isGone }) => isGone);
    await settle();
    clock.pass(500);
    await settle();
    folders.git('shop', 'worktree', 'add', '-q', folders.at('login'), 'login');
    followed.follow('shop-login');
    await reaches('shop-login', ({ isGone }) => !isGone);
  });

  it('are gone once git has removed them', async () => {
    await login();
    folders.git('shop', 'worktree', 'remove', folders.at('login'));
    await reaches('shop-login', ({ isGone }) => isGone);
  });

  it('are nothing without a file, until another window has written it', async () => {
    folders.repository('shop');
    folders.write('storage/other.yaml', '');
    followed.follow('shop-login');
    await clock.asleep(500);
    clock.pass(500);
    await settle();
    assert.equal(states.get('shop-login'), undefined);
    const other = new WorktreeOverrides(folders.at('storage'));
    const mine = overrides;
    overrides = other;
    await write('shop-login', folders.worktree('shop', 'login', 'login'));
    await reaches('shop-login', ({ branch }) => branch === 'login');
    mine.dispose();
  });

  it('are followed for those projects that were seen last', async () => {
    await login();
    for (let at = 0; at < 99; at++) followed.follow(`other-${at}`);
    assert.notEqual(states.get('shop-login'), undefined);
    followed.follow('other-99');
    assert.equal(states.get('shop-login'), undefined);
  });
});

describe('what labels say of worktrees', () => {
  const opened = { count: 0 };
  let asked: string[];
  let known: KnownWorktrees<string>;
  beforeEach(() => {
    asked = [];
    opened.count = 0;
    known = new KnownWorktrees('/storage/worktrees', (report) => {
      opened.count += 1;
      const follow = (project: string): void => {
        asked.push(project);
        report(project, `of ${project}`);
      };
      return Promise.resolve({ follow });
    });
  });
  afterEach(() => known.dispose());

  it('is taken from the file of the same project alone', async () => {
    const own = of('shop-login', '/home/me/login/compose.yaml,/storage/worktrees/shop-login.yaml');
    const strangers = [
      of('blog', '/storage/worktrees/shop-login.yaml'),
      of('shop-login', '/home/me/login/compose.yaml'),
      of('shop-login', '/evil/storage/worktrees/shop-login.yaml'),
      of('shop-login', '/storage/worktrees/shop-login.yaml.bak'),
      of('shop-login', '/storage/worktrees/shop-login.yaml\n'),
      of('../shop-login', '/storage/worktrees/../shop-login.yaml'),
      of('x', 'javascript:alert(1)'),
    ];
    for (const one of strangers) known.follow(one);
    await settle();
    assert.deepEqual([opened.count, asked], [0, []]);
    known.follow(own);
    await settle();
    assert.deepEqual([opened.count, asked], [1, ['shop-login']]);
    assert.equal(known.of(own), 'of shop-login');
    assert.deepEqual(
      strangers.map((one) => known.of(one)),
      strangers.map(() => undefined),
    );
  });
});
