import assert from 'node:assert/strict';
import { openConnection, type Connection } from '../../../../src/engine/http/connection.ts';
import { Emitter } from '../../../../src/base/lifetime.ts';
import type { ContainersChange } from '../../../../src/logs/follow/changeLatch.ts';
import { LogTerminal } from '../../../../src/output/terminal/logTerminal.ts';
import { Screen } from '../../../../src/output/terminal/screen.ts';
import { FakeContainer } from '../../support/fakeContainer.ts';
import { startFakeEngine, type FakeEngine } from '../../support/fakeEngine.ts';
import { seen } from '../../support/logLab.ts';

const ASKED = '\x1b[5n';
const ANSWER = '\x1b[0n';

describe('output/terminal/logTerminal', () => {
  let engine: FakeEngine;
  let connection: Connection;
  let container: FakeContainer;
  let terminal: LogTerminal;
  let shown: string;

  beforeEach(async () => {
    engine = await startFakeEngine();
    const transport = { kind: 'socket', path: engine.socket } as const;
    connection = openConnection({ url: engine.url, transport, source: 'setting' });
    container = new FakeContainer();
    engine.answer(container.answer);
    const owner = { id: container.id, name: 'web' };
    terminal = new LogTerminal(
      owner,
      { tail: 'all', timestamps: false },
      {
        connect: () => Promise.resolve(connection),
        onDidChangeContainers: new Emitter<ContainersChange>().event,
        watch: () => undefined,
        // No delay between the chunks of a flood.
        screen: new Screen(() => new Promise((resolve) => setImmediate(resolve))),
      },
    );
    shown = '';
    terminal.screen.onDidWrite((text) => (shown += text));
    container.start();
  });

  afterEach(async () => {
    terminal.close();
    connection.dispose();
    await engine.stop();
  });

  it('waits until the terminal is open, then shows colors unchanged and the exit code', async () => {
    container.write('\x1b[31mred\x1b[0m\n');
    await terminal.start();
    await new Promise(setImmediate);
    assert.equal(shown, '');
    terminal.open();
    container.exit(3);
    await seen(() => shown.includes('code 3'));
    assert.ok(shown.startsWith('\x1b[31mred\x1b[0m\r\n'), JSON.stringify(shown));
  });

  it('pauses a flood until the terminal has processed it', async () => {
    const line = `${'x'.repeat(1023)}\n`;
    for (let at = 0; at < 2000; at++) container.write(line);
    container.write('end\n');
    await terminal.start();
    terminal.open();
    await seen(() => shown.includes(ASKED));
    // Enough turns for the rest to arrive if it were sent.
    for (let turn = 0; turn < 200; turn++) await new Promise(setImmediate);
    assert.ok(shown.endsWith(ASKED) && !shown.includes('end'));
    while (!shown.includes('end\r\n')) {
      if (shown.endsWith(ASKED)) terminal.handleInput(ANSWER);
      await new Promise(setImmediate);
    }
    const text = shown.replaceAll(ASKED, '');
    assert.equal(text, `${line.repeat(2000)}end\n`.replaceAll('\n', '\r\n'));
  });

  it('stops writing and stops the request when it is closed during a flood', async () => {
    for (let at = 0; at < 2000; at++) container.write(`${'x'.repeat(1023)}\n`);
    await terminal.start();
    terminal.open();
    await seen(() => shown.includes(ASKED));
    terminal.close();
    const { length } = shown;
    terminal.handleInput('typed');
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
    assert.equal(shown.length, length);
  });

  it('fails to start if the engine refuses', async () => {
    engine.answer((_, response) => {
      response.writeHead(500).end('{"message":"no"}');
    });
    await assert.rejects(terminal.start(), /no/);
  });
});
