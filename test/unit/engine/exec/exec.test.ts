import assert from 'node:assert/strict';
import { resizeContainer } from '../../../../src/engine/containers/attachContainer.ts';
import {
  createExec,
  inspectExec,
  NO_DETACH_KEYS,
  resizeExec,
  startDetachedExec,
  waitForExecExit,
} from '../../../../src/engine/exec/exec.ts';
import { json } from '../../support/fakeEngine.ts';
import { failure, openLab, type Lab } from '../../support/lab.ts';

describe('an exec instance', () => {
  let lab: Lab;
  beforeEach(() => (lab = openLab()));
  afterEach(() => lab.close());

  it('is created with the given options and returns its ID', async () => {
    const { engine, connection } = await lab.fake((_, response) => {
      json(response, 201, { Id: 'e1' });
    });
    const size = { columns: 80, rows: 24 };
    assert.equal(await createExec(connection, 'c1', { command: ['sh'], hasTty: true, size }), 'e1');
    await createExec(connection, 'c1', { command: ['a', 'b c'], env: ['A=1'], hasTty: false });
    const tty = { AttachStdin: true, Tty: true, DetachKeys: NO_DETACH_KEYS };
    const out = { AttachStdout: true, AttachStderr: true };
    assert.deepEqual(
      engine.seen.map(({ path, body }): unknown => [path, JSON.parse(body)]),
      [
        ['/containers/c1/exec', { ...out, ...tty, Cmd: ['sh'], Env: [], ConsoleSize: [24, 80] }],
        [
          '/containers/c1/exec',
          { ...out, AttachStdin: false, Tty: false, Cmd: ['a', 'b c'], Env: ['A=1'] },
        ],
      ],
    );
  });

  it('is rejected as badAnswer if the response has no ID', async () => {
    const { connection } = await lab.fake((_, response) => json(response, 201, {}));
    await failure(createExec(connection, 'c1', { command: ['sh'], hasTty: true }), 'badAnswer');
  });

  it('is started and resized by its ID, like a container by its own', async () => {
    const { engine, connection } = await lab.fake((_, response) => {
      response.end();
    });
    await startDetachedExec(connection, 'e/1');
    assert.equal(await resizeExec(connection, 'e1', { columns: 80, rows: 24 }), true);
    await resizeContainer(connection, 'c1', { columns: 80, rows: 24 });
    assert.deepEqual(
      engine.seen.map(({ method, path, query }) => `${method} ${path} ${query.toString()}`),
      [
        'POST /exec/e%2F1/start ',
        'POST /exec/e1/resize h=24&w=80',
        'POST /containers/c1/resize h=24&w=80',
      ],
    );
  });

  it('yields its exit code once it has exited, even after a while', async () => {
    let looks = 0;
    const { connection } = await lab.fake((_, response) => {
      looks++;
      json(response, 200, looks < 3 ? { Running: true, ExitCode: 0 } : { ExitCode: 7 });
    });
    assert.deepEqual(await inspectExec(connection, 'e1'), {
      isRunning: true,
      exitCode: undefined,
      pid: 0,
    });
    assert.equal(await waitForExecExit(connection, 'e1'), 7);
    assert.equal(looks, 3);
  });
});
