import assert from 'node:assert/strict';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { Program } from '../../../src/base/program.ts';

describe('Program', () => {
  it('does not run in a folder that others may have written to', async () => {
    const args = ['-e', 'process.stdout.write(process.cwd())'];
    const program = new Program({ file: process.execPath, args, env: {} });
    assert.equal(await text(program.stdout), dirname(process.execPath));
    await program.ended;
  });

  it('ends if the system refuses to start it, as for too long an environment', async () => {
    const program = new Program({
      file: process.execPath,
      args: [],
      env: { LONG: 'x'.repeat(16 * 1024 * 1024) },
    });
    program.stdin.end('input');
    assert.equal(await text(program.stdout), '');
    assert.deepEqual(await program.ended, { code: null, stderr: '', spawnError: 'E2BIG' });
    assert.equal(program.isOver, true);
    program.dispose();
  });
});
