import assert from 'node:assert/strict';
import { readIgnoreFile } from '../../../../../src/engine/builds/context/readIgnoreFile.ts';
import { PathPattern } from '../../../../../src/engine/builds/context/pathPattern.ts';

const matches = (pattern: string, path: string): boolean =>
  PathPattern.parse(pattern)?.matches(path) ?? assert.fail('the pattern is empty');

describe('a pattern of paths', () => {
  for (const [pattern, matching, others] of [
    ['a.b', ['a.b'], ['axb', 'a.b/c', 'x/a.b']],
    ['*.txt', ['a.txt', '.txt'], ['d/a.txt', 'a.txt.gz']],
    ['a?c', ['abc', 'a😀c'], ['a/c', 'ac', 'abbc']],
    ['**', ['a', 'a/b'], []],
    ['**/a', ['a', 'x/a', 'x/y/a'], ['xa', 'a/x']],
    ['**a', ['a', 'xa', 'x/a', 'x/ya'], ['ab']],
    ['a/**', ['a/b', 'a/b/c', 'a/'], ['a', 'ab/c']],
    ['a/**/b', ['a/b', 'a/x/b', 'a/x/y/b'], ['ab', 'a/xb']],
    ['**/*.go', ['main.go', 'x/y/main.go'], ['main.gox']],
    ['[a-c]x', ['ax', 'cx'], ['dx', 'x']],
    ['[^a-c]x', ['dx', '-x'], ['ax']],
    [String.raw`[\]]x`, [']x'], ['x']],
    [String.raw`\*`, ['*'], ['a']],
    ['./a//b/../c/', ['a/c'], ['a/b']],
    ['$(d).+{2}|', ['$(d).+{2}|'], []],
  ] as const)
    it(`${pattern} matches ${matching.join(' ')}`, () => {
      for (const path of matching) assert(matches(pattern, path), path);
      for (const path of others) assert(!matches(pattern, path), path);
    });

  it('is refused if it is not valid', () => {
    for (const pattern of ['!', '[', '[]', '[a', '[-a]', 'a\\', '[a-]', '[^]'])
      assert.throws(() => PathPattern.parse(pattern), SyntaxError, pattern);
    assert.equal(PathPattern.parse('  '), undefined);
  });

  it('does not take longer for a pattern that can match in very many ways', () => {
    const pattern = `${'**/*a'.repeat(200)}b`;
    assert(!matches(pattern, 'a/'.repeat(2000)));
  });
});

describe('an ignore file', () => {
  it('has a pattern in each line that is no comment', () => {
    const text = '\uFEFF# no\r\n /a/ \r\n\r\n  # b\n!  /c/../d\n!\n./e\n/';
    assert.deepEqual(readIgnoreFile(text), ['a', '# b', '!d', '!', 'e', '/']);
  });
});
