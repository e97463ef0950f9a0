import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { bed } from '../../../bed/env.ts';
import { until } from '../../../bed/until.ts';
import { refusal, run } from '../kit/commands.ts';
import { inspect, isThere } from '../kit/engine.ts';
import { stateOf, useLab } from '../kit/lab.ts';

const { image } = bed();
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

describe('containers', () => {
  const lab = useLab('containers');

  it('live from their creation to their removal', async () => {
    const { id, warnings } = await run('containers.create', {
      image,
      name: lab.name(),
      cmd: ['sleep', '1000'],
      stopSignal: 'SIGKILL',
    });
    assert.deepEqual(warnings, []);
    assert.equal(await stateOf(id), 'created');
    const verbs: readonly [verb: 'start' | 'stop' | 'pause' | 'unpause', outcomes: string[]][] = [
      ['start', ['started', 'alreadyStarted']],
      ['pause', ['paused', 'alreadyPaused']],
      ['unpause', ['unpaused', 'alreadyUnpaused']],
      ['stop', ['stopped', 'alreadyStopped']],
    ];
    for (const [verb, outcomes] of verbs) {
      for (const outcome of outcomes)
        assert.deepEqual(await run(`containers.${verb}`, { id }), { outcome });
    }
    assert.deepEqual(await run('containers.restart', { id }), { outcome: 'restarted' });
    assert.deepEqual(await run('containers.rename', { id, name: lab.name('new') }), {
      outcome: 'renamed',
    });
    assert.deepEqual(await run('containers.kill', { id: lab.name('new') }), { outcome: 'killed' });
    assert.deepEqual(await run('containers.remove', { id, force: true }), { outcome: 'removed' });
    assert.deepEqual(await run('containers.remove', { id }), { outcome: 'alreadyGone' });
    assert.equal(await isThere(id), false);
  });

  it('are listed as plain data, running ones or all', async () => {
    const running = await lab.running('up');
    const ended = await lab.ended(['sh', '-c', 'exit 11'], 'down');
    const ids = async (...args: unknown[]): Promise<readonly string[]> =>
      (await run('containers.list', ...args)).map(({ id }) => id);
    for (const args of [[], [{}], [{ all: false }], [undefined]]) {
      const listed = await ids(...args);
      assert.deepEqual([listed.includes(running), listed.includes(ended)], [true, false]);
    }
    const all = await run('containers.list', { all: true });
    assert.deepEqual(JSON.parse(JSON.stringify(all)), all);
    const one = all.find(({ id }) => id === ended)!;
    assert.deepEqual([one.name, one.state, one.exitCode], [lab.name('down'), 'exited', 11]);
    assert.match(one.createdAt, ISO);
    assert.ok(one.image.endsWith(image), one.image);
  });

  it('return the exit code of a run, also after they removed themselves', async () => {
    const name = lab.name();
    const options = { image, name, autoRemove: true, start: true };
    const { id } = await run('containers.create', { ...options, cmd: ['sh', '-c', 'exit 42'] });
    for (const text of [id, name, id.slice(0, 12)])
      assert.equal((await run('containers.wait', { id: text })).exitCode, 42);
    assert.equal(await isThere(id), false);
    assert.equal((await run('containers.wait', { id: name })).exitCode, 42);
  });

  it('return the exit codes of runs that end within milliseconds of a later start', async () => {
    const one = async (status: number): Promise<void> => {
      const id = await lab.container(['sh', '-c', `exit ${status}`], String(status));
      const waiting = run('containers.wait', { id, condition: 'next-exit' });
      const starting = run('containers.start', { id });
      assert.deepEqual(await starting, { outcome: 'started' });
      assert.deepEqual(await waiting, { exitCode: status });
    };
    await Promise.all([1, 2, 3, 4].map(one));
  });

  it('are inspected and copied to the clipboard, by ID, prefix or name', async () => {
    const id = await lab.container(['echo', "it's"], 'it', { Env: ['A=b c'] });
    const copied = async (
      command: 'copyId' | 'copyName' | 'copyRunCommand',
      text: string,
    ): Promise<string> => {
      await vscode.env.clipboard.writeText('');
      assert.equal((await run(`containers.${command}`, { id: text })).outcome, 'copied');
      return vscode.env.clipboard.readText();
    };
    for (const text of [lab.name(), id.slice(0, 12), id]) {
      assert.deepEqual(await run('containers.inspect', { id: text }), await inspect(id));
      assert.equal(await copied('copyId', text), id);
      assert.equal(await copied('copyName', text), lab.name());
    }
    const line = /^docker run -d .*--name \S+-it -e 'A=b c' .*busybox:latest echo 'it'\\''s'$/;
    assert.match(await copied('copyRunCommand', id), line);
    await refusal(run('containers.copyId', { id: lab.name('nobody') }), /no such container/i);
    assert.match(await vscode.env.clipboard.readText(), line);
  });

  it("are refused with the engine's message, in one sentence", async () => {
    const nobody = lab.name('nobody');
    const verbs = ['start', 'stop', 'restart', 'kill', 'pause', 'unpause', 'wait', 'logs'] as const;
    for (const verb of verbs) {
      for (const id of [nobody, 'f'.repeat(64)])
        await refusal(run(`containers.${verb}`, { id }), /no such container/i);
    }
    const id = await lab.container(['/no/such/program']);
    await refusal(run('containers.start', { id }), /\/no\/such\/program/);
    await refusal(run('containers.create', { image, name: lab.name() }), /in use/);
  });

  it('are hidden while stopped, if the setting says so', async () => {
    const hidesStopped = (): unknown =>
      vscode.workspace.getConfiguration('gantry').get('containers.hideStopped');
    for (const [command, isHidden] of [
      ['hideStopped', true],
      ['showStopped', false],
    ] as const) {
      await vscode.commands.executeCommand(`gantry.containers.${command}`);
      assert.equal(hidesStopped(), isHidden);
    }
  });

  it('have shells and attached clients in terminals of VS Code', async () => {
    const id = await lab.container(['sleep', '1000'], 'it', { OpenStdin: true });
    await run('containers.start', { id });
    const opened = async (command: 'openShell' | 'attach'): Promise<vscode.Terminal> => {
      const { terminal } = await run(`containers.${command}`, { id });
      const found = (): vscode.Terminal | undefined =>
        vscode.window.terminals.find(({ name }) => name === terminal);
      await until(() => found() !== undefined, `the terminal of ${command} is open`);
      return found()!;
    };
    const terminals = [await opened('openShell'), await opened('attach')];
    for (const one of terminals) one.dispose();
    const isOpen = (one: vscode.Terminal): boolean => vscode.window.terminals.includes(one);
    await until(() => !terminals.some(isOpen), 'both are closed');
    assert.equal(await stateOf(id), 'running');
    await run('containers.stop', { id, timeoutSeconds: 0 });
    await refusal(run('containers.openShell', { id }), /not running/);
    for (const one of vscode.window.terminals) one.dispose();
  });
});
