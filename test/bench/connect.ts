import { execFile } from 'node:child_process';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { Connection } from '../../src/engine/http/connection.ts';
import { listContainers } from '../../src/engine/containers/containers.ts';
import { Engine } from '../../src/engine/engine.ts';
import { sshTunnels } from '../../src/engine/ssh/sshTunnels.ts';
import type { OpenTunnel } from '../../src/engine/http/tunnel.ts';
import { candidatesOf } from '../../src/engines/engineSpecs.ts';
import { DEFAULT_ENGINE } from '../../src/engines/engineUnit.ts';
import { Inventory } from '../../src/inventory/inventory.ts';
import { Watcher } from '../../src/inventory/watcher.ts';
import { DisposableStore } from '../../src/base/lifetime.ts';
import { wallClock } from '../../src/base/time.ts';
import { ownSsh } from '../bed/ownSsh.ts';
import { startSshd, type BedSshd } from '../bed/sshd.ts';
import type { Measurement, Measurements } from './benchmark.ts';
import { createCrowd } from './crowd.ts';
import { timesInTurn } from './figures.ts';
import { withEngine } from './stage.ts';

const ROUNDS = 15;
/** Fewer rounds, because each requires a login. */
const LOGINS = 7;
/** As many as a developer typically has. */
const CONTAINERS = 20;
const ROOT = join(import.meta.dirname, '../..');

/** A connection to an engine, for Gantry and for the Docker CLI. */
interface Route {
  readonly url: string;
  readonly env: NodeJS.ProcessEnv;
  readonly openTunnel?: OpenTunnel;
}

/**
 * Measures from start to a complete inventory of containers and images, and a list request after that over
 * SSH to this machine, compared with the Docker CLI over the same transport.
 */
export function benchConnect(): Promise<Measurements<'socket' | 'ssh'>> {
  return withEngine(async ({ socket }) => {
    await createCrowd(socket, CONTAINERS);
    const route = { url: `unix://${socket}`, env: process.env };
    const works = { subject: () => connectOnce(route), peer: () => listByProcess(route) };
    return { socket: await timesInTurn(ROUNDS, works), ssh: await benchSsh(route.url) };
  });
}

async function benchSsh(url: string): Promise<Measurement> {
  const sshd = await startSshd({ variables: { DOCKER_HOST: url } });
  try {
    const route = routeBy(sshd);
    const opened = await open(route);
    try {
      return await timesInTurn(LOGINS, {
        subject: () => listContainers(opened.connection, { all: true }),
        peer: () => listByProcess(route),
      });
    } finally {
      opened.dispose();
    }
  } finally {
    await sshd.stop();
  }
}

function routeBy(sshd: BedSshd): Route {
  const path = [ownSsh(sshd), process.env['PATH'] ?? ''].join(delimiter);
  return {
    url: `ssh://root@${sshd.host}:${sshd.port}`,
    env: { ...process.env, PATH: path },
    openTunnel: sshTunnels({
      ask: () => Promise.resolve(undefined),
      helper: join(ROOT, 'dist/askpass.cjs'),
      extraArguments: sshd.clientArguments,
      temporaryFolder: sshd.folder,
    }),
  };
}

async function connectOnce(route: Route): Promise<void> {
  (await open(route)).dispose();
}

/** Connects as a window does. Resolves when the inventory is complete. */
async function open(route: Route): Promise<{ readonly connection: Connection; dispose(): void }> {
  const store = new DisposableStore();
  const engine = store.add(engineAt(route));
  const inventory = store.add(new Inventory());
  const connect = (signal?: AbortSignal): Promise<Connection> => engine.check(signal);
  const watcher = store.add(new Watcher({ inventory, connect, clock: wallClock }));
  const isLive = untilLive(inventory);
  watcher.start();
  await isLive;
  const connection = await engine.connect();
  return {
    connection,
    dispose: () => {
      store.dispose();
    },
  };
}

/** Returns an engine found with the rules of the Docker CLI, including its files. */
function engineAt({ url, env, openTunnel }: Route): Engine {
  const machine = {
    platform: process.platform,
    home: homedir(),
    env: { ...env, DOCKER_HOST: url },
  };
  const settings = { host: () => '', engines: () => ({}) };
  return new Engine({
    discover: () => candidatesOf({ id: DEFAULT_ENGINE, name: 'bench' }, settings, machine),
    ...(openTunnel && { openTunnel }),
  });
}

function untilLive(inventory: Inventory): Promise<void> {
  return new Promise((resolve, reject) => {
    inventory.onDidChange(() => {
      const { phase } = inventory;
      if (phase.kind === 'live') resolve();
      if (phase.kind === 'lost') reject(phase.error);
    });
  });
}

async function listByProcess({ url, env }: Route): Promise<void> {
  await promisify(execFile)('docker', ['-H', url, 'container', 'ls', '--all'], { env });
}
