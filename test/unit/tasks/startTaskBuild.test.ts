import assert from 'node:assert/strict';
import { basename, dirname } from 'node:path';
import { buildTerminal, type StartBuild } from '../../../src/tasks/buildTerminal.ts';
import type { WorkTerminal } from '../../../src/tasks/workTerminal.ts';
import { startTaskBuild } from '../../../src/tasks/startTaskBuild.ts';
import { failed, untilAborted } from '../support/fakeBuildKit.ts';
import { when } from '../support/lab.ts';
import { openBuildLab, output, step, type BuildLab } from '../commands/builds/buildLab.ts';

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
      terminal.screen.onDidClose((code) => resolve(code ?? undefined));
    });
    terminal.open();
    act?.(terminal);
    return { code: await closed, text };
  }

  it('builds a folder of the workspace, shows its output, and ends with code 0', async () => {
    lab.work = ({ report }) => {
      report(step('1', { state: 'running' }), output('1', 'made\n'));
      return Promise.resolve();
    };
    const { code, text } = await runTask(basename(lab.folder));
    assert.equal(code, 0);
    assert.equal(lab.built[0]?.context, lab.folder);
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
    lab.work = () => Promise.reject(failed('exit code: 2'));
    const { code, text } = await runTask({ context: lab.folder, tags: ['shop'] });
    assert.notEqual(code, 0);
    assert.match(text, /Could not build shop: exit code: 2/);
    assert.equal(lab.problems.length, 1);
  });

  it('reports what is wrong with its definition, and builds nothing in an untrusted workspace', async () => {
    assert.match((await runTask(1)).text, /"build" must be a path or an object/);
    assert.match((await runTask({ folder: 'x' })).text, /unknown property "folder"/);
    lab.ui.trusted = false;
    assert.match((await runTask(lab.folder)).text, /Restricted Mode/);
    assert.deepEqual(lab.built, []);
  });

  it('cancels the build at Ctrl+C', async () => {
    let signal: AbortSignal | undefined;
    let pressed: () => void = () => undefined;
    lab.work = (solve) => {
      ({ signal } = solve);
      pressed();
      return untilAborted(solve.signal);
    };
    await runTask(lab.folder, (terminal) => {
      pressed = () => terminal.handleInput('\x03');
    });
    await when(() => signal?.aborted === true);
  });
});
