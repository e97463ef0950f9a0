import assert from 'node:assert/strict';
import type { Socket } from 'node:net';

import type { Connection } from '../../../src/engine/http/connection.ts';
import { EngineError } from '../../../src/engine/errors.ts';
import { english } from '../../../src/l10n.ts';
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

/** A container on an engine whose responses the test controls. */
class Scene {
  readonly written: string[] = [];
  /** The input that the container received. */
  typed = '';
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
  code: number | undefined;
  #waiting: Socket | undefined;
  #attached: Socket | undefined;
  onAttach: () => void = () => undefined;
  terminal!: TaskTerminal<ReadyTask>;
  engine!: RawEngine;

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
    if (line.includes('/wait')) {
      this.#waiting = socket;
      socket.write(bytesOf('200 OK', PIECES));
    } else if (line.includes('/attach')) {
      this.onAttach();
      this.#attached = socket;
      socket.on('data', (bytes) => (this.typed += String(bytes)));
      socket.write(bytesOf('101 UPGRADED', { connection: 'Upgrade', upgrade: 'tcp' }));
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

  const open = async (remove: RemovePolicy, fields: object = {}): Promise<Scene> => {
    const scene = new Scene();
    const { engine, connection } = await lab.raw((socket, head) => {
      scene.speak(socket, head);
    });
    scene.engine = engine;
    scene.terminal = new TaskTerminal<ReadyTask>({
      prepare: () =>
        Promise.resolve({
          connect: () => Promise.resolve(scene.other ?? connection),
          args: { image: 'a', ...fields },
          remove,
        }),
      create: () => Promise.resolve({ id: ID, warnings: [] }),
      removals: {
        note: (_connection, _id, wanted) => {
          scene.noted.push(`note ${String(wanted)}`);
          return Promise.resolve();
        },
        noteStart: (_connect, _id, retry) => {
          scene.startsNoted += 1;
          scene.runSignal = retry?.signal;
          return Promise.resolve();
        },
        drop: () => scene.noted.push('drop'),
      },
      recheck: (_task, id) => scene.rechecked.push(id),
      describe: (error) => (error instanceof EngineError ? error.reason : 'failed'),
      describeEnd: ({ name, exitCode }) => `${name} ended with ${exitCode}`,
      l10n: english,
    });
    scene.terminal.screen.onDidWrite((text) => scene.written.push(text));
    scene.terminal.screen.onDidClose((code) => (scene.code = code));
    scene.terminal.open({ columns: 80, rows: 24 });
    return scene;
  };
  /** Runs a task until it has sent the start request. */
  const run = async (remove: RemovePolicy, fields: object = {}): Promise<Scene> => {
    const scene = await open(remove, fields);
    await when(() => scene.asked.includes('start'));
    return scene;
  };

  it('removes a container that was terminated before its start', async () => {
    const scene = await open(false);
    scene.onAttach = () => {
      scene.terminal.close();
    };
    await when(() => scene.asked.length > 0);
    await scene.terminal.whenOver;
    assert.deepEqual(scene.asked, ['DELETE']);
  });

  it('stops a container that was terminated during its start request', async () => {
    const scene = await run(false);
    scene.terminal.close();
    assert.deepEqual(scene.asked, ['start']);
    scene.start(answerOf('204 No Content'));
    await when(() => scene.asked.includes('stop'));
    scene.exit(143);
    await scene.terminal.whenOver;
    assert.deepEqual(scene.asked, ['start', 'stop']);
  });

  it('removes a container that did not start and was terminated, without a message', async () => {
    const scene = await run(false);
    scene.terminal.handleInput('\x03');
    scene.start(answerOf('500 Internal Server Error', '{}'));
    await scene.terminal.whenOver;
    assert.deepEqual(scene.asked, ['start', 'DELETE']);
    assert.deepEqual(scene.written, []);
  });

  it('keeps a container that did not start, and says why', async () => {
    const scene = await run('onSuccess');
    scene.start(answerOf('500 Internal Server Error', '{}'));
    await scene.terminal.whenOver;
    assert.deepEqual([scene.asked, scene.startsNoted], [['start'], 0]);
    assert.ok(scene.written.join('').includes('\x1b[31mfailed'));
    assert.deepEqual([scene.rechecked, scene.noted], [[ID], ['note onSuccess', 'drop']]);
  });

  it('stops nothing after the container has exited', async () => {
    const scene = await run(false);
    scene.start(answerOf('204 No Content'));
    scene.exit(0);
    await scene.terminal.whenOver;
    scene.terminal.close();
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.deepEqual(scene.asked, ['start']);
  });

  it('sends the size and the early input after the start', async () => {
    const scene = await run(false, { tty: true, openStdin: true });
    scene.terminal.handleInput('ear');
    // A terminal sends this response when a container asks for the clipboard.
    scene.terminal.handleInput('\x1b]52;c;c2VjcmV0\x07');
    scene.terminal.handleInput('ly');
    assert.deepEqual([scene.typed, scene.asked], ['', ['start']]);
    scene.start(answerOf('204 No Content'));
    await when(() => scene.typed === 'early' && scene.asked.includes('resize'));
    scene.exit(0);
    await scene.terminal.whenOver;
  });

  it('returns the exit code of a container that is gone before its inspect', async () => {
    const scene = await run(true);
    scene.details = answerOf('404 Not Found', '{}');
    scene.start(answerOf('204 No Content'));
    scene.exit(3);
    await scene.terminal.whenOver;
    assert.equal(scene.code, 3);
    assert.match(scene.written.join(''), /0123456789ab ended with 3/);
    assert.deepEqual(scene.asked, ['start', 'DELETE']);
  });

  it('removes the container even if the wait fails', async () => {
    const scene = await run(true);
    scene.start(answerOf('204 No Content'));
    scene.exit(NaN);
    await scene.terminal.whenOver;
    assert.deepEqual(scene.asked, ['start', 'DELETE']);
  });

  const RUNNING = {
    Id: ID,
    Name: '/web',
    Config: {},
    State: { Running: true, Status: 'running', StartedAt: '2026-11-22T10:00:00Z' },
  };

  it('waits again for a running container if the connection of the wait breaks', async () => {
    const scene = await run(true);
    scene.start(answerOf('204 No Content'));
    scene.details = answerOf('200 OK', JSON.stringify(RUNNING));
    scene.cut('wait');
    await when(() => scene.count('wait') === 3);
    assert.deepEqual(scene.asked, ['start']);
    scene.exit(5);
    await scene.terminal.whenOver;
    assert.equal(scene.code, 5);
    assert.deepEqual(scene.asked, ['start', 'DELETE']);
  });

  it('shows the output again after its connection breaks, and says that some may be missing', async () => {
    const scene = await run(true);
    scene.start(answerOf('204 No Content'));
    scene.details = answerOf('200 OK', JSON.stringify(RUNNING));
    scene.cut('wait', 'attach');
    await when(() => scene.count('attach') === 2);
    scene.write('more');
    await when(() => scene.written.join('').includes('more'));
    assert.match(scene.written.join(''), /may be missing/);
    scene.exit(0);
    await scene.terminal.whenOver;
    assert.equal(scene.code, 0);
  });

  it('removes a container without force', async () => {
    const scene = await run(true);
    scene.start(answerOf('204 No Content'));
    scene.exit(0);
    await scene.terminal.whenOver;
    const [removal = ''] = scene.engine.seen.filter((line) => line.startsWith('DELETE'));
    assert.match(removal, /v=1/);
    assert.doesNotMatch(removal, /force/);
  });

  it('keeps a container that may be running if its exit is unknown', async () => {
    const scene = await run(true);
    scene.start(answerOf('204 No Content'));
    scene.details = answerOf('200 OK', JSON.stringify(RUNNING));
    scene.exit(NaN);
    await scene.terminal.whenOver;
    assert.deepEqual(scene.asked, ['start']);
    assert.match(scene.written.join(''), /may still be running/);
  });

  it('continues with a container that was started although the response was lost', async () => {
    const scene = await run(true);
    scene.details = answerOf('200 OK', JSON.stringify(RUNNING));
    scene.cutStart();
    await when(() => scene.count('json') > 0);
    scene.exit(0);
    await scene.terminal.whenOver;
    assert.equal(scene.code, 0);
  });

  it('says that the container was removed, not that it may still be running', async () => {
    const scene = await run(true);
    scene.start(answerOf('204 No Content'));
    scene.details = answerOf('404 Not Found', '{}');
    scene.exit(NaN);
    await scene.terminal.whenOver;
    const written = scene.written.join('');
    assert.match(written, /The container was removed\./);
    assert.doesNotMatch(written, /may still be running/);
    assert.deepEqual(scene.noted, ['note true', 'drop']);
    assert.equal(scene.code, 125);
  });

  it('ends if the container is gone when it is to be stopped', async () => {
    const scene = await run(false);
    scene.start(answerOf('204 No Content'));
    scene.details = answerOf('404 Not Found', '{}');
    scene.stopped = answerOf('404 Not Found', '{}');
    scene.terminal.handleInput('\x03');
    await scene.terminal.whenOver;
    assert.match(scene.written.join(''), /The container was removed\./);
  });

  describe('after a switch to another engine', () => {
    /** A running task, on an engine that was switched away from. */
    const switched = async (remove: RemovePolicy): Promise<{ scene: Scene; other: FakeEngine }> => {
      const scene = await run(remove, { tty: true });
      scene.start(answerOf('204 No Content'));
      await when(() => scene.asked.includes('resize'));
      scene.details = answerOf('200 OK', JSON.stringify(RUNNING));
      const { engine, connection } = await lab.fake();
      scene.other = connection;
      return { scene, other: engine };
    };

    it('ends with a message if its wait breaks', async () => {
      const { scene, other } = await switched(true);
      scene.cut('wait', 'attach');
      await scene.terminal.whenOver;
      const written = scene.written.join('');
      assert.match(written, /may still be running/);
      assert.match(written, /engineReplaced/);
      assert.deepEqual([other.seen, scene.noted], [[], ['note true']]);
    });

    it('ends if it is terminated, without a request to that engine', async () => {
      const { scene, other } = await switched(true);
      scene.terminal.setDimensions({ columns: 100, rows: 30 });
      scene.terminal.close();
      await scene.terminal.whenOver;
      assert.deepEqual([other.seen, scene.asked], [[], ['start', 'resize']]);
    });

    it('shows one message if the response to the start was lost', async () => {
      const scene = await run(true);
      const { engine, connection } = await lab.fake();
      scene.other = connection;
      scene.cutStart();
      await scene.terminal.whenOver;
      assert.equal(scene.written.join('').split('engineReplaced').length, 2);
      assert.deepEqual([engine.seen, scene.asked, scene.noted], [[], ['start'], ['note true']]);
    });

    it('removes nothing there', async () => {
      const { scene, other } = await switched(true);
      scene.exit(0);
      await scene.terminal.whenOver;
      assert.deepEqual([other.seen, scene.noted], [[], ['note true']]);
      assert.equal(scene.code, 0);
    });
  });

  it('drops a container that is removed or kept, and lists it again after a removal', async () => {
    for (const [remove, code, rechecked] of [
      [true, 0, [ID]],
      ['onSuccess', 4, []],
    ] as const) {
      const scene = await run(remove);
      scene.start(answerOf('204 No Content'));
      scene.exit(code);
      await scene.terminal.whenOver;
      assert.deepEqual(scene.noted, [`note ${String(remove)}`, 'drop']);
      assert.deepEqual([scene.startsNoted, scene.runSignal?.aborted], [1, true]);
      assert.deepEqual(scene.rechecked, rechecked);
    }
  });
});
