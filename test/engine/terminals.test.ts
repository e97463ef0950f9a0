import assert from 'node:assert/strict';
import { inspectContainer } from '../../src/engine/containers/containers.ts';
import { killContainer, stopContainer } from '../../src/engine/containers/containerLifecycle.ts';
import { createExec, startExec } from '../../src/engine/exec/exec.ts';
import { AttachTerminal, checkAttachable } from '../../src/output/terminal/attachTerminal.ts';
import type { Pty } from '../../src/output/terminal/pty.ts';
import {
  ShellTerminal,
  shellVariables,
  type ShellOptions,
} from '../../src/output/terminal/shellTerminal.ts';
import { monotonicClock, type Clock } from '../../src/base/time.ts';
import { askWell } from '../bed/http.ts';
import { until } from '../bed/until.ts';
import { busyboxTar } from '../bed/images.ts';
import { tar } from '../bed/tar.ts';
import { Site } from './support.ts';

/** Types in a terminal and reads its screen like a user. */
class TerminalUser {
  readonly #pty: Pty;
  seen = '';
  /** Undefined until the terminal has closed. */
  closedWith: { readonly code: number | undefined } | undefined;

  constructor(pty: Pty, size = { columns: 97, rows: 31 }) {
    this.#pty = pty;
    pty.screen.onDidWrite((text) => (this.seen += text));
    pty.screen.onDidClose((code) => {
      this.closedWith = { code };
    });
    pty.open(size);
  }

  type(text: string): void {
    this.#pty.handleInput(text);
  }

  async sees(words: string): Promise<void> {
    await until(() => Promise.resolve(this.seen.includes(words)), words).catch((error: unknown) => {
      throw new Error(`seen: ${JSON.stringify(this.seen)}`, { cause: error });
    });
  }

  async seesItClose(code: number | undefined): Promise<void> {
    await until(() => Promise.resolve(this.closedWith !== undefined), 'the terminal is closed');
    assert.equal(this.closedWith?.code, code);
  }
}

/** A clock whose delays also pass only when the engine has recorded that the container is not running. */
function clockOfEnd({ connection }: Site, id: string): Clock {
  const isOver = async (): Promise<boolean> => !(await inspectContainer(connection, id)).isRunning;
  return {
    ...monotonicClock,
    delay: async (milliseconds, signal) => {
      await until(isOver, 'the engine has recorded the exit');
      await monotonicClock.delay(milliseconds, signal);
    },
  };
}

describe('a shell in a container of a real engine', () => {
  const site = new Site();
  /** A running container for all tests. */
  let standing: string;
  let open: ShellTerminal[];
  before(async () => {
    standing = await site.sleeper();
  });
  beforeEach(() => {
    open = [];
  });
  afterEach(async () => {
    for (const one of open) one.close();
    await Promise.all(open.map((one) => one.ended));
  });
  after(() => site.leave());

  async function shellIn(
    id: string,
    shell?: string,
    clock?: Clock,
    more: Partial<ShellOptions> = {},
  ): Promise<ShellTerminal> {
    const details = await inspectContainer(site.connection, id);
    const env = shellVariables(details.variables);
    const owner = { id, name: 'web' };
    const options = {
      owner,
      shell,
      env,
      ...more,
      startedAt: details.startedAt,
      mark: `gantry-${'a1'.repeat(8)}`,
    };
    const made = await ShellTerminal.create(options, {
      connection: site.connection,
      ...(clock && { clock }),
    });
    open.push(made);
    return made;
  }

  /** Returns the processes of the container for all tests. */
  async function others(): Promise<string> {
    const exec = await createExec(site.connection, standing, { command: ['ps'], hasTty: true });
    const { output } = await startExec(site.connection, exec, { hasTty: true });
    let text = '';
    for await (const chunk of output) text += Buffer.from(chunk).toString();
    return text;
  }

  /** Imports an image that contains only busybox under these names. */
  async function imageOf(names: readonly string[]): Promise<string> {
    const data = busybox();
    const files = names.map(
      (name) => ({ name: `bin/${name}`, kind: 'file', data, mode: 0o755 }) as const,
    );
    const how = { body: tar(files), type: 'application/x-tar' };
    const repository = site.name();
    const path = `/images/create?fromSrc=-&repo=${repository}&tag=1`;
    const said = await askWell(site.facts.socket, 'POST', path, how);
    const [id] = /[0-9a-f]{64}/.exec(said) ?? assert.fail(said);
    return site.owns(id);
  }

  it('has the size of its terminal from the start, and reports its exit code', async () => {
    const shell = await shellIn(standing);
    const user = new TerminalUser(shell);
    user.type('echo $((6*7)) $TERM; stty size\r');
    await user.sees('42 xterm-256color');
    await user.sees('31 97');
    shell.setDimensions({ columns: 60, rows: 10 });
    // The input may arrive before the new size, which is a separate request.
    user.type('until [ "$(stty size)" = "$((5*2)) 60" ]; do :; done; stty size\r');
    await user.sees('10 60');
    assert.doesNotMatch(user.seen, /gantry-/);
    user.type('exit 3\r');
    await user.seesItClose(3);
  });

  it('has another user, folder and variables, and ends with its terminal all the same', async () => {
    const more = { user: '1234', workingDir: '/tmp', env: ['NAME=a b'] };
    const shell = await shellIn(standing, undefined, undefined, more);
    const user = new TerminalUser(shell);
    user.type('echo "$(id -u) $PWD <$NAME>"; exec sleep 4325\r');
    await user.sees('1234 /tmp <a b>');
    shell.close();
    await shell.ended;
    await until(async () => !(await others()).includes('sleep 4325'), 'the program has ended');
  });

  it('names the folder or user that its container does not have', async () => {
    const folder = { workingDir: '/nosuch' };
    const shell = new TerminalUser(await shellIn(standing, undefined, undefined, folder));
    await shell.sees('web has no folder /nosuch.');
    // Some engines refuse it before the start.
    const open = shellIn(standing, 'sh', undefined, { user: 'nosuch' });
    const refused = await open.then(
      async (one) => {
        const user = new TerminalUser(one);
        await user.sees('web has no user or group "nosuch".');
        return undefined;
      },
      (error: unknown) => (error instanceof Error ? error.message : ''),
    );
    assert.match(refused ?? 'unable to find user nosuch', /unable to find user nosuch/);
  });

  it('can be opened again when its container has run again', async () => {
    const id = await site.sleeper();
    let problem: string | undefined = 'It is not running.';
    const more = { reopen: () => Promise.resolve(problem) };
    const user = new TerminalUser(await shellIn(id, undefined, clockOfEnd(site, id), more));
    user.type('echo $((6*7))\r');
    await user.sees('42');
    await killContainer(site.connection, id);
    await user.sees('Press Enter to open a new shell, or any other key to close the terminal.');
    user.type('\r');
    await user.sees('It is not running.');
    assert.equal(user.closedWith, undefined);
    problem = undefined;
    user.type('\r');
    await user.seesItClose(undefined);
  });

  it('passes on Ctrl+C', async () => {
    const user = new TerminalUser(await shellIn(standing));
    await user.sees('# ');
    user.type('sh -c "echo rea""dy; sleep 1000"\r');
    await user.sees('ready');
    user.type('\x03');
    await until(() => Promise.resolve(/ready[^]*# /.test(user.seen)), 'the shell prompt is shown');
    user.type('echo back $?\r');
    await user.sees('back 130');
  });

  it('passes on Ctrl+P at once, instead of waiting for a detach sequence', async () => {
    const user = new TerminalUser(await shellIn(standing));
    await user.sees('# ');
    user.type('echo previous"ly"\r');
    await user.sees('previously');
    // The shell shows its last command again.
    user.type('\x10');
    await until(
      () => Promise.resolve(/previously[^]*echo previous"ly"/.test(user.seen)),
      'the last command is shown again',
    );
  });

  it('ends with all its processes when its terminal is closed', async () => {
    const shell = await shellIn(standing);
    new TerminalUser(shell).type('sleep 4321\r');
    await until(async () => (await others()).includes('sleep 4321'), 'the program runs');
    shell.close();
    await shell.ended;
    await until(async () => !/sleep 4321| sh\b/.test(await others()), 'only ps runs');
  });

  it('reports that its container was stopped, and closes on the next key', async () => {
    const id = await site.sleeper();
    const user = new TerminalUser(await shellIn(id, undefined, clockOfEnd(site, id)));
    user.type('echo $((6*7))\r');
    await user.sees('42');
    await killContainer(site.connection, id);
    await user.sees('Container web was stopped, which closed the shell.');
    await user.sees('Press any key');
    user.type('x');
    await user.seesItClose(undefined);
  });

  it('that is missing in the image is reported in one sentence', async () => {
    const id = await site.sleeper({ body: { Image: await imageOf(['sleep']) } });
    const user = new TerminalUser(await shellIn(id));
    await user.sees('The image of web has no shell (bash or sh).');
    const other = new TerminalUser(await shellIn(id, 'fish'));
    await other.sees('The image of web has no fish.');
    const third = new TerminalUser(await shellIn(standing, 'fish'));
    await third.sees('The image of web has no fish.');
  });

  it('selected by the user runs even if there is no sh', async () => {
    const id = await site.sleeper({ body: { Image: await imageOf(['sleep', 'ash']) } });
    const user = new TerminalUser(await shellIn(id, 'ash'));
    user.type('echo $((6*7)); exit 4\r');
    await user.sees('42');
    await user.seesItClose(4);
  });
});

describe('a terminal attached to a container of a real engine', () => {
  let site: Site;
  beforeEach(() => (site = new Site()));
  afterEach(() => site.leave());

  async function attached(id: string): Promise<{ pty: AttachTerminal; user: TerminalUser }> {
    const details = await inspectContainer(site.connection, id);
    const owner = { id, name: 'web' };
    checkAttachable(details, owner);
    const pty = new AttachTerminal(owner, details, {
      connection: site.connection,
      clock: clockOfEnd(site, id),
    });
    return { pty, user: new TerminalUser(pty) };
  }

  it("uses the container's own TTY, and leaves the container running", async () => {
    const body = { OpenStdin: true, Tty: true };
    const command = ['sh', '-c', 'while read x; do echo "got $x" $(stty size); done'];
    const id = await site.run(command, { body });
    const first = await attached(id);
    await first.user.sees('press Ctrl+] twice');
    first.user.type('a\r');
    await first.user.sees('got a');
    first.user.type('\x1d');
    first.user.type('\x1d');
    await first.user.seesItClose(undefined);
    first.pty.close();
    const second = await attached(id);
    // Sent repeatedly, because Podman applies a size after it has accepted it, and may apply only the repeated one.
    await until(() => {
      second.user.type('b\r');
      return Promise.resolve(second.user.seen.includes('got b 31 97'));
    }, 'the new terminal size is reported');
    await stopContainer(site.connection, id);
    await second.user.sees('Container web exited with code 137.');
    second.pty.close();
  });

  it('echoes the input if the container has no TTY', async () => {
    const id = await site.run(['sh', '-c', 'read x; echo "got $x"; exit 5'], {
      body: { OpenStdin: true },
    });
    const { pty, user } = await attached(id);
    user.type('ax\x7fb');
    await user.sees('ax\b \bb');
    user.type('\r');
    await user.sees('got ab\r\n');
    await user.sees('Container web exited with code 5.');
    pty.close();
  });

  it('is rejected if the container takes no input', async () => {
    await assert.rejects(attached(await site.sleeper()), /takes no input/);
    await assert.rejects(attached(await site.create(['true'])), /is not running/);
  });
});

/** Returns the busybox program in the bed's image. */
function busybox(): Buffer {
  const packed = busyboxTar();
  const at = packed.indexOf('bin/busybox\0');
  const size = parseInt(packed.toString('latin1', at + 124, at + 135), 8);
  return Buffer.from(packed.subarray(at + 512, at + 512 + size));
}
