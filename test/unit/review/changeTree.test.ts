import assert from 'node:assert/strict';
import type { ChangeKind, FileChange } from '../../../src/engine/containers/listChanges.ts';
import { changeTree, type ChangeList, isIgnoredPath } from '../../../src/review/changeTree.ts';

const KINDS: Readonly<Record<string, ChangeKind>> = { A: 'added', C: 'changed', D: 'deleted' };

/** Parses changes written as `A /etc/x`, one per argument. */
function changes(...lines: readonly string[]): FileChange[] {
  return lines.map((line) => ({ kind: KINDS[line[0] ?? '']!, path: line.slice(2) }));
}

/** Returns all rows fully expanded: `etc/ [2]`, `  A hosts`. */
function drawn(list: ChangeList, folder = '', indent = ''): string[] {
  return list
    .childrenOf(folder)
    .entries.flatMap(({ name, path, kind, size }) => [
      `${indent}${kind === undefined ? '' : `${kind[0]?.toUpperCase() ?? ''} `}${name}${size > 0 ? `/ [${size}]` : ''}`,
      ...(size > 0 ? drawn(list, path, `${indent}  `) : []),
    ]);
}

describe('review/changeTree', () => {
  it('builds a tree of the changes, folders first, regardless of the input order', () => {
    const tree = changeTree(
      changes('A /etc/new', 'C /etc', 'D /old', 'A /etc-x', 'C /etc/app/conf', 'C /etc/app'),
    );
    assert.deepEqual(drawn(tree.main), [
      'etc/ [2]',
      '  app/ [1]',
      '    C conf',
      '  A new',
      'A etc-x',
      'D old',
    ]);
    assert.deepEqual(tree.counts, { added: 2, changed: 1, deleted: 1 });
  });

  it('does not count a folder with changes below it, but counts one without', () => {
    const tree = changeTree(changes('A /made', 'A /made/one', 'A /empty', 'C /touched'));
    assert.deepEqual(tree.counts, { added: 2, changed: 1, deleted: 0 });
    assert.deepEqual(drawn(tree.main), ['A made/ [1]', '  A one', 'A empty', 'C touched']);
  });

  it('joins a folder that contains only one folder with it into one row', () => {
    const tree = changeTree(changes('A /var/lib/app/a', 'A /var/lib/app/b', 'A /usr/x/y'));
    assert.deepEqual(drawn(tree.main), [
      'usr/x/ [1]',
      '  A y',
      'var/lib/app/ [2]',
      '  A a',
      '  A b',
    ]);
  });

  it('is not confused by names with characters that sort before or after the slash', () => {
    const tree = changeTree(changes('A /a.b', 'A /a/x', 'A /a-', 'A /a/x.y/z', 'A /a\x01'));
    assert.deepEqual(drawn(tree.main), [
      'a/ [2]',
      '  x.y/ [1]',
      '    A z',
      '  A x',
      'A a\x01',
      'A a-',
      'A a.b',
    ]);
  });

  it('puts ignored paths in a tree of their own', () => {
    const tree = changeTree(changes('A /run/pid', 'C /etc/hosts', 'C /etc/app', 'C /etc'));
    assert.deepEqual(drawn(tree.main), ['etc/ [1]', '  C app']);
    assert.deepEqual(drawn(tree.ignored), ['etc/ [1]', '  C hosts', 'run/ [1]', '  A pid']);
    assert.deepEqual(tree.counts, { added: 1, changed: 2, deleted: 0 });
  });

  it('returns a large folder in pages, without gaps or duplicates', () => {
    const names = Array.from({ length: 2500 }, (_, index) => `/big/f${index}`);
    const { main } = changeTree(names.map((path) => ({ path, kind: 'added' })));
    const seen: string[] = [];
    let from: number | undefined;
    do {
      const { entries, rest } = main.childrenOf('/big', from);
      assert.ok(entries.length <= 1000);
      seen.push(...entries.map(({ path }) => path));
      from = rest?.from;
    } while (from !== undefined);
    assert.deepEqual(seen.sort(), names.sort());
  });

  it('creates the rows of 100,000 changes only on demand', () => {
    const all = Array.from({ length: 100_000 }, (_, index) => ({
      path: `/srv/d${index % 300}/f${index}`,
      kind: 'added' as const,
    }));
    const { main, counts } = changeTree(all);
    assert.equal(counts.added, 100_000);
    const [srv] = main.childrenOf('').entries;
    assert.equal(srv?.size, 100_000);
    assert.equal(main.childrenOf('/srv').entries.length, 300);
    assert.equal(main.childrenOf('/srv/d7').entries.length, 334);
  });

  it('counts a path that is listed twice once', () => {
    assert.deepEqual(changeTree(changes('A /x', 'A /x')).counts, {
      added: 1,
      changed: 0,
      deleted: 0,
    });
  });
});

describe('review/changeTree: isIgnoredPath', () => {
  for (const path of [
    '/run',
    '/run/x',
    '/tmp/a/b',
    '/etc/mtab',
    '/root/.bash_history',
    '/a/__pycache__/x.pyc',
  ]) {
    it(`ignores ${path}`, () => assert.ok(isIgnoredPath(path)));
  }
  for (const path of [
    '/runner',
    '/etc/hosts.allow',
    '/srv/tmp/x',
    '/home/me/history',
    '/etc/passwd',
  ]) {
    it(`does not ignore ${path}`, () => assert.ok(!isIgnoredPath(path)));
  }
});
