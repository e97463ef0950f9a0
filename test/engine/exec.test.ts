import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openConnection, type Connection } from '../../src/engine/http/connection.ts';
import { killContainer } from '../../src/engine/containers/containerLifecycle.ts';
import { waitForContainer } from '../../src/engine/containers/waitForContainer.ts';
import { parseEndpoint, type Endpoint } from '../../src/engine/http/endpoint.ts';
import { attachContainer, resizeContainer } from '../../src/engine/containers/attachContainer.ts';
import {
  createExec,
  waitForExecExit,
  inspectExec,
  resizeExec,
  startDetachedExec,
  startExec,
  type ExecSpec,
} from '../../src/engine/exec/exec.ts';
import { runProcess } from '../../src/engine/exec/runExec.ts';
import { OutputFrames } from '../../src/engine/wire/outputFrames.ts';
import type { DuplexStream } from '../../src/engine/http/duplexStream.ts';
import { until } from '../bed/until.ts';
import { encrypt, makeCertificates } from '../bed/tls.ts';
import { itOnDocker, refusal, Site } from './support.ts';

/** Collects the output so far. */
class Reading {
  text = '';
  readonly end: Promise<string>;

  constructor({ output }: DuplexStream) {
    this.end = this.#read(output);
  }

  has(words: string | RegExp): Promise<unknown> {
    return until(
      () => Promise.resolve(this.text.search(words) >= 0),
      `${words} in: ${this.text.slice(-500)}`,
    );
  }

  async #read(output: AsyncIterable<Uint8Array>): Promise<string> {
    for await (const chunk of output) this.text += Buffer.from(chunk).toString();
    return this.text;
  }
}

async function run(
  connection: Connection,
  id: string,
  spec: ExecSpec,
): Promise<{ exec: string; twoWay: DuplexStream }> {
  const exec = await createExec(connection, id, spec);
  return { exec, twoWay: await startExec(connection, exec, spec) };
}

const type = (twoWay: DuplexStream, text: string): Promise<void> => twoWay.write(Buffer.from(text));

/**
 * Confirms each typed terminal size when the terminal has it: an engine may respond before it applies the
 * resize.
 */
const SIZES =
  'while read want; do until [ "$(stty size)" = "$want" ]; do sleep 0.1; done; echo "it is $want"; done';

describe('exec in a container of a real engine', () => {
  const site = new Site();
  /** A running container for all tests. */
  let id: string;
  before(async () => {
    id = await site.sleeper();
  });
  after(() => site.leave());

  it('exchanges input and output, and reports the exit code', async () => {
    const command = ['sh', '-c', 'echo up; read name; echo "hello $name from $WHERE"; exit 3'];
    const spec = { command, env: ['WHERE=here'], hasTty: true };
    const { exec, twoWay } = await run(site.connection, id, spec);
    const reading = new Reading(twoWay);
    assert.equal(twoWay.acceptsInput, true);
    // An engine may respond before it reports the exec as running.
    await reading.has('up');
    assert.equal((await inspectExec(site.connection, exec)).isRunning, true);
    await type(twoWay, 'world\n');
    assert.match(await reading.end, /hello world from here\r\n$/);
    assert.equal(await waitForExecExit(site.connection, exec), 3);
  });

  it('gives a process without a TTY its input, and keeps its two outputs apart', async () => {
    const command = ['sh', '-c', 'pwd; echo "$1" >&2; md5sum; exit 3', 'sh', '$(id)\n-x'];
    const input = Buffer.alloc(300_000, 'line\n');
    const process = { command, workingDir: '/tmp', user: '65534', input };
    const result = await runProcess(site.connection, id, process, 1000);
    const sum = createHash('md5').update(input).digest('hex');
    assert.equal(result.stdout.toString(), `/tmp\n${sum}  -\n`);
    assert.equal(result.stderr.toString(), '$(id)\n-x\n');
    assert.deepEqual([result.exitCode, result.isWhole], [3, true]);
  });

  it('applies the initial terminal size and each resize', async () => {
    const command = ['sh', '-c', `echo ready; ${SIZES}`];
    const { exec, twoWay } = await run(site.connection, id, { command, hasTty: true });
    const reading = new Reading(twoWay);
    await reading.has('ready');
    for (const [columns, rows] of [
      [90, 20],
      [131, 43],
    ] as const) {
      await resizeExec(site.connection, exec, { columns, rows });
      await type(twoWay, `${rows} ${columns}\n`);
      await reading.has(`it is ${rows} ${columns}`);
    }
    twoWay.close();
    await reading.end;
  });

  it('accepts a megabyte that is pasted at once', async () => {
    const command = ['sh', '-c', 'stty raw -echo; echo ready; head -c 1048576 | md5sum'];
    const { exec, twoWay } = await run(site.connection, id, { command, hasTty: true });
    const reading = new Reading(twoWay);
    await reading.has('ready');
    await type(twoWay, 'x'.repeat(1024 * 1024));
    const sum = createHash('md5')
      .update('x'.repeat(1024 * 1024))
      .digest('hex');
    assert.ok((await reading.end).includes(sum));
    assert.equal(await waitForExecExit(site.connection, exec), 0);
  });

  it('reports a missing program in its output and its exit code', async () => {
    const { exec, twoWay } = await run(site.connection, id, { command: ['nosuch'], hasTty: true });
    assert.match(await new Reading(twoWay).end, /nosuch/);
    assert.ok([126, 127].includes((await waitForExecExit(site.connection, exec)) ?? 0));
  });

  it('separates stdout and stderr without a terminal', async () => {
    const command = ['sh', '-c', 'echo out; echo err >&2'];
    const { twoWay } = await run(site.connection, id, { command, hasTty: false });
    const frames = new OutputFrames();
    const seen = { stdout: '', stderr: '' };
    for await (const chunk of twoWay.output)
      for (const { source, bytes } of frames.push(chunk))
        seen[source] += Buffer.from(bytes).toString();
    assert.deepEqual(seen, { stdout: 'out\n', stderr: 'err\n' });
  });

  it('runs in the background if detached', async () => {
    const command = ['sh', '-c', 'echo done > /tmp/said'];
    const exec = await createExec(site.connection, id, { command, hasTty: false });
    await startDetachedExec(site.connection, exec);
    await until(async () => {
      const look = { command: ['cat', '/tmp/said'], hasTty: true };
      const { twoWay } = await run(site.connection, id, look);
      return (await new Reading(twoWay).end).startsWith('done');
    }, 'the command has written its file');
  });

  it('is rejected if the container is not running, or does not exist', async () => {
    const stopped = await site.create(['true']);
    const spec = { command: ['true'], hasTty: true };
    await refusal(createExec(site.connection, stopped, spec));
    const gone = await refusal(createExec(site.connection, 'f'.repeat(64), spec));
    assert.equal(gone.reason, 'notFound');
    const noExec = await refusal(startExec(site.connection, 'f'.repeat(64), spec));
    assert.equal(noExec.reason, 'notFound');
  });

  it('ends with its container', async () => {
    const own = await site.sleeper();
    const { exec, twoWay } = await run(site.connection, own, { command: ['sh'], hasTty: true });
    const reading = new Reading(twoWay);
    await reading.has(/[#$] /);
    await killContainer(site.connection, own);
    await reading.end;
    await waitForExecExit(site.connection, exec).catch(() => undefined);
  });

  itOnDocker('works over TCP', async () => {
    const server = createServer((socket) => {
      const behind = connect(site.facts.socket);
      behind.on('error', () => socket.destroy());
      socket.on('error', () => behind.destroy());
      socket.pipe(behind).pipe(socket);
    });
    const port = await listening(server);
    const connection = openConnection(parseEndpoint(`tcp://127.0.0.1:${port}`, 'setting'));
    try {
      await talk(connection);
    } finally {
      connection.dispose();
      server.close();
    }
  });

  itOnDocker('works over TLS', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gantry-exec-'));
    const { ca, server } = await makeCertificates(folder);
    const listener = await encrypt(site.facts.socket, { cert: server.cert, key: server.key });
    const { transport, ...rest } = parseEndpoint(`tcp://127.0.0.1:${listener.port}`, 'setting');
    const tls = { verify: true, ca: ca.cert };
    const connection = openConnection({ ...rest, transport: { ...transport, tls } } as Endpoint);
    try {
      await talk(connection);
    } finally {
      connection.dispose();
      await listener.stop();
      rmSync(folder, { recursive: true });
    }
  });

  async function talk(connection: Connection): Promise<void> {
    const { exec, twoWay } = await run(connection, id, { command: ['cat'], hasTty: true });
    const reading = new Reading(twoWay);
    await type(twoWay, 'there and back\n');
    await reading.has(/there and back\r\nthere and back\r\n/);
    await type(twoWay, '\x04');
    await reading.end;
    assert.equal(await waitForExecExit(connection, exec), 0);
  }

  async function listening(server: Server): Promise<number> {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  }
});

describe('attaching to a container of a real engine', () => {
  let site: Site;
  beforeEach(() => (site = new Site()));
  afterEach(() => site.leave());

  it('sends input to its end, and receives the output after that', async () => {
    const body = { OpenStdin: true, StdinOnce: true };
    const id = await site.run(['sh', '-c', 'sort; echo end >&2'], { body });
    const { exit } = await waitForContainer(site.connection, id, 'not-running');
    const twoWay = await attachContainer(site.connection, id, { wantsInput: true });
    const frames = new OutputFrames();
    await type(twoWay, 'b\nc\n');
    await type(twoWay, 'a\n');
    twoWay.end();
    // Separately: engines do not preserve the order between stdout and stderr.
    const seen = { stdout: '', stderr: '' };
    for await (const chunk of twoWay.output)
      for (const { source, bytes } of frames.push(chunk))
        seen[source] += Buffer.from(bytes).toString();
    assert.deepEqual(seen, { stdout: 'a\nb\nc\n', stderr: 'end\n' });
    assert.equal((await exit).exitCode, 0);
  });

  it('applies the terminal size, and leaves the container running on detach', async () => {
    const body = { OpenStdin: true, Tty: true };
    const command = ['sh', '-c', SIZES];
    const id = await site.run(command, { body });
    const options = { wantsInput: true, detachKeys: 'ctrl-^,ctrl-@,ctrl-^,ctrl-_' };
    const twoWay = await attachContainer(site.connection, id, options);
    const reading = new Reading(twoWay);
    await resizeContainer(site.connection, id, { columns: 91, rows: 21 });
    await type(twoWay, '21 91\n');
    await reading.has('it is 21 91');
    twoWay.close();
    await reading.end;
    const again = await attachContainer(site.connection, id, options);
    const rest = new Reading(again);
    await type(again, '21 91\n');
    await rest.has('it is 21 91');
    again.close();
    await rest.end;
  });
});
