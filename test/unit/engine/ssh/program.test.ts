import assert from 'node:assert/strict';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { Program } from '../../../../src/engine/ssh/program.ts';

describe('a program that is started', () => {
  it('runs in no folder that a stranger may have filled', async () => {
    const args = ['-e', 'process.stdout.write(process.cwd())'];
    const program = new Program({ file: process.execPath, args, env: {} });
    assert.equal(await text(program.stdout), dirname(process.execPath));
    await program.ended;
  });
});
