// The last file of the run: its first lines count from the beginning, its test is the sum.
import assert from 'node:assert/strict';
import { inspect } from 'node:util';

const unhandled: string[] = [];
process.on('unhandledRejection', (reason) => unhandled.push(inspect(reason)));

describe('the whole run', () => {
  it('left no rejection unhandled', async () => {
    // Node tells of one at the end of a turn.
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(unhandled, []);
  });
});
