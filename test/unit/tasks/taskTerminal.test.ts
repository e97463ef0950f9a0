import assert from 'node:assert/strict';
import type { Socket } from 'node:net';

import { english } from '../../../src/l10n.ts';
import type { Removal } from '../../../src/tasks/definition.ts';
import { TaskTerminal, type ReadyTask } from '../../../src/tasks/taskTerminal.ts';
import { openLab, when, type Lab } from '../support/lab.ts';
import { bytesOf, type RawEngine } from '../support/rawEngine.ts';

const ID = '0123456789abcdef'.repeat(4);
const PIECES = { 'transfer-encoding': 'chunked', 'content-type': 'application/json' };
const pieceOf = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;
const answerOf = (status: string, body = ''): string =>
  bytesOf(status, { 'content-length': String(body.length) }, body);
const DETAILS = JSON.stringify({ Id: ID, Name: '/web', Config: {}, State: {} });

/** A container of an engine that says what it is told to say, when it is told to. */
class Scene {
  readonly written: string[] = [];
  /** What was typed into the container. */
  typed = '';
  /** Answers the start; held back until it is called. */
  start: (answer: string) => void = () => undefined;
  details = answerOf('200 OK', DETAILS);
  code: number | undefined;
  #waiting: Socket | undefined;
  #attached: Socket | undefined;
  onAttach: () => void = () => undefined;
  terminal!: TaskTerminal<ReadyTask>;
  engine!: RawEngine;

  /** What was asked of the container itself, in order. */
  get asked(): readonly string[] {
    const verbs = /^(?:POST \/v[\d.]+\/containers\/\w+\/(?:start|stop|resize)|DELETE)/;
    return this.engine.seen.flatMap((line) => {
      const [found] = verbs.exec(line) ?? [];
      return found === undefined ? [] : [found.split(/[/ ]/).at(-1) ?? ''];
    });
  }

  speak(socket: Socket, head: string): void {
    const [line = ''] = head.split(' HTTP/');
    if (line.includes('/wait')) {
      this.#waiting = socket;
      socket.write(bytesOf('200 OK', PIECES));
    } else if (line.includes('/attach')) {
      this.onAttach();
      this.#attached = socket;
      socket.on('data', (bytes) => (this.typed += String(bytes)));
      socket.write(bytesOf('101 UPGRADED', { connection: 'Upgrade', upgrade: 'tcp' }));
    } else if (line.endsWith('/start')) this.start = (answer) => void socket.write(answer);
    else if (line.endsWith('/json')) socket.write(this.details);
    else socket.write(answerOf(/^DELETE|\/stop|\/resize/.test(line) ? '204 No Content' : '200 OK'));
  }

  exit(code: number): void {
    this.#attached?.end();
    this.#waiting?.write(pieceOf(JSON.stringify({ StatusCode: code })));
  }
}

describe('tasks/taskTerminal', () => {
  let lab: Lab;
  beforeEach(() => {
    lab = openLab();
  });
  afterEach(() => lab.close());

  const open = async (remove: Removal, fields: object = {}): Promise<Scene> => {
    const scene = new Scene();
    const { engine, connection } = await lab.raw((socket, head) => {
      scene.speak(socket, head);
    });
    scene.engine = engine;
    scene.terminal = new TaskTerminal<ReadyTask>({
      prepare: () => Promise.resolve({ connection, args: { image: 'a', ...fields }, remove }),
      create: () => Promise.resolve({ id: ID, warnings: [] }),
      describe: () => 'failed',
      describeEnd: ({ name, exitCode }) => `${name} ended with ${exitCode}`,
      l10n: english,
    });
    scene.terminal.onDidWrite((text) => scene.written.push(text));
    scene.terminal.onDidClose((code) => (scene.code = code));
    scene.terminal.open({ columns: 80, rows: 24 });
    return scene;
  };
  /** Runs a task up to where its start was asked for. */
  const run = async (remove: Removal, fields: object = {}): Promise<Scene> => {
    const scene = await open(remove, fields);
    await when(() => scene.asked.includes('start'));
    return scene;
  };

  it('does not start what was terminated before, and removes it', async () => {
    const scene = await open(false);
    scene.onAttach = () => {
      scene.terminal.close();
    };
    await when(() => scene.asked.length > 0);
    await scene.terminal.whenOver;
    assert.deepEqual(scene.asked, ['DELETE']);
  });

  it('stops what was terminated while its start was on its way', async () => {
    const scene = await run(false);
    scene.terminal.close();
    assert.deepEqual(scene.asked, ['start']);
    scene.start(answerOf('204 No Content'));
    await when(() => scene.asked.includes('stop'));
    scene.exit(143);
    await scene.terminal.whenOver;
    assert.deepEqual(scene.asked, ['start', 'stop']);
  });

  it('removes what did not start for the person, and says nothing of it', async () => {
    const scene = await run(false);
    scene.terminal.handleInput('\x03');
    scene.start(answerOf('500 Internal Server Error', '{}'));
    await scene.terminal.whenOver;
    assert.deepEqual(scene.asked, ['start', 'DELETE']);
    assert.deepEqual(scene.written, []);
  });

  it('leaves what did not start by itself, and says why', async () => {
    const scene = await run('onSuccess');
    scene.start(answerOf('500 Internal Server Error', '{}'));
    await scene.terminal.whenOver;
    assert.deepEqual(scene.asked, ['start']);
    assert.match(scene.written.join(''), /failed/);
  });

  it('stops nothing after its end', async () => {
    const scene = await run(false);
    scene.start(answerOf('204 No Content'));
    scene.exit(0);
    await scene.terminal.whenOver;
    scene.terminal.close();
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.deepEqual(scene.asked, ['start']);
  });

  it('sends the size and what was typed once it is started', async () => {
    const scene = await run(false, { tty: true, openStdin: true });
    scene.terminal.handleInput('early');
    assert.deepEqual([scene.typed, scene.asked], ['', ['start']]);
    scene.start(answerOf('204 No Content'));
    await when(() => scene.typed === 'early' && scene.asked.includes('resize'));
    scene.exit(0);
    await scene.terminal.whenOver;
  });

  it('knows the status of what is gone when it is asked about', async () => {
    const scene = await run(true);
    scene.details = answerOf('404 Not Found', '{}');
    scene.start(answerOf('204 No Content'));
    scene.exit(3);
    await scene.terminal.whenOver;
    assert.equal(scene.code, 3);
    assert.match(scene.written.join(''), /0123456789ab ended with 3/);
    assert.deepEqual(scene.asked, ['start', 'DELETE']);
  });

  it('removes what it is to remove also where something fails on the way', async () => {
    const scene = await run(true);
    scene.start(answerOf('204 No Content'));
    scene.exit(NaN);
    await scene.terminal.whenOver;
    assert.deepEqual(scene.asked, ['start', 'DELETE']);
  });
});
