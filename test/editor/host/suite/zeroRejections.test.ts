// The last file of the run: its listener is active from the start, its test checks the result.
import assert from 'node:assert/strict';
import { inspect } from 'node:util';

const unhandled: string[] = [];
process.on('unhandledRejection', (reason) => unhandled.push(inspect(reason)));

describe('the whole run', () => {
  it('left no rejection unhandled', async () => {
    // Node reports unhandled rejections at the end of a turn.
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(unhandled, []);
  });
});
