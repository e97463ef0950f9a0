import assert from 'node:assert/strict';

import {
  describeCommandLineProblem,
  formatCommandLine,
  parseCommandLine,
} from '../../../../src/engine/options/parseCommandLine.ts';
import { english } from '../../../../src/l10n.ts';

function words(text: string): unknown {
  const result = parseCommandLine(text);
  return result.ok ? result.value : describeCommandLineProblem(result.problem, english);
}

describe('engine/commandLine', () => {
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
    it(`parts ${JSON.stringify(text)}`, () => {
      assert.deepEqual(words(text), expected);
    });
  }

  it('says which quotation mark is open, and that a backslash hangs', () => {
    assert.equal(words(`echo "a`), 'The quotation mark " is opened but not closed.');
    assert.equal(words(`it's`), "The quotation mark ' is opened but not closed.");
    assert.equal(words(`"a\\"`), 'The quotation mark " is opened but not closed.');
    assert.equal(words('a\\'), 'The backslash at the end has nothing to stand before.');
  });

  it('writes what it reads back the same', () => {
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
