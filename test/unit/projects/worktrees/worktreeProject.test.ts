import assert from 'node:assert/strict';
import type { Worktree } from '../../../../src/projects/worktrees/findWorktree.ts';
import {
  existingName,
  hashAtEnd,
  worktreeProject,
} from '../../../../src/projects/worktrees/worktreeProject.ts';

const WORKTREE: Worktree = {
  root: '/work/feature',
  common: '/work/shop/.git',
  gitFolder: '/work/shop/.git/worktrees/feature',
  isLinked: true,
  mainRoot: '/work/shop',
  below: '',
  branch: 'main',
};

const nameOf = (branch: string | undefined, written?: string, more: Partial<Worktree> = {}) => {
  const { branch: _, ...detached } = WORKTREE;
  return worktreeProject(
    { ...detached, ...(branch !== undefined && { branch }), ...more },
    written,
  );
};
const withoutHash = ({ project }: { readonly project: string }): string => project.slice(0, -9);

describe('worktreeProject', () => {
  it('has the project, the branch, and a hash', () => {
    const { project, suffix, base } = nameOf('feature/Login_2');
    assert.match(project, /^shop-feature-login-2-[0-9a-f]{8}$/);
    assert.deepEqual([`shop-${suffix}`, base], [project, 'shop']);
    assert.equal(withoutHash(nameOf('main', 'Café & Bar')), 'cafbar-main');
    assert.equal(withoutHash(nameOf(undefined)), 'shop-feature');
    assert.equal(withoutHash(nameOf(undefined, undefined, { root: 'C:\\work\\Two' })), 'shop-two');
  });

  it('is a name that Compose and engines accept, whatever the branch and the project are', () => {
    const odd = [
      'x'.repeat(200),
      'a/'.repeat(100),
      '😀',
      '-',
      '--',
      '../..',
      'a\n$(b)',
      '__',
      'İ',
      '',
    ];
    for (const branch of odd) {
      for (const written of [
        undefined,
        '😀',
        '_',
        `${'y'.repeat(28)}__z`,
        'a__',
        'z'.repeat(200),
      ]) {
        const { project, suffix, base } = nameOf(branch, written);
        // An image that is built, and a container, get it with more parts.
        assert.match(
          project,
          /^[a-z0-9](?:[a-z0-9]|-+(?!_)|__?(?![_-]))*$/,
          `${branch} ${written}`,
        );
        assert.ok(project.length <= 65, project);
        assert.ok(project.endsWith(suffix) && base !== '');
      }
    }
  });

  it('is apart from those of other worktrees, folders, and projects', () => {
    const all = [
      nameOf('a/b'),
      nameOf('a-b', undefined, { gitFolder: '/work/shop/.git/worktrees/other' }),
      nameOf('a-b', undefined, { below: 'api' }),
      nameOf('a-b', 'api'),
      nameOf('a-b', undefined, { isLinked: false }),
      nameOf('a-b', undefined, { isLinked: false, root: '/elsewhere' }),
    ].map(({ project }) => hashAtEnd(project));
    assert.equal(new Set(all).size, all.length);
  });

  it('has the same hash on another branch, and in another place', () => {
    const [first, second] = [nameOf('a'), nameOf('b', undefined, { root: '/elsewhere' })];
    assert.notEqual(first.project, second.project);
    assert.equal(hashAtEnd(first.project), hashAtEnd(second.project));
    const kept = existingName(second, first.project);
    assert.deepEqual(kept, first);
  });

  it('has the end of its own for a name that it would not give', () => {
    const name = nameOf('a');
    const { suffix } = name;
    assert.deepEqual(existingName(name, 'other-12345678'), {
      project: 'other-12345678',
      suffix,
      base: 'shop',
    });
  });
});
