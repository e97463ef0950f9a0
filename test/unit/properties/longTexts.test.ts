import assert from 'node:assert/strict';
import { freeContainerName } from '../../../src/commands/create/portConflicts.ts';
import { checkChange } from '../../../src/engine/options/checkChange.ts';
import { parseDuration } from '../../../src/engine/options/quantities.ts';
import { sshFailure } from '../../../src/engine/ssh/sshFailure.ts';
import { nameFor } from '../../../src/engines/newEngine.ts';
import { english } from '../../../src/l10n.ts';
import { composeBuildOf } from '../../../src/logs/sources/composeBuild.ts';
import { copiesIn } from '../../../src/logs/sources/dockerfileCopy.ts';
import { withoutTrailing } from '../../../src/plainText.ts';
import { escapeVariables, expandVariables } from '../../../src/recipes/expandVariables.ts';
import { hasSecretArguments, isSecretValue } from '../../../src/recipes/secretDetection.ts';
import { parseGitUser } from '../../../src/review/gitAuthor.ts';
import { LayerProgress } from '../../../src/transfers/layerProgress.ts';

// Characters: what takes time by their square would take many minutes.
const MANY = 1_000_000;
const blanks = ' '.repeat(MANY);
const around = { folder: undefined, workspaceFolder: '/w', env: { A: 'a' } };

describe('a text of a million characters', () => {
  const told: readonly (readonly [what: string, read: () => unknown, expected: unknown])[] = [
    [
      'is a line of a compose file',
      () => composeBuildOf(`services:\n  web:\n    build:${blanks}x\u2028y\n    image: a`, 'web'),
      { context: 'x\u2028y' },
    ],
    [
      'is read in a compose file of many lines',
      () =>
        composeBuildOf(
          `${`# x${blanks.slice(0, 9000)}\n`.repeat(100)}services:\n  web:\n    build: a`,
          'web',
        ),
      { context: 'a' },
    ],
    [
      'is an instruction of a Dockerfile',
      () => copiesIn(`FROM x\nCOPY${blanks}x\u2028y /to`, undefined, '/').length,
      4,
    ],
    [
      'is passed over in the configuration of Git',
      () => parseGitUser(`[user]${blanks}x`).name,
      undefined,
    ],
    ['is a word of a command', () => hasSecretArguments(['-'.repeat(MANY)]), false],
    [
      'is a word with a secret at its end',
      () => hasSecretArguments([`${'-'.repeat(MANY)}key=x`]),
      true,
    ],
    ['is a value without a signed token', () => isSecretValue('-eyJ'.repeat(MANY / 4)), false],
    ['is a value with one at its end', () => isSecretValue(`${'-eyJ'.repeat(MANY / 4)}.x`), true],
    ['is a value without a key', () => isSecretValue(`-----BEGIN ${'A'.repeat(MANY)}`), false],
    [
      'has no variable in a recipe',
      () => expandVariables('${env:'.repeat(MANY), around, english).length,
      6 * MANY,
    ],
    [
      'has variables in a recipe',
      () => expandVariables('${env:A}'.repeat(9), around, english),
      'a'.repeat(9),
    ],
    ['needs no escape in a recipe', () => escapeVariables('${env:'.repeat(MANY)).length, 6 * MANY],
    ['ends with slashes', () => withoutTrailing(`${'/'.repeat(MANY)}x/`, '/').length, MANY + 1],
    [
      'is a step of a pull',
      () => new LayerProgress().add({ status: '1'.repeat(MANY) })?.length,
      MANY,
    ],
    ['is the name of a container', () => freeContainerName('1-'.repeat(MANY), []).length, 2 * MANY],
    ['is the address of an engine', () => nameFor(`/${'x'.repeat(MANY)}/y.sock`), 'y'],
    [
      'is said by ssh',
      () =>
        sshFailure({ code: 1, stderr: `${': Permission denied ('.repeat(MANY)}\nx` }, 'u').reason,
      'sshFailed',
    ],
  ];
  for (const [what, read, expected] of told) {
    it(what, async () => {
      assert.deepEqual(await read(), expected);
    });
  }

  it('is refused as a length of time', () => {
    assert.throws(() => parseDuration('1'.repeat(MANY), english));
    assert.equal(parseDuration('1h1m1.5s', english), 3_661_500_000_000);
  });

  it('is a change of a commit', () => {
    assert.equal(checkChange(`cmd  a${blanks}b `, english).length, MANY + 8);
  });
});
