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
  const open = '${env:'.repeat(MANY);
  const half = '-eyJ'.repeat(MANY / 4);
  const copy = `FROM x\nCOPY${blanks}x\u2028y /to`;
  const denied = { code: 1, stderr: `${': Permission denied ('.repeat(MANY)}\nx` };
  const told: readonly (readonly [what: string, read: () => unknown, expected: unknown])[] = [
    ['a line of a compose file', () => parsed(`services:${blanks}x\u2028y\nname: a`), 'x\u2028y'],
    [
      'many lines of a compose file',
      () => parsed(`${`# x${blanks.slice(0, 9000)}\n`.repeat(100)}services: a`),
      'a',
    ],
    ['an instruction of a Dockerfile', () => copiesIn(copy, { args: {} }, '/').length, 2],
    ['the configuration of Git', () => parseGitUser(`[user]${blanks}x`).name, undefined],
    ['no secret argument of a command', () => hasSecretArguments(['-'.repeat(MANY)]), false],
    ['a secret argument', () => hasSecretArguments([`${'-'.repeat(MANY)}key=x`]), true],
    ['a value without a whole token', () => isSecretValue(half), false],
    ['a value with a token at its end', () => isSecretValue(`${half}.x`), true],
    ['a value without a whole key', () => isSecretValue(`-----BEGIN ${'A'.repeat(MANY)}`), false],
    ['variables that do not end', () => expandVariables(open, around).length, 6 * MANY],
    ['variables of a recipe', () => expandVariables('${env:A}'.repeat(9), around), 'a'.repeat(9)],
    ['text that is escaped for a recipe', () => escapeVariables(open).length, 6 * MANY],
    ['slashes', () => withoutTrailing(`${'/'.repeat(MANY)}x/`, '/').length, MANY + 1],
    ['a layer status', () => new LayerProgress().add({ status: '1'.repeat(MANY) })?.length, MANY],
    ['the name of a container', () => freeContainerName('1-'.repeat(MANY), []).length, 2 * MANY],
    ['the address of an engine', () => nameFor(`/${'x'.repeat(MANY)}/y.sock`), 'y'],
    ['the error output of ssh', () => sshFailure(denied, 'u').reason, 'sshFailed'],
  ];
  for (const [what, read, expected] of told) {
    it(`is read in time as ${what}`, async () => assert.deepEqual(await read(), expected));
  }

  it('is rejected as a duration', () => {
    assert.throws(() => parseDuration('1'.repeat(MANY)));
    assert.equal(parseDuration('1h1m1.5s'), 3_661_500_000_000);
  });

  it('is accepted as a change of a commit', () => {
    assert.equal(checkChange(`cmd  a${blanks}b `).length, MANY + 8);
  });
});
