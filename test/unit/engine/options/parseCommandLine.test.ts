import assert from 'node:assert/strict';

import {
  formatCommandLine,
  parseCommandLine,
} from '../../../../src/engine/options/parseCommandLine.ts';

function words(text: string): unknown {
  return parseCommandLine(text);
}

describe('engine/parseCommandLine', () => {
  const good: [text: string, words: string[]][] = [
    ['', []],
    ['  \t ', []],
    ['ls -l /tmp', ['ls', '-l', '/tmp']],
    ['  a   b\n', ['a', 'b']],
    [`sh -c 'echo "hi" && exit 3'`, ['sh', '-c', 'echo "hi" && exit 3']],
    ['sh -c "echo \\"hi\\" \\\\ \\n"', ['sh', '-c', 'echo "hi" \\ \\n']],
    [`a'b'"c"d`, ['abcd']],
    [`''`, ['']],
    [`a "" b`, ['a', '', 'b']],
    ['a\\ b', ['a b']],
    [`'a\\'`, ['a\\']],
    ['echo $HOME | wc *', ['echo', '$HOME', '|', 'wc', '*']],
    ['--x=日本 é', ['--x=日本', 'é']],
  ];
  for (const [text, expected] of good) {
    it(`splits ${JSON.stringify(text)}`, () => assert.deepEqual(words(text), expected));
  }

  it('reports an unclosed quotation mark, and a backslash at the end', () => {
    const problem = (text: string, message: string): void => {
      assert.throws(() => words(text), { name: 'InputError', message });
    };
    problem(`echo "a`, 'Missing closing quotation mark: "');
    problem(`it's`, "Missing closing quotation mark: '");
    problem(`"a\\"`, 'Missing closing quotation mark: "');
    problem('a\\', 'The backslash at the end escapes nothing.');
  });

  it('formats words so that they parse to the same words', () => {
    const lists = [
      ['ls', '-l'],
      [''],
      ['a b', "it's", '"', '\\', '\\n', '$X', '*', '日本', 'a\nb', "''", '--k=v'],
    ];
    for (const list of lists) assert.deepEqual(words(formatCommandLine(list)), list);
  });

  it('quotes only the words that need it', () => {
    assert.equal(formatCommandLine(['sh', '-c', 'echo hi']), `sh -c 'echo hi'`);
  });
});
