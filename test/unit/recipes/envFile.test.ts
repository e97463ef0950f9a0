import assert from 'node:assert/strict';
import { envFileNames, formatEnvLine } from '../../../src/recipes/envFile.ts';

describe('the file .env', () => {
  // What Compose reads in these lines is proven in test/engine/composeService.test.ts.
  for (const [value, line] of [
    ['', 'A='],
    ['abc-1.2/3', 'A=abc-1.2/3'],
    ['a b', "A='a b'"],
    ['pa$$word #1', "A='pa$$word #1'"],
    ['"a"', `A='"a"'`],
    [`it's $5 "a"`, String.raw`A="it's \$5 \"a\""`],
    ['a\\', String.raw`A="a\\"`],
    ['a\nb\r\n\tc', String.raw`A="a\nb\r\n\tc"`],
    ['\u00017\u001b\u007f', String.raw`A="\00017\0033\0177"`],
    ['\u0085', 'A="\u0085"'],
  ] as const) {
    it(`has ${JSON.stringify(value)} as ${line}`, () => {
      assert.equal(formatEnvLine('A', value), `${line}\n`);
    });
  }

  it('is read for its names', () => {
    const text = [
      '# X=1',
      'A=1',
      'export B = "b',
      'Y=2',
      '"',
      "C='it\\'s",
      'Z=3',
      "'  # D=4",
      '  E: e',
      'F',
      'a.b-c=',
      '=nothing',
      "G=it's",
      'H=h',
      '',
    ];
    for (const eol of ['\n', '\r\n'])
      assert.deepEqual(
        [...envFileNames(text.join(eol))],
        ['A', 'B', 'C', 'E', 'F', 'a.b-c', 'G', 'H'],
      );
  });

  it('is read in linear time', () => {
    for (const part of ['"', "A='", 'A="\\', ' ', 'a', '\n', 'export '])
      assert.ok(envFileNames(part.repeat(100_000)).size < 3);
  });
});
