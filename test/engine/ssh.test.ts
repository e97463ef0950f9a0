import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { linkSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer, connect as dial, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openConnection, type Connection } from '../../src/engine/http/connection.ts';
import { createContainer, listContainers } from '../../src/engine/containers/containers.ts';
import { removeContainer, startContainer } from '../../src/engine/containers/containerLifecycle.ts';
import type { SshTransport } from '../../src/engine/http/endpoint.ts';
import { EngineError, failedWith, type FailureReason } from '../../src/engine/errors.ts';
import { readLogs } from '../unit/support/readLogs.ts';
import { pullImage } from '../../src/engine/images/pullImage.ts';
import type { SshOptions } from '../../src/engine/ssh/sshLogin.ts';
import type { Ask, SshQuestion } from '../../src/engine/ssh/sshQuestion.ts';
import { sshTunnels } from '../../src/engine/ssh/sshTunnels.ts';
import { engineTime, followEvents } from '../../src/engine/system/system.ts';
import type { Tunnel } from '../../src/engine/http/tunnel.ts';
import { bed } from '../bed/env.ts';
import { until } from '../bed/until.ts';
import { buildOver } from './buildOver.ts';
import { cheap, itOnDocker } from './support.ts';
import { startSshd, type BedSshd, type SshdOptions } from '../bed/sshd.ts';

const HELPER = fileURLToPath(new URL('../../src/engine/ssh/askpass.ts', import.meta.url));
const HOLDER = fileURLToPath(new URL('../bed/tunnelHolder.ts', import.meta.url));
const PASSPHRASE = 'open, please';
/** The lines of a log: 200 kB with their headers and timestamps, more than the sockets between hold back. */
const LINES = 4000;

describe('an engine over SSH', function () {
  this.timeout(90_000);

  let folder: string;
  let sshd: BedSshd;
  let asked: SshQuestion[];
  let ends: (() => unknown)[];
  /** The processes before the test, and all other entries of `/proc`. */
  let others: ReadonlySet<string>;

  beforeEach(() => {
    others = new Set(readdirSync('/proc'));
    folder = mkdtempSync(join(tmpdir(), 'gssh-'));
    asked = [];
    ends = [];
  });

  // No test may leave processes or folders behind.
  afterEach(async () => {
    for (const end of ends.reverse()) await end();
    await until(() => processes().length === 0, 'all ssh processes have exited');
    await until(() => readdirSync(folder).length === 0, 'all temporary folders are removed');
    rmSync(folder, { recursive: true });
  });

  /** Returns the processes that were started for the tunnels of this test. */
  function processes(): number[] {
    const names = (pid: string): boolean =>
      ['cmdline', 'environ'].some((file) => readProc(`/proc/${pid}/${file}`).includes(folder));
    return readdirSync('/proc')
      .filter((name) => !others.has(name) && names(name))
      .map(Number);
  }

  async function serve(options: SshdOptions = {}): Promise<void> {
    sshd = await startSshd(options);
    ends.push(() => sshd.stop());
  }

  const optionsWith = (more: Partial<SshOptions> = {}): SshOptions => ({
    ask: () => Promise.resolve(undefined),
    helper: HELPER,
    extraArguments: sshd.clientArguments,
    temporaryFolder: folder,
    ...more,
  });

  const transportWith = (more: Partial<SshTransport> = {}): SshTransport => ({
    kind: 'ssh',
    host: sshd.host,
    port: sshd.port,
    socket: bed().socket,
    ...more,
  });

  const noting =
    (answer: Ask): Ask =>
    (question, signal) => {
      asked.push(question);
      return answer(question, signal);
    };

  function connect(
    options: Partial<SshOptions> = {},
    transport: Partial<SshTransport> = {},
  ): Connection {
    const openTunnel = sshTunnels(optionsWith(options));
    const connection = openConnection(
      { url: 'ssh://bed', transport: transportWith(transport), source: 'setting' },
      { openTunnel },
    );
    ends.push(() => connection.dispose());
    return connection;
  }

  function tunnelTo(options: Partial<SshOptions> = {}): Tunnel {
    const tunnel = sshTunnels(optionsWith(options))(transportWith(), 'ssh://bed');
    ends.push(() => tunnel.dispose());
    return tunnel;
  }

  async function runContainer(connection: Connection, script: string): Promise<string> {
    const { id } = await createContainer(connection, {
      body: cheap({ Image: bed().image, Cmd: ['sh', '-c', script] }),
    });
    ends.push(() => removeContainer(connection, id, { force: true }));
    await startContainer(connection, id);
    return id;
  }

  /** Lists containers, follows events and reads a log to its end, all at the same time. */
  async function work(connection: Connection, calls = 2): Promise<void> {
    const controller = new AbortController();
    ends.push(() => controller.abort());
    // An engine may respond before the subscription is in force: the first events are replayed.
    const since = await engineTime(connection);
    const replay = since === undefined ? {} : { since };
    const events = await followEvents(connection, replay, controller.signal);
    const id = await runContainer(connection, `seq 1 ${LINES}`);
    const options = { follow: true, tail: 'all', timestamps: false } as const;
    const seen = (async () => {
      for await (const event of events) if (event.id === id && event.action === 'die') return;
      assert.fail('the event stream ended');
    })();
    let lines = 0;
    for await (const batch of await readLogs(connection, id, options, controller.signal))
      lines += batch.length;
    assert.equal(lines, LINES);
    await seen;
    const lists = Array.from({ length: calls }, () => listContainers(connection, { all: true }));
    for (const list of await Promise.all(lists)) assert(list.some((one) => one.id === id));
  }

  const fails = (connection: Connection, ...reasons: FailureReason[]): Promise<EngineError> =>
    failure(listContainers(connection, { all: true }), ...reasons);

  itOnDocker('uses one process and one login for parallel requests', async () => {
    await serve();
    await work(connect(), 30);
    assert.equal(sshd.logins(), 1);
    assert.equal(processes().length, 1);
    assert.deepEqual(asked, []);
  });

  itOnDocker('pulls an image', async () => {
    await serve();
    const reference = `${bed().registry}/gantry/tiny`;
    const { imageId } = await pullImage(connect(), { reference }, () => undefined);
    assert.match(imageId, /^sha256:/);
  });

  it('builds an image', async function () {
    if (bed().kind === 'podman') this.skip();
    await serve();
    assert.equal(await buildOver(connect(), bed().image), '3000000\n');
  });

  it('is found if the address contains no socket path', async () => {
    await serve({ variables: { DOCKER_HOST: `unix://${bed().socket}` } });
    const transport: SshTransport = { kind: 'ssh', host: sshd.host, port: sshd.port };
    const openTunnel = sshTunnels(optionsWith());
    const endpoint = { url: 'ssh://bed', transport, source: 'setting' } as const;
    const connection = openConnection(endpoint, { openTunnel });
    ends.push(() => connection.dispose());
    await listContainers(connection, {});
  });

  itOnDocker('shares one login among parallel first requests', async () => {
    await serve();
    const tunnel = tunnelTo();
    const paths = await Promise.all([tunnel.open(), tunnel.open(), tunnel.open()]);
    assert.equal(new Set([...paths, await tunnel.open()]).size, 1);
    assert.equal(sshd.logins(), 1);
  });

  itOnDocker('unlocks a key with the passphrase that the user enters', async () => {
    await serve({ passphrase: PASSPHRASE });
    const connection = connect({ ask: noting(() => Promise.resolve(PASSPHRASE)) });
    await listContainers(connection, {});
    assert.equal(asked.length, 1);
    assert.equal(asked[0]!.kind, 'password');
    assert.match(asked[0]!.prompt, /^Enter passphrase for key /);
    assert.equal(asked[0]!.host, `${sshd.host}:${sshd.port}`);
  });

  itOnDocker('does not ask again automatically after three wrong passphrases', async () => {
    await serve({ passphrase: PASSPHRASE });
    const connection = connect({ ask: noting(() => Promise.resolve('wrong')) });
    const error = await fails(connection, 'sshRefused');
    assert.match(error.engineMessage ?? '', /Permission denied \(publickey\)/);
    assert.equal(asked.length, 3);
    await fails(connection, 'sshRefused');
    assert.equal(asked.length, 3);
  });

  itOnDocker('does not ask again after a canceled question until the user retries', async () => {
    await serve({ passphrase: PASSPHRASE });
    const answers = [undefined, PASSPHRASE];
    const tunnel = tunnelTo({ ask: noting(() => Promise.resolve(answers.shift())) });
    await failure(tunnel.open(), 'sshRefused');
    await failure(tunnel.open(), 'sshRefused');
    assert.equal(asked.length, 1);
    tunnel.retry();
    await tunnel.open();
    assert.equal(asked.length, 2);
  });

  itOnDocker('withdraws its question when it is no longer needed', async () => {
    await serve({ passphrase: PASSPHRASE });
    const taken = Promise.withResolvers<undefined>();
    const ask: Ask = (_question, signal) => {
      signal.addEventListener('abort', () => taken.resolve(undefined));
      return taken.promise;
    };
    const tunnel = tunnelTo({ ask: noting(ask) });
    const opening = failure(tunnel.open(), 'cut');
    await until(() => asked.length === 1, 'ssh shows a prompt');
    tunnel.dispose();
    await opening;
    await taken.promise;
  });

  itOnDocker('asks to confirm an unknown host key, and remembers a yes', async () => {
    await serve({ isKnown: false });
    const connection = connect({ ask: noting(() => Promise.resolve('yes')) });
    await listContainers(connection, {});
    assert.equal(asked.length, 1);
    assert.equal(asked[0]!.kind, 'confirm');
    assert.match(asked[0]!.prompt, /fingerprint is:? SHA256:/);
    assert.match(readFileSync(sshd.knownHosts, 'utf8'), /ssh-ed25519/);
  });

  itOnDocker('does not log in if the user does not confirm an unknown host key', async () => {
    await serve({ isKnown: false });
    await fails(connect({ ask: noting(() => Promise.resolve(undefined)) }), 'sshRefused');
    assert.equal(asked.length, 1);
    assert.equal(sshd.logins(), 0);
    assert.equal(readFileSync(sshd.knownHosts, 'utf8'), '');
  });

  itOnDocker('does not log in if the host key has changed, and does not ask', async () => {
    await serve();
    await sshd.kill();
    sshd.changeHostKey();
    await sshd.start();
    const error = await fails(connect({ ask: noting(() => Promise.resolve('yes')) }), 'sshHostKey');
    assert.match(error.engineMessage ?? '', /has changed/);
    assert.deepEqual(asked, []);
    assert.equal(sshd.logins(), 0);
  });

  it('is reached through the CLI on its host if forwarding is disabled, in the same login', async () => {
    await serve({ isForwarding: false });
    await work(connect());
    assert.equal(sshd.logins(), 1);
    assert(processes().length > 1);
  });

  itOnDocker('is reached if a login cannot be shared', async () => {
    await serve({ isForwarding: false });
    const connection = connect({ canShare: false });
    await Promise.all([listContainers(connection, {}), listContainers(connection, {})]);
    assert(sshd.logins() > 1);
  });

  itOnDocker('asks nothing if a login cannot be shared', async () => {
    await serve({ passphrase: PASSPHRASE });
    const ask = noting(() => Promise.resolve(PASSPHRASE));
    await fails(connect({ canShare: false, ask }), 'sshRefused');
    assert.deepEqual(asked, []);
  });

  itOnDocker(
    'is missing without its socket, and found when the socket exists, in the same login',
    async () => {
      await serve();
      const own = mkdtempSync(join(tmpdir(), 'gssh-engine-'));
      const socket = join(own, 'late.sock');
      ends.push(() => rmSync(own, { recursive: true }));
      const connection = connect({}, { socket });
      const error = await fails(connection, 'sshSocketMissing');
      assert.equal(error.engineMessage, socket);
      symlinkSync(bed().socket, socket);
      await listContainers(connection, {});
      assert.equal(sshd.logins(), 1);
    },
  );

  itOnDocker('refuses the connection if its socket is dead', async () => {
    await serve();
    const own = mkdtempSync(join(tmpdir(), 'gssh-engine-'));
    ends.push(() => rmSync(own, { recursive: true }));
    const server = createServer().listen(join(own, 'first'));
    await once(server, 'listening');
    linkSync(join(own, 'first'), join(own, 'dead'));
    server.close();
    await once(server, 'close');
    await fails(connect({}, { socket: join(own, 'dead') }), 'refused');
  });

  // Through a remote command, the failure is one of the engine's own CLI.
  for (const [isForwarding, define] of [
    [true, itOnDocker],
    [false, it],
  ] as const)
    define(
      `is missing when it stops, and found when it starts again, ${isForwarding ? 'with socket forwarding' : 'through a remote command'}`,
      async () => {
        await serve({ isForwarding });
        const own = mkdtempSync(join(tmpdir(), 'gssh-engine-'));
        ends.push(() => rmSync(own, { recursive: true }));
        const engine = new Relay(join(own, 'engine.sock'), bed().socket);
        ends.push(() => engine.stop());
        await engine.start();
        const connection = connect({}, { socket: join(own, 'engine.sock') });
        await listContainers(connection, {});
        await engine.stop();
        const isMissed = async (): Promise<boolean> =>
          failedWith(await outcome(listContainers(connection, {})), 'sshSocketMissing');
        await until(isMissed, 'the engine is reported as missing');
        await engine.start();
        await listContainers(connection, {});
        assert.equal(sshd.logins(), 1);
      },
    );

  itOnDocker('reports a stopped server and an unknown host name', async () => {
    await serve();
    await sshd.kill();
    await fails(connect(), 'refused');
    // Longer than a host name may be, so that no name server is queried.
    await fails(connect({}, { host: 'x'.repeat(64) }), 'hostUnknown');
  });

  itOnDocker(
    'ends its streams when the server is killed, and reconnects after its restart',
    async () => {
      await serve();
      const connection = connect();
      const controller = new AbortController();
      const events = await followEvents(connection, {}, controller.signal);
      const reading = failure(drain(events), 'cut');
      await sshd.kill();
      await reading;
      await until(
        async () => failedWith(await outcome(listContainers(connection, {})), 'refused'),
        'the connection is refused',
      );
      await sshd.start();
      await listContainers(connection, {});
      assert.equal(sshd.logins(), 2);
    },
  );

  itOnDocker('leaves nothing open', async () => {
    await serve({ passphrase: PASSPHRASE });
    const ask = noting(() => Promise.resolve(PASSPHRASE));
    const before = open();
    const connection = connect({ ask });
    await listContainers(connection, {});
    assert(open().length > before.length);
    connection.dispose();
    // Resources that earlier tests left to be closed may be gone too.
    await until(() => open().length <= before.length, 'all connections are closed');
  });

  itOnDocker('ends its tunnel when the process is killed', async () => {
    await serve();
    const args = [JSON.stringify(optionsWith()), JSON.stringify(transportWith())];
    const holder = spawn(process.execPath, [HOLDER, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(holder.stdout, 'data');
    assert.equal(processes().length, 2);
    holder.kill('SIGKILL');
    await until(() => processes().length === 0, 'all ssh processes have exited');
    // Nothing else removes the files of a killed process.
    for (const left of readdirSync(folder)) rmSync(join(folder, left), { recursive: true });
  });
});

/** A stand-in for an engine that stops and starts: forwards all connections to the engine of the bed. */
class Relay {
  readonly #path: string;
  readonly #engine: string;
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;

  constructor(path: string, engine: string) {
    this.#path = path;
    this.#engine = engine;
  }

  async start(): Promise<void> {
    this.#server = createServer((socket) => {
      const other = dial(this.#engine);
      this.#join(socket, other);
      this.#join(other, socket);
    });
    this.#server.listen(this.#path);
    await once(this.#server, 'listening');
  }

  async stop(): Promise<void> {
    const server = this.#server;
    if (!server) return;
    this.#server = undefined;
    server.close();
    for (const socket of this.#sockets) socket.destroy();
    await once(server, 'close');
  }

  #join(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    from.on('error', () => undefined);
    from.once('close', () => {
      this.#sockets.delete(from);
      to.destroy();
    });
    from.pipe(to);
  }
}

/** Returns the open resources of the kinds that a tunnel uses. */
function open(): readonly string[] {
  const kinds = ['PipeWrap', 'PipeServerWrap', 'ProcessWrap', 'PipeConnectWrap'];
  return process.getActiveResourcesInfo().filter((kind) => kinds.includes(kind));
}

function readProc(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // Gone by now.
    return '';
  }
}

async function drain(items: AsyncIterable<unknown>): Promise<void> {
  const iterator = items[Symbol.asyncIterator]();
  while (!(await iterator.next()).done);
}

function outcome(work: Promise<unknown>): Promise<unknown> {
  return work.catch((error: unknown) => error);
}

async function failure(
  work: Promise<unknown>,
  ...reasons: readonly FailureReason[]
): Promise<EngineError> {
  const error = await outcome(work);
  assert(error instanceof EngineError, String(error));
  assert(failedWith(error, ...reasons), `${error.reason}: ${error.message}`);
  return error;
}
