import assert from 'node:assert/strict';
import type { Socket } from 'node:net';

import { inspectContainer } from '../../../src/engine/containers/containers.ts';
import type { Connection } from '../../../src/engine/http/connection.ts';
import { EngineError } from '../../../src/engine/errors.ts';
import type { RemovePolicy } from '../../../src/tasks/taskOptions.ts';
import { TaskTerminal, type ReadyTask } from '../../../src/tasks/taskTerminal.ts';
import type { FakeEngine } from '../support/fakeEngine.ts';
import { openLab, when, type Lab } from '../support/lab.ts';
import { bytesOf, type RawEngine } from '../support/rawEngine.ts';

const ID = '0123456789abcdef'.repeat(4);
const PIECES = { 'transfer-encoding': 'chunked', 'content-type': 'application/json' };
const pieceOf = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;
const answerOf = (status: string, body = ''): string =>
  bytesOf(status, { 'content-length': String(body.length) }, body);
const DETAILS = JSON.stringify({ Id: ID, Name: '/web', Config: {}, State: {} });

/** A task's terminal, and its container on an engine whose responses the test controls. */
class ControlledTask {
  readonly written: string[] = [];
  /** The input that the container received. */
  typed = '';
  /** The response to an attach. */
  attached = bytesOf('101 UPGRADED', { connection: 'Upgrade', upgrade: 'tcp' });
  /** Answers the start request, which is held back until then. */
  start: (answer: string) => void = () => undefined;
  cutStart: () => void = () => undefined;
  details = answerOf('200 OK', DETAILS);
  stopped = answerOf('204 No Content');
  /** The containers that were noted or dropped, in order. */
  readonly noted: string[] = [];
  startsNoted = 0;
  /** Ends the retries to note the start. */
  runSignal: AbortSignal | undefined;
  /** The containers that were listed again. */
  readonly rechecked: string[] = [];
  /** The connection to another engine, used from now on if it is set. */
  other: Connection | undefined;
  /** Why there is no connection, if there is none. */
  failure: EngineError | undefined;
  /** Whether the engine closes each new connection. */
  isDown = false;
  code: number | undefined;
  #waiting: Socket | undefined;
  #attached: Socket | undefined;
  onAttach: () => void = () => undefined;
  terminal!: TaskTerminal<ReadyTask>;
  engine!: RawEngine;
  connection!: Connection;

  /** The requests that change the container, in order. */
  get asked(): readonly string[] {
    const verbs = /^(?:POST \/v[\d.]+\/containers\/\w+\/(?:start|stop|resize)|DELETE)/;
    return this.engine.seen.flatMap((line) => {
      const [found] = verbs.exec(line) ?? [];
      return found === undefined ? [] : [found.split(/[/ ]/).at(-1) ?? ''];
    });
  }

  speak(socket: Socket, head: string): void {
    const [line = ''] = head.split(' HTTP/');
    if (this.isDown) {
      socket.destroy();
      return;
    }
    if (line.includes('/wait')) {
      this.#waiting = socket;
      socket.write(bytesOf('200 OK', PIECES));
    } else if (line.includes('/attach')) {
      this.onAttach();
      this.#attached = socket;
      socket.on('data', (bytes) => (this.typed += String(bytes)));
      socket.write(this.attached);
    } else if (line.endsWith('/start')) {
      this.start = (answer) => void socket.write(answer);
      this.cutStart = () => socket.destroy();
    } else if (line.endsWith('/json')) socket.write(this.details);
    else if (line.endsWith('/stop')) socket.write(this.stopped);
    else socket.write(answerOf(/^DELETE|\/resize/.test(line) ? '204 No Content' : '200 OK'));
  }

  /** Breaks the connection of the wait, of the output, or both. */
  cut(...which: readonly ('wait' | 'attach')[]): void {
    if (which.includes('wait')) this.#waiting?.destroy();
    if (which.includes('attach')) this.#attached?.destroy();
  }

  write(text: string): void {
    const head = Buffer.from([1, 0, 0, 0, 0, 0, 0, text.length]);
    this.#attached?.write(Buffer.concat([head, Buffer.from(text)]));
  }

  count(verb: string): number {
    return this.engine.seen.filter((line) => line.includes(`/${verb}`)).length;
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

  const open = async (remove: RemovePolicy, fields: object = {}): Promise<ControlledTask> => {
    const task = new ControlledTask();
    const { engine, connection } = await lab.raw((socket, head) => task.speak(socket, head));
    task.engine = engine;
    task.connection = connection;
    task.terminal = new TaskTerminal<ReadyTask>({
      prepare: () =>
        Promise.resolve({
          connect: () =>
            task.failure ? Promise.reject(task.failure) : Promise.resolve(task.other ?? connection),
          args: { image: 'a', ...fields },
          remove,
        }),
      create: () => Promise.resolve({ id: ID, warnings: [] }),
      removals: {
        add: (_connection, _id, wanted) => {
          task.noted.push(`note ${String(wanted)}`);
          return Promise.resolve();
        },
        recordStart: (_connect, _id, retry) => {
          task.startsNoted += 1;
          task.runSignal = retry?.signal;
          return Promise.resolve();
        },
        drop: () => task.noted.push('drop'),
      },
      recheck: (_task, id) => task.rechecked.push(id),
      describe: (error) => (error instanceof EngineError ? error.reason : 'failed'),
      describeEnd: ({ name, exitCode }) => `${name} ended with ${exitCode}`,
    });
    task.terminal.screen.onDidWrite((text) => task.written.push(text));
    task.terminal.screen.onDidClose((code) => (task.code = code));
    task.terminal.open({ columns: 80, rows: 24 });
    return task;
  };
  /** Runs a task until it has sent the start request. */
  const run = async (remove: RemovePolicy, fields: object = {}): Promise<ControlledTask> => {
    const task = await open(remove, fields);
    await when(() => task.asked.includes('start'));
    return task;
  };

  it('removes a container that was terminated before its start', async () => {
    const task = await open(false);
    task.onAttach = () => task.terminal.close();
    await when(() => task.asked.length > 0);
    await task.terminal.whenOver;
    assert.deepEqual(task.asked, ['DELETE']);
  });

  it('stops a container that was terminated during its start request', async () => {
    const task = await run(false);
    task.terminal.close();
    assert.deepEqual(task.asked, ['start']);
    task.start(answerOf('204 No Content'));
    await when(() => task.asked.includes('stop'));
    task.exit(143);
    await task.terminal.whenOver;
    assert.deepEqual(task.asked, ['start', 'stop']);
  });

  it('removes a container that did not start and was terminated, without a message', async () => {
    const task = await run(false);
    task.terminal.handleInput('\x03');
    task.start(answerOf('500 Internal Server Error', '{}'));
    await task.terminal.whenOver;
    assert.deepEqual(task.asked, ['start', 'DELETE']);
    assert.deepEqual(task.written, []);
  });

  it('keeps a container that did not start, and explains why', async () => {
    const task = await run('onSuccess');
    task.start(answerOf('500 Internal Server Error', '{}'));
    await task.terminal.whenOver;
    assert.deepEqual([task.asked, task.startsNoted], [['start'], 0]);
    assert.ok(task.written.join('').includes('\x1b[31mfailed'));
    assert.deepEqual([task.rechecked, task.noted], [[ID], ['note onSuccess', 'drop']]);
  });

  it('stops nothing after the container has exited', async () => {
    const task = await run(false);
    task.start(answerOf('204 No Content'));
    task.exit(0);
    await task.terminal.whenOver;
    task.terminal.close();
    // A stop would reach the engine before this request.
    await inspectContainer(task.connection, ID);
    assert.deepEqual(task.asked, ['start']);
  });

  it('sends the size and the early input after the start', async () => {
    const task = await run(false, { tty: true, openStdin: true });
    task.terminal.handleInput('ear');
    // A terminal sends this response when a container asks for the clipboard.
    task.terminal.handleInput('\x1b]52;c;c2VjcmV0\x07');
    task.terminal.handleInput('ly');
    assert.deepEqual([task.typed, task.asked], ['', ['start']]);
    task.start(answerOf('204 No Content'));
    await when(() => task.typed === 'early' && task.asked.includes('resize'));
    task.exit(0);
    await task.terminal.whenOver;
  });

  it('explains that input is blocked if a proxy hides the upgrade', async () => {
    for (const openStdin of [true, false]) {
      const task = await open(false, { openStdin });
      task.attached = bytesOf('200 OK', PIECES);
      await when(() => task.asked.includes('start'));
      assert.equal(task.written.join('').includes('blocks terminal input.'), openStdin);
      task.start(answerOf('204 No Content'));
      task.exit(0);
      await task.terminal.whenOver;
    }
  });

  it('attaches so that the engine does not hold back Ctrl+P in a TTY', async () => {
    for (const tty of [true, false]) {
      const task = await run(false, { tty, openStdin: true });
      const line = task.engine.seen.find((one) => one.includes('/attach')) ?? '';
      assert.equal(line.includes('detachKeys=ctrl'), tty);
      task.start(answerOf('204 No Content'));
      task.exit(0);
      await task.terminal.whenOver;
    }
  });

  it('returns the exit code of a container that is gone before its inspect', async () => {
    const task = await run(true);
    task.details = answerOf('404 Not Found', '{}');
    task.start(answerOf('204 No Content'));
    task.exit(3);
    await task.terminal.whenOver;
    assert.equal(task.code, 3);
    assert.match(task.written.join(''), /0123456789ab ended with 3/);
    assert.deepEqual(task.asked, ['start', 'DELETE']);
  });

  it('removes the container even if the wait fails', async () => {
    const task = await run(true);
    task.start(answerOf('204 No Content'));
    task.exit(NaN);
    await task.terminal.whenOver;
    assert.deepEqual(task.asked, ['start', 'DELETE']);
  });

  const RUNNING = {
    Id: ID,
    Name: '/web',
    Config: {},
    State: { Running: true, Status: 'running', StartedAt: '2026-11-22T10:00:00Z' },
  };

  it('waits again for a running container if the connection of the wait breaks', async () => {
    const task = await run(true);
    task.start(answerOf('204 No Content'));
    task.details = answerOf('200 OK', JSON.stringify(RUNNING));
    task.cut('wait');
    await when(() => task.count('wait') === 3);
    assert.deepEqual(task.asked, ['start']);
    task.exit(5);
    await task.terminal.whenOver;
    assert.equal(task.code, 5);
    assert.deepEqual(task.asked, ['start', 'DELETE']);
  });

  it('shows the output again after its connection breaks, and reports that some may be missing', async () => {
    const task = await run(true);
    task.start(answerOf('204 No Content'));
    task.details = answerOf('200 OK', JSON.stringify(RUNNING));
    task.cut('wait', 'attach');
    await when(() => task.count('attach') === 2);
    task.write('more');
    await when(() => task.written.join('').includes('more'));
    assert.match(task.written.join(''), /may be missing/);
    task.exit(0);
    await task.terminal.whenOver;
    assert.equal(task.code, 0);
  });

  it('reports that output may be missing if the container exits before it reconnects', async () => {
    const task = await run(false);
    task.start(answerOf('204 No Content'));
    await when(() => task.startsNoted === 1);
    task.isDown = true;
    task.cut('wait', 'attach');
    await when(() => task.written.join('').includes('Reconnecting'));
    const exited = { ...RUNNING.State, Running: false, Status: 'exited' };
    task.details = answerOf('200 OK', JSON.stringify({ ...RUNNING, State: exited }));
    task.isDown = false;
    await when(() => task.engine.seen.some((line) => line.includes('condition=not-running')));
    task.exit(1);
    await task.terminal.whenOver;
    assert.equal(task.count('attach'), 1);
    assert.match(task.written.join(''), /may be missing[^]*web ended with 1/);
  });

  it('does not report missing output if only the connection of the wait breaks', async () => {
    const task = await run(false);
    task.start(answerOf('204 No Content'));
    await when(() => task.startsNoted === 1);
    task.details = answerOf('200 OK', JSON.stringify(RUNNING));
    task.isDown = true;
    task.cut('wait');
    await when(() => task.written.join('').includes('Reconnecting'));
    task.isDown = false;
    task.write('last words');
    await when(() => task.written.join('').includes('last words'));
    await when(() => task.engine.seen.some((line) => line.includes('condition=not-running')));
    const exited = { ...RUNNING.State, Running: false, Status: 'exited' };
    task.details = answerOf('200 OK', JSON.stringify({ ...RUNNING, State: exited }));
    task.exit(1);
    await task.terminal.whenOver;
    assert.doesNotMatch(task.written.join(''), /may be missing/);
  });

  it('does not report missing output if the output ends before the exit is known', async () => {
    const task = await run(false);
    task.start(answerOf('204 No Content'));
    task.exit(1);
    await task.terminal.whenOver;
    assert.doesNotMatch(task.written.join(''), /may be missing/);
  });

  it('removes a container without force', async () => {
    const task = await run(true);
    task.start(answerOf('204 No Content'));
    task.exit(0);
    await task.terminal.whenOver;
    const [removal = ''] = task.engine.seen.filter((line) => line.startsWith('DELETE'));
    assert.match(removal, /v=1/);
    assert.doesNotMatch(removal, /force/);
  });

  it('keeps a container that may be running if its exit is unknown', async () => {
    const task = await run(true);
    task.start(answerOf('204 No Content'));
    task.details = answerOf('200 OK', JSON.stringify(RUNNING));
    task.exit(NaN);
    await task.terminal.whenOver;
    assert.deepEqual(task.asked, ['start']);
    assert.match(task.written.join(''), /may still be running/);
  });

  it('continues with a container that was started although the response was lost', async () => {
    const task = await run(true);
    task.details = answerOf('200 OK', JSON.stringify(RUNNING));
    task.cutStart();
    await when(() => task.count('json') > 0);
    task.exit(0);
    await task.terminal.whenOver;
    assert.equal(task.code, 0);
  });

  for (const [isFinal, next] of [
    [false, 'Reconnecting...'],
    [true, 'Select Refresh in the Containers view to reconnect.'],
  ] as const) {
    it(`shows that the connection was lost: ${next}`, async () => {
      const task = await run(false);
      task.start(answerOf('204 No Content'));
      await when(() => task.startsNoted === 1);
      task.failure = new EngineError('sshFailed', { isFinal });
      task.cut('wait', 'attach');
      await when(() => task.written.join('').includes('engine lost.'));
      task.failure = new EngineError('notFound');
      await task.terminal.whenOver;
      assert(task.written.join('').includes(`Connection to the container engine lost. ${next}`));
    });
  }

  it('reports that the container was removed, not that it may still be running', async () => {
    const task = await run(true);
    task.start(answerOf('204 No Content'));
    task.details = answerOf('404 Not Found', '{}');
    task.exit(NaN);
    await task.terminal.whenOver;
    const written = task.written.join('');
    assert.match(written, /The container was removed\./);
    assert.doesNotMatch(written, /may still be running/);
    assert.deepEqual(task.noted, ['note true', 'drop']);
    assert.equal(task.code, 125);
  });

  it('ends if the container is gone when it is to be stopped', async () => {
    const task = await run(false);
    task.start(answerOf('204 No Content'));
    task.details = answerOf('404 Not Found', '{}');
    task.stopped = answerOf('404 Not Found', '{}');
    task.terminal.handleInput('\x03');
    await task.terminal.whenOver;
    assert.match(task.written.join(''), /The container was removed\./);
  });

  describe('whose container the engine refuses to stop', () => {
    const refused = async (): Promise<ControlledTask> => {
      const task = await run(true);
      task.stopped = answerOf('500 Internal Server Error', '{"message":"permission denied"}');
      task.start(answerOf('204 No Content'));
      await when(() => task.startsNoted === 1);
      task.details = answerOf('200 OK', JSON.stringify(RUNNING));
      return task;
    };

    it('shows why after Ctrl+C, and continues', async () => {
      const task = await refused();
      task.terminal.handleInput('\x03');
      await when(() => task.written.join('').includes('Could not stop the container: failed'));
      task.exit(4);
      await task.terminal.whenOver;
      assert.equal(task.code, 4);
    });

    it('ends if the terminal is closed, and leaves the container to the next window', async () => {
      const task = await refused();
      task.terminal.close();
      await task.terminal.whenOver;
      assert.deepEqual([task.asked, task.noted], [['start', 'stop'], ['note true']]);
    });
  });

  describe('after a switch to another engine', () => {
    /** A running task, on an engine that was switched away from. */
    const switched = async (
      remove: RemovePolicy,
    ): Promise<{ task: ControlledTask; other: FakeEngine }> => {
      const task = await run(remove, { tty: true });
      task.start(answerOf('204 No Content'));
      await when(() => task.asked.includes('resize'));
      task.details = answerOf('200 OK', JSON.stringify(RUNNING));
      const { engine, connection } = await lab.fake();
      task.other = connection;
      return { task, other: engine };
    };

    it('ends with a message if its wait breaks', async () => {
      const { task, other } = await switched(true);
      task.cut('wait', 'attach');
      await task.terminal.whenOver;
      const written = task.written.join('');
      assert.match(written, /may still be running/);
      assert.match(written, /engineReplaced/);
      assert.deepEqual([other.seen, task.noted], [[], ['note true']]);
    });

    it('ends if it is terminated, without a request to that engine', async () => {
      const { task, other } = await switched(true);
      task.terminal.setDimensions({ columns: 100, rows: 30 });
      task.terminal.close();
      await task.terminal.whenOver;
      assert.deepEqual([other.seen, task.asked], [[], ['start', 'resize']]);
    });

    it('shows one message if the response to the start was lost', async () => {
      const task = await run(true);
      const { engine, connection } = await lab.fake();
      task.other = connection;
      task.cutStart();
      await task.terminal.whenOver;
      assert.equal(task.written.join('').split('engineReplaced').length, 2);
      assert.deepEqual([engine.seen, task.asked, task.noted], [[], ['start'], ['note true']]);
    });

    it('removes nothing there', async () => {
      const { task, other } = await switched(true);
      task.exit(0);
      await task.terminal.whenOver;
      assert.deepEqual([other.seen, task.noted], [[], ['note true']]);
      assert.equal(task.code, 0);
    });
  });

  it('drops a container that is removed or kept, and lists it again after a removal', async () => {
    for (const [remove, code, rechecked] of [
      [true, 0, [ID]],
      ['onSuccess', 4, []],
    ] as const) {
      const task = await run(remove);
      task.start(answerOf('204 No Content'));
      task.exit(code);
      await task.terminal.whenOver;
      assert.deepEqual(task.noted, [`note ${String(remove)}`, 'drop']);
      assert.deepEqual([task.startsNoted, task.runSignal?.aborted], [1, true]);
      assert.deepEqual(task.rechecked, rechecked);
    }
  });
});
