import assert from 'node:assert/strict';
import { basename, dirname } from 'node:path';
import { BuildFailedError } from '../../../src/engine/builds/buildFailedError.ts';
import { buildTerminal, type StartBuild } from '../../../src/tasks/buildTerminal.ts';
import { startTaskBuild } from '../../../src/tasks/startTaskBuild.ts';
import type { WorkTerminal } from '../../../src/tasks/workTerminal.ts';
import { IMAGE, openBuildLab, output, step, type BuildLab } from '../commands/builds/buildLab.ts';

describe('tasks/startTaskBuild', () => {
  let lab: BuildLab;
  beforeEach(async () => (lab = await openBuildLab()));
  afterEach(() => lab.close());

  /** Runs a task to its end. Resolves to its output and exit code. */
  async function runTask(
    build: unknown,
    act?: (terminal: WorkTerminal) => void,
    start: StartBuild = (signal, runBuildx) =>
      startTaskBuild({ build }, dirname(lab.folder), () => lab.context, signal, runBuildx),
  ) {
    const terminal = buildTerminal(start, (error) => (error as Error).message);
    let text = '';
    terminal.screen.onDidWrite((written) => (text += written));
    const closed = new Promise<number | undefined>((resolve) => {
      terminal.screen.onDidClose((code) => {
        resolve(code ?? undefined);
      });
    });
    terminal.open();
    act?.(terminal);
    return { code: await closed, text };
  }

  it('builds a folder of the workspace, shows its output, and ends with code 0', async () => {
    lab.work = async (_connection, request, _providers, { onEvent }) => {
      assert.equal(request.context, lab.folder);
      await new Promise((resolve) => setImmediate(resolve));
      onEvent(step('1', { state: 'running' }));
      onEvent(output('1', 'made\n'));
      return { imageId: IMAGE };
    };
    const { code, text } = await runTask(basename(lab.folder));
    assert.equal(code, 0);
    assert.match(text, /#1 \[build 1\/2\] RUN make\r\n#1 made\r\n/);
  });

  it('shows the command of buildx without the passwords of URLs', async () => {
    const args = ['--build-arg', 'HTTP_PROXY=http://me:hunter2@proxy'];
    const call = { file: '/bin/true', args, env: {}, variables: {} };
    const { text } = await runTask('', undefined, async (signal, runBuildx) => {
      await runBuildx(call, { title: '', linesOf: () => [], signal });
      throw new Error('no build');
    });
    assert.match(text, /> \/bin\/true --build-arg '?HTTP_PROXY=http:\/\/me:…@proxy/);
  });

  it('ends with another code if the build fails, with the reason', async () => {
    lab.work = () =>
      Promise.reject(new BuildFailedError({}, 'failed', { engineMessage: 'exit code: 2' }));
    const { code, text } = await runTask({ context: lab.folder, tags: ['shop'] });
    assert.notEqual(code, 0);
    assert.match(text, /Could not build shop: exit code: 2/);
    assert.equal(lab.problems.length, 1);
  });

  it('reports what is wrong with its definition, and builds nothing in an untrusted workspace', async () => {
    assert.match((await runTask(1)).text, /"build" must be a path or an object/);
    assert.match((await runTask({ folder: 'x' })).text, /unknown property "folder"/);
    lab.isTrusted = false;
    assert.match((await runTask(lab.folder)).text, /Restricted Mode/);
    assert.deepEqual(lab.calls, []);
  });

  it('cancels the build at Ctrl+C', async () => {
    let signal: AbortSignal | undefined;
    let pressed: () => void = () => undefined;
    lab.work = (_connection, _request, _providers, controls) => {
      ({ signal } = controls);
      pressed();
      return new Promise(() => undefined);
    };
    await runTask(lab.folder, (terminal) => {
      pressed = () => {
        terminal.handleInput('\x03');
      };
    });
    assert.equal(signal?.aborted, true);
  });
});
