import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import { InputError } from '../../../src/engine/errors.ts';
import { formatCliCall, showCliCall } from '../../../src/engine/cli/cliCall.ts';
import { cliTerminal } from '../../../src/tasks/cliTerminal.ts';
import type { WorkTerminal } from '../../../src/tasks/workTerminal.ts';

describe('the terminal of a task that runs a program', function () {
  this.timeout(20_000);
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gantry-compose-'));
  });
  afterEach(() => {
    mock.timers.reset();
    rmSync(folder, { recursive: true });
  });

  const open = (
    body: string,
    file = join(folder, 'docker'),
  ): { readonly terminal: WorkTerminal; readonly written: () => string } => {
    writeFileSync(join(folder, 'docker'), `#!/bin/sh\n${body}\n`);
    chmodSync(join(folder, 'docker'), 0o755);
    let text = '';
    const variables = { DOCKER_HOST: 'unix:///a b' };
    const terminal = cliTerminal(
      { file, args: ['up', '--proxy=http://me:hunter2@h'], env: {}, variables },
      (line) => (line === 'hidden' ? [] : line.split(' ')),
    );
    terminal.screen.onDidWrite((part) => {
      text += part;
    });
    return { terminal, written: () => text };
  };

  it('shows the command, then what the program reports, and ends with its exit code', async () => {
    const { terminal, written } = open(
      `echo 'c d' >&2; echo hidden; printf 'a\\033[31mb\\n'; exit 4`,
    );
    const closed: (number | undefined)[] = [];
    terminal.screen.onDidClose((code) => closed.push(code));
    terminal.open();
    assert.equal(await terminal.exitCode, 4);
    assert.deepEqual(closed, [4]);
    const [first = '', ...lines] = written().split('\r\n');
    assert.match(first, /> env 'DOCKER_HOST=unix:\/\/\/a b' .*docker up/);
    assert.deepEqual(lines.sort(), ['', 'ab', 'c', 'd']);
  });

  it('hides the passwords of URLs, as in the proxies of a step', async () => {
    const { terminal, written } = open('echo HTTP_PROXY=http://me:hunter2@proxy');
    terminal.open();
    await terminal.exitCode;
    assert.match(written(), /--proxy=http:\/\/me:…@h.*\r\nHTTP_PROXY=http:\/\/me:…@proxy/);
  });

  it('explains why the program cannot be started', async () => {
    const { terminal, written } = open('', join(folder, 'nothing'));
    terminal.open();
    assert.equal(await terminal.exitCode, 125);
    assert.match(written(), /Could not start .*nothing: ENOENT/);
  });

  it('terminates the program on Ctrl+C', async () => {
    const { terminal } = open('echo ready; exec /bin/sleep 1000');
    terminal.screen.onDidWrite((text) => {
      if (text.includes('ready')) terminal.handleInput('\x03');
    });
    terminal.open();
    assert.equal(await terminal.exitCode, 125);
  });

  it('waits for the program to exit after the terminal was closed', async () => {
    // Short sleeps: a sleep that starts while the signal comes does not get it, and the shell waits for its end.
    const { terminal } = open(
      `trap ': > "$0.ended"; exit 3' TERM; echo ready; while :; do /bin/sleep 0.1; done`,
    );
    terminal.screen.onDidWrite((text) => {
      if (!text.includes('ready')) return;
      // It is not killed, however long it takes.
      mock.timers.enable({ apis: ['setTimeout'] });
      terminal.close();
    });
    terminal.open();
    assert.equal(await terminal.exitCode, 3);
    assert(existsSync(join(folder, 'docker.ended')));
  });

  it('is over if it was closed before it was opened', async () => {
    const { terminal } = open('');
    terminal.close();
    assert.equal(await terminal.exitCode, 125);
  });

  it('quotes the command', () => {
    const call = { file: 'docker', args: ['--file=/a b', '$x'], env: {}, variables: {} };
    assert.equal(formatCliCall(call), `docker '--file=/a b' '$x'`);
  });

  describe('on Windows', () => {
    const { platform } = process;
    before(() => Object.defineProperty(process, 'platform', { value: 'win32' }));
    after(() => Object.defineProperty(process, 'platform', { value: platform }));

    const call = (...args: readonly string[]) => ({
      file: 'C:\\a b\\docker.exe',
      args: ['up', ...args],
      env: {},
      variables: { DOCKER_HOST: "npipe:////./pipe/it's" },
    });
    const start = `$env:DOCKER_HOST = 'npipe:////./pipe/it''s'; & 'C:\\a b\\docker.exe' up`;

    it('quotes the command for PowerShell', () => {
      const args = [`--project-name=x'; calc; '`, '$(calc)', '\u2019; calc'];
      assert.equal(
        formatCliCall(call(...args)),
        `${start} '--project-name=x''; calc; ''' '$(calc)' '\u2019\u2019; calc'`,
      );
    });

    it('copies no command that PowerShell would change, and shows it without that part', () => {
      const odd = call('--label=a"b', 'x\ny');
      assert.throws(() => formatCliCall(odd), InputError);
      assert.equal(showCliCall(odd), `${start} '…' '…'`);
    });
  });
});
