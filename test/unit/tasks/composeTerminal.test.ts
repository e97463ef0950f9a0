import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { english } from '../../../src/l10n.ts';
import { ComposeTerminal, formatComposeCall } from '../../../src/tasks/composeTerminal.ts';

describe('the terminal of a compose task', function () {
  this.timeout(20_000);
  let folder: string;
  let events: string[];
  beforeEach(() => {
    events = [];
    folder = mkdtempSync(join(tmpdir(), 'gantry-compose-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  const open = (
    body: string,
    file = join(folder, 'docker'),
  ): { readonly terminal: ComposeTerminal; readonly written: () => string } => {
    writeFileSync(join(folder, 'docker'), `#!/bin/sh\n${body}\n`);
    chmodSync(join(folder, 'docker'), 0o755);
    let text = '';
    const variables = { DOCKER_HOST: 'unix:///a b' };
    const terminal = new ComposeTerminal(
      { file, args: ['up'], env: {}, variables },
      english,
      ({ id, status }) => {
        events.push(`${id} ${status}`);
      },
    );
    terminal.screen.onDidWrite((part) => {
      text += part;
    });
    return { terminal, written: () => text };
  };

  it('shows the command, then what the program reports, and ends with its exit code', async () => {
    const event = JSON.stringify({ id: 'Container a', status: 'Created' });
    const { terminal, written } = open(`echo '${event}' >&2; printf 'a\\033[31mb\\n'; exit 4`);
    const closed: (number | undefined)[] = [];
    terminal.screen.onDidClose((code) => closed.push(code));
    terminal.open();
    assert.equal(await terminal.exitCode, 4);
    assert.deepEqual(closed, [4]);
    assert.deepEqual(events, ['Container a Created']);
    const [first = '', ...lines] = written().split('\r\n');
    assert.match(first, /> env 'DOCKER_HOST=unix:\/\/\/a b' .*docker up/);
    assert.deepEqual(lines.sort(), ['', 'Container a  Created', 'ab']);
  });

  it('says why the program cannot be started', async () => {
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

  it('quotes the command', () => {
    const call = { file: 'docker', args: ['--file=/a b', '$x'], env: {}, variables: {} };
    assert.equal(formatComposeCall(call), `docker '--file=/a b' '$x'`);
  });
});
