import assert from 'node:assert/strict';
import { runExec } from '../../../../src/engine/exec/runExec.ts';
import { idOf } from '../../inventory/support/nouns.ts';
import { json } from '../../support/fakeEngine.ts';
import { openLab, type Lab } from '../../support/lab.ts';

describe('runExec', () => {
  let lab: Lab;
  beforeEach(() => {
    lab = openLab();
  });
  afterEach(() => lab.close());

  /** Runs a program that writes a text. `isCut`: the connection breaks then. */
  async function run(text: string, outputLimit: number, isCut = false): Promise<object> {
    const { connection } = await lab.fake(({ path }, response) => {
      if (path.endsWith('/exec')) json(response, 201, { Id: idOf('e') });
      else if (path.endsWith('/json')) json(response, 200, { Running: false, ExitCode: 0 });
      else {
        const size = Buffer.alloc(8);
        size[0] = 1;
        size.writeUInt32BE(text.length, 4);
        response.writeHead(200, { 'content-type': 'application/vnd.docker.raw-stream' });
        response.write(Buffer.concat([size, Buffer.from(text)]), () => {
          if (isCut) response.destroy();
          else response.end();
        });
      }
    });
    const result = await runExec(connection, idOf('a'), ['cat'], { outputLimit });
    const { output, isWhole, exitCode } = result ?? assert.fail('not run');
    return { output, isWhole, exitCode };
  }

  it('marks output that is cut at the limit', async () => {
    assert.deepEqual(await run('abc', 3), { output: 'abc', isWhole: true, exitCode: 0 });
    assert.deepEqual(await run('abcd', 3), { output: 'abc', isWhole: false, exitCode: 0 });
  });

  it('marks output that ends with the connection', async () => {
    const cut = await run('abc', 9, true);
    assert.deepEqual(cut, { output: 'abc', isWhole: false, exitCode: 0 });
  });
});
