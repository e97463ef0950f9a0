import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { EngineError } from '../../../../src/engine/errors.ts';
import type { Connection } from '../../../../src/engine/http/connection.ts';
import { ShellTerminal, type ShellOptions } from '../../../../src/output/terminal/shellTerminal.ts';
import { HurriedClock } from '../../support/fakeClock.ts';
import { openLab, when, type Lab } from '../../support/lab.ts';
import { bytesOf } from '../../support/rawEngine.ts';

const ID = 'c'.repeat(64);
const MARK = 'gantry-1';
const STARTED = '2026-11-22T10:00:00Z';
const SIZE = { columns: 80, rows: 24 };
const KEY = 'Press any key to close the terminal.';
const UPGRADED = bytesOf('101 UPGRADED', { connection: 'Upgrade', upgrade: 'tcp' });

/** The shells of a container on an engine whose responses the test controls. */
class FakeShell {
  /** The commands of the exec instances, in order. */
  readonly commands: (readonly string[])[] = [];
  /** The sizes that exec instances were started with: rows and columns. */
  readonly sizes: unknown[] = [];
  /** All requests after the first exec was created. */
  readonly requests: string[] = [];
  /** The input that the shell received. */
  typed = '';
  hasInputEnded = false;
  isGone = false;
  exitCode: number | undefined = 0;
  /** Whether the engine has forgotten the exec instances. */
  isForgotten = false;
  /** Whether the container was removed. */
  isRemoved = false;
  /** The state of the container in inspect responses. */
  state: object = { Running: true, StartedAt: STARTED };
  /** The response to a start of an exec instance; empty for none. */
  started = UPGRADED;
  socket: Socket | undefined;
  /** What the terminal showed, without control sequences. */
  shown = '';
  /** The exit code of each close event. */
  readonly closed: (number | undefined)[] = [];
  terminal!: ShellTerminal;
  connection!: Connection;
  #isStopped = false;

  speak(socket: Socket, head: string, body: string): void {
    if (this.#isStopped) return void socket.destroy();
    const [line = ''] = head.split(' HTTP/');
    this.requests.push(line.replace(/\/v[\d.]+\//, '/').replace(ID, 'web'));
    if (line.endsWith(`/containers/${ID}/exec`)) {
      this.commands.push((JSON.parse(body) as { Cmd: readonly string[] }).Cmd);
      reply(socket, '201 Created', { Id: `e${this.commands.length}` });
    } else if (line.endsWith('/start') && body.includes('"Detach":true')) reply(socket, '200 OK');
    else if (line.endsWith('/start')) this.#start(socket, body);
    else if (line.endsWith('/json')) this.#inspect(socket, line.includes('/exec/'));
    else reply(socket, '200 OK');
  }

  #inspect(socket: Socket, isExec: boolean): void {
    if (isExec ? this.isForgotten : this.isRemoved)
      reply(socket, '404 Not Found', { message: 'not found' });
    else if (isExec) reply(socket, '200 OK', { Running: false, ExitCode: this.exitCode });
    else reply(socket, '200 OK', { Id: ID, Name: '/web', State: this.state });
  }

  #start(socket: Socket, body: string): void {
    this.sizes.push((JSON.parse(body) as { ConsoleSize?: unknown }).ConsoleSize);
    this.socket = socket;
    socket.on('data', (bytes) => (this.typed += String(bytes)));
    socket.on('end', () => (this.hasInputEnded = true)).on('close', () => (this.isGone = true));
    socket.write(this.started);
  }

  /** Writes output of the shell. */
  async write(text: string): Promise<void> {
    await when(() => this.socket !== undefined);
    this.socket?.write(text);
  }

  /** Ends the shell with an exit code. */
  async exit(code: number | undefined, output = ''): Promise<void> {
    await when(() => this.socket !== undefined);
    this.exitCode = code;
    this.socket?.end(output);
  }

  /** Stops the engine. */
  stop(): void {
    this.#isStopped = true;
    this.socket?.destroy();
  }

  /** Runs the script up to the prompt of the shell. */
  async prompt(): Promise<void> {
    await this.write(`${MARK}:42\r\n`);
    await when(() => this.typed.startsWith('\n'));
    await this.write('\r\n/ # ');
    await when(() => this.shown.includes('/ # '));
  }
}

function reply(socket: Socket, status: string, value: object = {}): void {
  socket.write(answerOf(status, value));
}

function answerOf(status: string, value: object): string {
  const body = JSON.stringify(value);
  const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
  return bytesOf(status, headers, body);
}

describe('output/terminal/shellTerminal', () => {
  let lab: Lab;
  beforeEach(() => (lab = openLab()));
  afterEach(() => lab.close());

  /** Creates the terminal of a shell, which is not open yet. */
  async function create(shell?: string, more: Partial<ShellOptions> = {}): Promise<FakeShell> {
    const fake = new FakeShell();
    const { connection } = await lab.raw(fake.speak.bind(fake));
    fake.connection = connection;
    const owner = { id: ID, name: 'web' };
    const env = ['TERM=xterm-256color'];
    const options = {
      owner,
      env,
      startedAt: STARTED,
      mark: MARK,
      ...(shell && { shell }),
      ...more,
    };
    const parts = { connection, clock: new HurriedClock() };
    fake.terminal = await ShellTerminal.create(options, parts);
    fake.requests.length = 0;
    const { screen } = fake.terminal;
    // oxlint-disable-next-line no-control-regex -- they begin with a control character
    screen.onDidWrite((text) => (fake.shown += text.replaceAll(/\x1b\[\d*m/g, '')));
    screen.onDidClose((code) => fake.closed.push(code));
    return fake;
  }

  async function open(shell?: string): Promise<FakeShell> {
    const fake = await create(shell);
    fake.terminal.open(SIZE);
    return fake;
  }

  /** Returns what is shown after the session has ended. */
  async function shownAtEnd(fake: FakeShell): Promise<readonly string[]> {
    await when(() => fake.shown.includes(KEY));
    assert.deepEqual(fake.closed, []);
    return fake.shown.trimEnd().split('\r\n');
  }

  it('sets the size before the shell starts, then sends what was typed and shows its output', async () => {
    const fake = await create();
    assert.deepEqual(fake.commands[0]?.slice(3), [MARK, '']);
    fake.terminal.open(SIZE);
    fake.terminal.handleInput('ls');
    await fake.prompt();
    assert.deepEqual(fake.requests, ['POST /exec/e1/start', 'POST /exec/e1/resize?h=24&w=80']);
    assert.deepEqual(fake.sizes, [[24, 80]]);
    await when(() => fake.typed === '\nls');
    fake.terminal.handleInput('\r');
    await when(() => fake.typed === '\nls\r');
    fake.terminal.setDimensions({ columns: 100, rows: 30 });
    await when(() => fake.requests.length === 3);
    assert.equal(fake.requests[2], 'POST /exec/e1/resize?h=30&w=100');
    assert.equal(fake.shown, '/ # ');
  });

  it('types a prepared command after the prompt, without entering it', async () => {
    const fake = await create(undefined, { typed: 'make all' });
    fake.terminal.open(SIZE);
    await fake.write(`${MARK}:42\r\n`);
    await when(() => fake.typed.startsWith('\n'));
    await fake.write('\r\n');
    assert.equal(fake.typed, '\n');
    await fake.write('/ # ');
    await when(() => fake.typed === '\nmake all');
    await fake.write('make all');
    await when(() => fake.shown.endsWith('make all'));
    assert.equal(fake.typed, '\nmake all');
  });

  it('reports once that the shell is over, after its exit or the close of the terminal', async () => {
    for (const end of ['exits', 'is closed']) {
      let count = 0;
      const whenOver = (): Promise<void> => Promise.resolve(void count++);
      const fake = await create(undefined, { whenOver });
      fake.terminal.open(SIZE);
      await fake.prompt();
      assert.equal(count, 0);
      if (end === 'exits') await fake.exit(0);
      else fake.terminal.close();
      await when(() => count > 0);
      fake.terminal.close();
      await fake.terminal.ended;
      assert.equal(count, 1, end);
    }
  });

  it('closes with the exit code of the shell', async () => {
    const fake = await open();
    await fake.prompt();
    await fake.exit(3);
    await when(() => fake.closed.length > 0);
    assert.deepEqual([fake.closed, fake.shown], [[3], '/ # ']);
  });

  it('reports that the image has no shell, and closes on a key', async () => {
    const fake = await open();
    await fake.exit(127, 'exec: "sh": not found\r\n');
    assert.deepEqual(await shownAtEnd(fake), ['The image of web has no shell (bash or sh).', KEY]);
    fake.terminal.handleInput('\x1b[24;80R');
    assert.deepEqual(fake.closed, []);
    fake.terminal.handleInput('x');
    assert.deepEqual(fake.closed, [undefined]);
  });

  it('explains why the engine could not start the shell', async () => {
    const fake = await open();
    await fake.exit(1, 'OCI runtime exec failed\r\n');
    const why = 'Could not start a shell in web: OCI runtime exec failed';
    assert.deepEqual(await shownAtEnd(fake), [why, KEY]);
  });

  describe('with a requested program', () => {
    it('runs it without sh if the image has no sh', async () => {
      const fake = await open('fish');
      assert.deepEqual(fake.commands[0]?.slice(3), [MARK, 'fish']);
      fake.terminal.setDimensions({ columns: 90, rows: 30 });
      await fake.exit(127);
      await when(() => fake.commands.length === 2);
      assert.deepEqual(fake.commands[1], ['fish']);
      fake.socket = undefined;
      await fake.write('fish> ');
      assert.deepEqual(fake.sizes.at(-1), [30, 90]);
      fake.terminal.handleInput('exit\r');
      await when(() => fake.typed === 'exit\r');
      assert.equal(fake.shown, 'fish> ');
      await fake.exit(2);
      await when(() => fake.closed.length > 0);
      assert.deepEqual(fake.closed, [2]);
    });

    it('reports that the image does not have it', async () => {
      const fake = await open('fish');
      await fake.exit(127);
      await when(() => fake.commands.length === 2);
      fake.socket = undefined;
      await fake.exit(126);
      assert.deepEqual(await shownAtEnd(fake), ['The image of web has no fish.', KEY]);
    });

    it('does not run it again if it was found but could not be run', async () => {
      const fake = await open('fish');
      await fake.prompt();
      await fake.exit(127);
      await when(() => fake.closed.length > 0);
      assert.deepEqual([fake.closed, fake.commands.length], [[127], 1]);
    });
  });

  describe('ended by a signal', () => {
    const stopped = 'Container web was stopped, which closed the shell.';

    it('reports that the container was stopped, or has been restarted since', async () => {
      for (const state of [
        { Running: false, StartedAt: STARTED },
        { Running: true, StartedAt: '2026-11-22T10:00:01Z' },
      ]) {
        const fake = await open();
        await fake.prompt();
        fake.state = state;
        await fake.exit(137);
        assert.deepEqual(await shownAtEnd(fake), ['/ # ', stopped, KEY]);
      }
    });

    it('reports that the container was stopped, although the engine has forgotten the shell', async () => {
      const fake = await open();
      await fake.prompt();
      fake.state = { Running: false, StartedAt: STARTED };
      fake.isForgotten = true;
      await fake.exit(137);
      assert.deepEqual(await shownAtEnd(fake), ['/ # ', stopped, KEY]);
    });

    it('reports that the container was removed', async () => {
      const fake = await open();
      await fake.prompt();
      fake.isForgotten = true;
      fake.isRemoved = true;
      await fake.exit(137);
      assert.deepEqual(await shownAtEnd(fake), ['/ # ', 'Container web was removed.', KEY]);
    });

    it('reports that the container was restarted before the shell could start', async () => {
      const fake = await create();
      fake.started = answerOf('404 Not Found', { message: 'no such exec' });
      fake.state = { Running: true, StartedAt: '2026-11-22T10:00:01Z' };
      fake.terminal.open(SIZE);
      assert.deepEqual(await shownAtEnd(fake), [stopped, KEY]);
    });

    it('closes as after any other exit if the container keeps running', async () => {
      const fake = await open();
      await fake.prompt();
      await fake.exit(129);
      await when(() => fake.closed.length > 0);
      assert.deepEqual([fake.closed, fake.shown], [[129], '/ # ']);
    });
  });

  describe('that cannot be started', () => {
    const refusals = [
      ['404 Not Found', { message: 'no such exec' }, 'Container web was removed.'],
      ['409 Conflict', { message: 'is paused' }, 'Could not start a shell in web: is paused'],
      [
        '200 OK',
        {},
        'Could not start a shell in web: A proxy or firewall between VS Code and the engine ' +
          'blocks terminal input.',
      ],
    ] as const;
    for (const [status, value, message] of refusals) {
      it(`explains why after ${status}`, async () => {
        const fake = await create();
        fake.started = answerOf(status, value);
        fake.terminal.open(SIZE);
        assert.deepEqual(await shownAtEnd(fake), [message, KEY]);
      });
    }

    it('reports that no session of the SSH connection is left', async () => {
      const fake = await create();
      Object.assign(fake.connection, {
        upgrade: () => Promise.reject(new EngineError('sshFull')),
      });
      fake.terminal.open(SIZE);
      assert.deepEqual(await shownAtEnd(fake), [
        'Too many logs and terminals are open over this SSH connection. Close one, then try again.',
        KEY,
      ]);
    });
  });

  it('reports that the connection was lost, and that the shell may still run', async () => {
    const fake = await open();
    await fake.prompt();
    fake.stop();
    assert.deepEqual(await shownAtEnd(fake), [
      '/ # ',
      'Connection to the engine lost. The shell may still be running in web.',
      KEY,
    ]);
  });

  const ends = [
    ['engineRemoved', 'The engine was changed or removed in the settings.'],
    ['disconnected', 'The engine was disconnected.'],
  ] as const;
  for (const [reason, sentence] of ends) {
    it(`says that the engine ended the connection: ${reason}`, async () => {
      const fake = await open();
      await fake.prompt();
      fake.connection.dispose(reason);
      assert.deepEqual(await shownAtEnd(fake), [
        '/ # ',
        `${sentence} The shell may still be running in web.`,
        KEY,
      ]);
    });
  }

  it('reports the same if the output ends and the engine knows of no exit', async () => {
    const fake = await open();
    await fake.prompt();
    await fake.exit(undefined);
    assert.deepEqual(await shownAtEnd(fake), [
      '/ # ',
      'Connection to the engine lost. The shell may still be running in web.',
      KEY,
    ]);
  });

  describe('closed by the user', () => {
    it('ends the shell and what it runs', async () => {
      const fake = await open();
      await fake.prompt();
      fake.requests.length = 0;
      fake.terminal.close();
      fake.terminal.close();
      await fake.terminal.ended;
      assert.deepEqual(fake.commands.slice(1), [['sh', '-c', 'kill -HUP "$0"', '42']]);
      assert.deepEqual(fake.requests, ['POST /containers/web/exec', 'POST /exec/e2/start']);
      await when(() => fake.isGone);
      assert.equal(fake.shown, '/ # ');
    });

    it('interrupts the script and ends its input if the shell is not known yet', async () => {
      const fake = await open();
      // Output without the PID of the shell, which is shown once it is long.
      await fake.write('x'.repeat(70_000));
      await when(() => fake.shown !== '');
      fake.terminal.close();
      await fake.terminal.ended;
      await when(() => fake.hasInputEnded);
      assert.deepEqual([fake.typed, fake.commands.length], ['\x03\x04', 1]);
    });

    it('does so, too, if the engine starts the shell only after that', async () => {
      const fake = await create();
      fake.started = '';
      fake.terminal.open(SIZE);
      await when(() => fake.socket !== undefined);
      fake.terminal.close();
      fake.socket?.write(UPGRADED);
      await when(() => fake.hasInputEnded);
      assert.deepEqual([fake.typed, fake.commands.length], ['\x03\x04', 1]);
    });

    it('sends nothing after the shell has ended', async () => {
      const fake = await open();
      await fake.prompt();
      await fake.exit(0);
      await when(() => fake.closed.length > 0);
      fake.requests.length = 0;
      fake.terminal.close();
      await fake.terminal.ended;
      assert.deepEqual(fake.requests, []);
    });
  });
});
