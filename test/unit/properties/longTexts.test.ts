import assert from 'node:assert/strict';
import { freeContainerName } from '../../../src/commands/create/portConflicts.ts';
import { checkChange } from '../../../src/engine/options/checkChange.ts';
import { parseDuration } from '../../../src/engine/options/quantities.ts';
import { sshFailure } from '../../../src/engine/ssh/sshFailure.ts';
import { nameFor } from '../../../src/engines/newEngine.ts';
import { copiesIn } from '../../../src/logs/sources/buildCopies.ts';
import { withoutTrailing } from '../../../src/base/plainText.ts';
import { parseCompose } from '../../../src/projects/composeNodes.ts';
import { escapeVariables, expandVariables } from '../../../src/recipes/expandVariables.ts';
import { hasSecretArguments, isSecretValue } from '../../../src/engine/options/secretDetection.ts';
import { parseGitUser } from '../../../src/review/gitAuthor.ts';
import { LayerProgress } from '../../../src/registries/transfers/layerProgress.ts';

// In characters. Code of quadratic complexity would take many minutes.
const MANY = 1_000_000;
const blanks = ' '.repeat(MANY);
const around = { folder: undefined, workspaceFolder: '/w', env: { A: 'a' } };

async function parsed(text: string): Promise<string | undefined> {
  const nodes = await parseCompose(text);
  return nodes?.text(nodes.get(nodes.root, 'services'));
}

describe('a text of a million characters', () => {
  const told: readonly (readonly [what: string, read: () => unknown, expected: unknown])[] = [
    [
      'is parsed as a line of a compose file',
      () => parsed(`services:${blanks}x\u2028y\nname: a`),
      'x\u2028y',
    ],
    [
      'is parsed as a compose file of many lines',
      () => parsed(`${`# x${blanks.slice(0, 9000)}\n`.repeat(100)}services: a`),
      'a',
    ],
    [
      'is parsed as an instruction of a Dockerfile',
      () => copiesIn(`FROM x\nCOPY${blanks}x\u2028y /to`, { args: {} }, '/').length,
      2,
    ],
    [
      'is ignored in the configuration of Git',
      () => parseGitUser(`[user]${blanks}x`).name,
      undefined,
    ],
    ['is not a secret command argument', () => hasSecretArguments(['-'.repeat(MANY)]), false],
    [
      'is a secret command argument if it assigns a key at its end',
      () => hasSecretArguments([`${'-'.repeat(MANY)}key=x`]),
      true,
    ],
    [
      'is not a secret value without a complete token',
      () => isSecretValue('-eyJ'.repeat(MANY / 4)),
      false,
    ],
    [
      'is a secret value with a token at its end',
      () => isSecretValue(`${'-eyJ'.repeat(MANY / 4)}.x`),
      true,
    ],
    [
      'is not a secret value without a complete private key',
      () => isSecretValue(`-----BEGIN ${'A'.repeat(MANY)}`),
      false,
    ],
    [
      'is unchanged in a recipe if it has no complete variable',
      () => expandVariables('${env:'.repeat(MANY), around).length,
      6 * MANY,
    ],
    [
      'has its variables expanded in a recipe',
      () => expandVariables('${env:A}'.repeat(9), around),
      'a'.repeat(9),
    ],
    [
      'is unchanged if it is escaped for a recipe',
      () => escapeVariables('${env:'.repeat(MANY)).length,
      6 * MANY,
    ],
    [
      'loses only its trailing slash',
      () => withoutTrailing(`${'/'.repeat(MANY)}x/`, '/').length,
      MANY + 1,
    ],
    [
      'is accepted as a layer status of a pull',
      () => new LayerProgress().add({ status: '1'.repeat(MANY) })?.length,
      MANY,
    ],
    [
      'is kept as the name of a container',
      () => freeContainerName('1-'.repeat(MANY), []).length,
      2 * MANY,
    ],
    [
      'is shortened to a name as the address of an engine',
      () => nameFor(`/${'x'.repeat(MANY)}/y.sock`),
      'y',
    ],
    [
      'is accepted as the error output of ssh',
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

  it('is rejected as a duration', () => {
    assert.throws(() => parseDuration('1'.repeat(MANY)));
    assert.equal(parseDuration('1h1m1.5s'), 3_661_500_000_000);
  });

  it('is accepted as a change of a commit', () => {
    assert.equal(checkChange(`cmd  a${blanks}b `).length, MANY + 8);
  });
});
