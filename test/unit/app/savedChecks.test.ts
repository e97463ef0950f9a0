import assert from 'node:assert/strict';
import { SavedChecks } from '../../../src/app/savedChecks.ts';
import { turn } from '../support/fakeClock.ts';

describe('commands/SavedChecks', () => {
  const running: { readonly file: string; readonly signal: AbortSignal; end: () => void }[] = [];
  let checks: SavedChecks;
  beforeEach(() => {
    running.length = 0;
    checks = new SavedChecks(
      (file, signal) =>
        new Promise((end, fail) => {
          signal.addEventListener('abort', () => fail(new Error('aborted')));
          running.push({
            file,
            signal,
            end: () => end(undefined),
          });
        }),
    );
  });

  const files = (): readonly string[] => running.map(({ file }) => file);

  it('run one at a time, the newest first', async () => {
    for (const file of ['a', 'b', 'c', 'b']) checks.saved(file);
    assert.deepEqual(files(), ['a']);
    running[0]?.end();
    await turn();
    assert.deepEqual(files(), ['a', 'b']);
    running[1]?.end();
    await turn();
    assert.deepEqual(files(), ['a', 'b', 'c']);
    running[2]?.end();
    await turn();
    checks.saved('d');
    assert.deepEqual(files(), ['a', 'b', 'c', 'd']);
  });

  it('stop the running check of a file that is saved again, and all when they are disposed', async () => {
    checks.saved('a');
    checks.saved('a');
    assert.equal(running[0]?.signal.aborted, true);
    await turn();
    assert.deepEqual(files(), ['a', 'a']);
    checks.saved('b');
    checks.dispose();
    await turn();
    assert.equal(running[1]?.signal.aborted, true);
    assert.deepEqual(files(), ['a', 'a']);
  });
});
