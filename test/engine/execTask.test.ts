// Commands in running containers as tasks: of a service and by name, with paths of the workspace in their output.
import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CommandContext } from '../../src/commands/frame/commandContext.ts';
import { readExecTaskOptions } from '../../src/commands/tasks/execTaskOptions.ts';
import { runExec } from '../../src/engine/exec/runExec.ts';
import { ExecTaskRun } from '../../src/tasks/execTaskRun.ts';
import { WorkTerminal } from '../../src/tasks/workTerminal.ts';
import { until } from '../bed/until.ts';
import { Site } from './support.ts';

describe('a command in a container as a task, on a real engine', () => {
  const site = new Site();
  let folder: string;
  let id: string;
  let shown: string;
  let warnings: string[];
  let context: CommandContext;

  before(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'gantry-exec-task-')));
    writeFileSync(join(folder, 'compose.yaml'), 'name: other\n');
    writeFileSync(join(folder, 'a.ts'), '');
    const labels = {
      'com.docker.compose.project': site.name(),
      'com.docker.compose.service': 'web',
      'com.docker.compose.container-number': '1',
      'com.docker.compose.config-hash': 'hash',
      'com.docker.compose.project.config_files': join(folder, 'compose.yaml'),
      'com.docker.compose.project.working_dir': folder,
    };
    const HostConfig = { NetworkMode: 'none', Binds: [`${folder}:/app`] };
    id = await site.sleeper({ body: { Labels: labels, HostConfig } });
  });
  after(async () => {
    await site.leave();
    rmSync(folder, { recursive: true });
  });
  beforeEach(() => {
    shown = '';
    warnings = [];
    const ui = {
      isTrusted: () => true,
      workspaceFolders: () => [folder],
      warn: (text: string) => warnings.push(text),
    };
    const engine = { connect: () => Promise.resolve(site.connection) };
    context = { ui, engine } as unknown as CommandContext;
  });

  const start = (fields: object): WorkTerminal => {
    const options = readExecTaskOptions({ type: 'gantry.exec', ...fields });
    const terminal: WorkTerminal = new WorkTerminal(
      (_screen, signal) => new ExecTaskRun({ options, folder, context, terminal, signal }).run(),
      String,
    );
    // oxlint-disable-next-line no-control-regex -- the look of our own messages
    terminal.screen.onDidWrite((text) => (shown += text.replaceAll(/\x1b\[[02]m/g, '')));
    terminal.open({ columns: 80, rows: 24 });
    return terminal;
  };
  const sh = (script: string): readonly string[] => ['sh', '-c', script];

  it('runs in the service of the workspace folder, with its exit code', async () => {
    const script = 'pwd; id -u; echo "$A" >&2; printf "/app/a.ts:1\\r\\n/app/b.ts /a"; exit 7';
    const more = { user: '1234', folder: '/app', env: ['A=b c'] };
    assert.equal(await start({ service: 'web', command: sh(script), ...more }).exitCode, 7);
    assert.match(shown, /^> sh -c '.+' \(in \S+\)\r\n/);
    // The engine copies the two streams at the same time, so it is unknown where this is.
    assert.ok(shown.includes('b c\r\n'), shown);
    const output = shown.replace('b c\r\n', '');
    assert.ok(output.includes('/app\r\n1234\r\n'), shown);
    assert.ok(output.includes(`${folder}/a.ts:1\r\n/app/b.ts /a`), shown);
  });

  it('runs in a container by its name, and leaves paths alone if it shall', async () => {
    const command = ['echo', '/app/a.ts'];
    assert.equal(await start({ container: id, command, mapPaths: false }).exitCode, 0);
    assert.ok(shown.endsWith('\r\n/app/a.ts\r\n'), shown);
  });

  it('fails with the reason if there is no such program, folder, user or container', async () => {
    for (const fields of [
      { command: ['nothing-here'] },
      { command: ['true'], user: 'nobody-here' },
    ]) {
      shown = '';
      assert.notEqual(await start({ container: id, ...fields }).exitCode, 0);
      assert.match(shown, /nothing-here|nobody-here|passwd/, shown);
      assert.ok(shown.split('\r\n').length > 2, shown);
    }
    shown = '';
    assert.equal(await start({ container: 'no-such', command: ['true'] }).exitCode, 125);
    assert.match(shown, /container no-such does not exist/);
  });

  it('has a terminal with input if it shall', async () => {
    const script =
      'echo begun; until stty size | grep 24.80; do sleep 0.1; done; read -r line; echo "got $line"; exit 4';
    const terminal = start({ container: id, command: sh(script), tty: true });
    await until(() => shown.includes('24 80'), 'the size of the terminal');
    terminal.handleInput('hello\r');
    assert.equal(await terminal.exitCode, 4);
    assert.match(shown, /got hello\r\n$/);
  });

  it('is ended in the container by Ctrl+C, and with its terminal', async () => {
    for (const end of ['cancel', 'close'] as const) {
      const terminal = start({ container: id, command: sh(`echo begun; sleep 98765`) });
      await until(() => shown.includes('begun\r\n'), 'the command runs');
      if (end === 'cancel') terminal.handleInput('\x03');
      else terminal.close();
      assert.equal(await terminal.exitCode, 125);
      const list = 'cat /proc/[0-9]*/cmdline 2>/dev/null | tr "\\0" " "';
      const left = await runExec(site.connection, id, ['sh', '-c', list]);
      assert.doesNotMatch(left?.output ?? '', /sleep 98765 /);
    }
    assert.deepEqual(warnings, []);
  });
});
