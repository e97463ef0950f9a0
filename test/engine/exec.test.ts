import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { attachContainer, resizeContainer } from '../../src/engine/containers/attachContainer.ts';
import { openConnection, type Connection } from '../../src/engine/http/connection.ts';
import { killContainer } from '../../src/engine/containers/containerLifecycle.ts';
import { waitForContainer } from '../../src/engine/containers/waitForContainer.ts';
import { parseEndpoint, type Endpoint } from '../../src/engine/discovery/endpoint.ts';
import {
  createExec,
  waitForExecExit,
  inspectExec,
  resizeExec,
  startDetachedExec,
  startExec,
  type ExecSpec,
} from '../../src/engine/containers/exec.ts';
import { OutputFrames } from '../../src/engine/outputFrames.ts';
import type { DuplexStream } from '../../src/engine/http/duplexStream.ts';
import { until } from '../bed/http.ts';
import { encrypt, makeCertificates } from '../bed/tls.ts';
import { refusal, Site } from './support.ts';

/** What has come so far. */
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

describe('a program run in a container of a real engine', () => {
  let site: Site;
  beforeEach(() => (site = new Site()));
  afterEach(() => site.leave());

  it('talks with whoever started it, and tells how it ended', async () => {
    const id = await site.sleeper();
    const command = ['sh', '-c', 'read name; echo "hello $name from $WHERE"; exit 3'];
    const spec = { command, env: ['WHERE=here'], hasTty: true };
    const { exec, twoWay } = await run(site.connection, id, spec);
    const reading = new Reading(twoWay);
    assert.equal(twoWay.takesInput, true);
    assert.equal((await inspectExec(site.connection, exec)).isRunning, true);
    await type(twoWay, 'world\n');
    assert.match(await reading.end, /hello world from here\r\n$/);
    assert.equal(await waitForExecExit(site.connection, exec), 3);
  });

  it('hears of the size of its terminal, and of each change', async () => {
    const id = await site.sleeper();
    const command = ['sh', '-c', 'echo ready; while read x; do stty size; done'];
    const { exec, twoWay } = await run(site.connection, id, { command, hasTty: true });
    const reading = new Reading(twoWay);
    await reading.has('ready');
    for (const [columns, rows] of [
      [90, 20],
      [131, 43],
    ] as const) {
      await resizeExec(site.connection, exec, { columns, rows });
      await type(twoWay, '\n');
      await reading.has(`${rows} ${columns}`);
    }
    twoWay.close();
    await reading.end;
  });

  it('takes a megabyte that is pasted at once, all of it', async () => {
    const id = await site.sleeper();
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

  it('that does not exist says so in its output and its exit code', async () => {
    const id = await site.sleeper();
    const { exec, twoWay } = await run(site.connection, id, { command: ['nosuch'], hasTty: true });
    assert.match(await new Reading(twoWay).end, /nosuch/);
    assert.ok([126, 127].includes((await waitForExecExit(site.connection, exec)) ?? 0));
  });

  it('without a terminal keeps its two outputs apart', async () => {
    const id = await site.sleeper();
    const command = ['sh', '-c', 'echo out; echo err >&2'];
    const { twoWay } = await run(site.connection, id, { command, hasTty: false });
    const frames = new OutputFrames();
    const seen = { stdout: '', stderr: '' };
    for await (const chunk of twoWay.output)
      for (const { source, bytes } of frames.push(chunk))
        seen[source] += Buffer.from(bytes).toString();
    assert.deepEqual(seen, { stdout: 'out\n', stderr: 'err\n' });
  });

  it('runs by itself where nobody wants its output', async () => {
    const id = await site.sleeper();
    const command = ['sh', '-c', 'echo done > /tmp/said'];
    const exec = await createExec(site.connection, id, { command, hasTty: false });
    await startDetachedExec(site.connection, exec);
    await until(async () => {
      const look = { command: ['cat', '/tmp/said'], hasTty: true };
      const { twoWay } = await run(site.connection, id, look);
      return (await new Reading(twoWay).end).startsWith('done');
    }, 'what it wrote');
  });

  it('is refused in a container that does not run, or is not there', async () => {
    const id = await site.create(['true']);
    const spec = { command: ['true'], hasTty: true };
    await refusal(createExec(site.connection, id, spec));
    const gone = await refusal(createExec(site.connection, 'f'.repeat(64), spec));
    assert.equal(gone.reason, 'notFound');
    const noExec = await refusal(startExec(site.connection, 'f'.repeat(64), spec));
    assert.equal(noExec.reason, 'notFound');
  });

  it('ends with its container', async () => {
    const id = await site.sleeper();
    const { exec, twoWay } = await run(site.connection, id, { command: ['sh'], hasTty: true });
    const reading = new Reading(twoWay);
    await reading.has(/[#$] /);
    await killContainer(site.connection, id);
    await reading.end;
    await waitForExecExit(site.connection, exec).catch(() => undefined);
  });

  it('is reached over TCP as over a socket', async () => {
    const id = await site.sleeper();
    const server = createServer((socket) => {
      const behind = connect(site.facts.socket);
      behind.on('error', () => socket.destroy());
      socket.on('error', () => behind.destroy());
      socket.pipe(behind).pipe(socket);
    });
    const port = await listening(server);
    const connection = openConnection(parseEndpoint(`tcp://127.0.0.1:${port}`, 'setting'));
    try {
      await talk(connection, id);
    } finally {
      connection.dispose();
      server.close();
    }
  });

  it('is reached over TLS as over a socket', async () => {
    const id = await site.sleeper();
    const folder = mkdtempSync(join(tmpdir(), 'gantry-exec-'));
    const { ca, server } = await makeCertificates(folder);
    const listener = await encrypt(site.facts.socket, { cert: server.cert, key: server.key });
    const { transport, ...rest } = parseEndpoint(`tcp://127.0.0.1:${listener.port}`, 'setting');
    const tls = { verify: true, ca: ca.cert };
    const connection = openConnection({ ...rest, transport: { ...transport, tls } } as Endpoint);
    try {
      await talk(connection, id);
    } finally {
      connection.dispose();
      await listener.stop();
      rmSync(folder, { recursive: true });
    }
  });

  async function talk(connection: Connection, id: string): Promise<void> {
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

describe('a container of a real engine that is attached to', () => {
  let site: Site;
  beforeEach(() => (site = new Site()));
  afterEach(() => site.leave());

  it('takes input to its end, and answers after that', async () => {
    const body = { OpenStdin: true, StdinOnce: true };
    const id = await site.run(['sh', '-c', 'sort; echo end >&2'], { body });
    const { exit } = await waitForContainer(site.connection, id, 'not-running');
    const twoWay = await attachContainer(site.connection, id, { wantsInput: true });
    const frames = new OutputFrames();
    await type(twoWay, 'b\nc\n');
    await type(twoWay, 'a\n');
    twoWay.end();
    // Each by itself: between the two the engine keeps no order.
    const seen = { stdout: '', stderr: '' };
    for await (const chunk of twoWay.output)
      for (const { source, bytes } of frames.push(chunk))
        seen[source] += Buffer.from(bytes).toString();
    assert.deepEqual(seen, { stdout: 'a\nb\nc\n', stderr: 'end\n' });
    assert.equal((await exit).exitCode, 0);
  });

  it('with a terminal hears of its size, and goes on when it is left', async () => {
    const body = { OpenStdin: true, Tty: true };
    const command = ['sh', '-c', 'while read x; do stty size; done'];
    const id = await site.run(command, { body });
    const options = { wantsInput: true, detachKeys: 'ctrl-^,ctrl-@,ctrl-^,ctrl-_' };
    const twoWay = await attachContainer(site.connection, id, options);
    const reading = new Reading(twoWay);
    await resizeContainer(site.connection, id, { columns: 91, rows: 21 });
    await type(twoWay, '\n');
    await reading.has('21 91');
    twoWay.close();
    await reading.end;
    const again = await attachContainer(site.connection, id, options);
    const rest = new Reading(again);
    await type(again, '\n');
    await rest.has('21 91');
    again.close();
    await rest.end;
  });
});
