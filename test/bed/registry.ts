// Real registries on the loopback interface of an engine's own network, filled with the bed's images.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { REGISTRY_PORTS, type BedEngine } from './engines.ts';
import { until } from './until.ts';
import { fillRegistry } from './registry-data.ts';

/** Credentials of a registry. */
export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** The user of the locked registry. */
export const ALICE: Credentials = { username: 'alice', password: 'gantry-bed-secret' };

/** Options of a new registry. */
export interface RegistryOptions {
  readonly port: number;
  /** If set, the registry requires these credentials; otherwise it is open. */
  readonly credentials?: Credentials;
  /** Size of each of the eight layers of `gantry/layers:1`. */
  readonly layerBytes?: number;
  /** Another engine whose registry storage is shared: an image pushed to one is in both. */
  readonly sharedWith?: BedEngine;
}

/** In bytes per second: slow enough to cancel a pull of 12 MB, fast enough to show progress. */
export const SLOW = 400_000;

/** Starts a registry with the bed's images; it ends with the engine. Resolves to `host:port`. */
export async function startRegistry(engine: BedEngine, options: RegistryOptions): Promise<string> {
  const keeper = options.sharedWith ?? engine;
  const storage = join(keeper.folder, 'registry');
  fillOnce(keeper, storage, options.layerBytes);
  const config = join(engine.folder, `registry-${options.port}.yml`);
  writeFileSync(config, configOf(engine, storage, options));
  return serve(engine, ['docker-registry', 'serve', config], options.port);
}

/** Starts a slow relay to the registry at port `to`. Resolves to `host:port`. */
export async function startSlowRelay(
  engine: BedEngine,
  options: { readonly port: number; readonly to: number; readonly bytesPerSecond?: number },
): Promise<string> {
  const rate = options.bytesPerSecond ?? SLOW;
  const program = join(import.meta.dirname, 'throttle.ts');
  const argv = [process.execPath, program, String(options.port), String(options.to), String(rate)];
  return serve(engine, argv, options.port);
}

/** A slow relay to a registry. */
export interface BreakingRelay {
  /** `host:port`. */
  readonly host: string;
  /** Whether it is sending a layer: what comes before the layers of an image is much smaller than this. */
  readonly isInLayers: () => boolean;
  /** Stops the relay and cuts its connections. */
  readonly end: () => Promise<void>;
}

/** What the relay has sent, in bytes, once it sends layers. */
const IN_LAYERS = 32_768;

/** Starts a slow relay to the registry at port `to`, which can be stopped. */
export async function startBreakingRelay(
  engine: BedEngine,
  to: number,
  bytesPerSecond = SLOW,
): Promise<BreakingRelay> {
  const program = join(import.meta.dirname, 'throttle.ts');
  const port = REGISTRY_PORTS.breaking;
  const argv = [
    process.execPath,
    program,
    String(port),
    String(to),
    String(bytesPerSecond),
    'until-told',
  ];
  const child = engine.spawn(argv, { stdio: ['pipe', 'pipe', 'ignore'] });
  let sent = 0;
  createInterface({ input: child.stdout! }).on('line', (line) => (sent = Number(line)));
  await until(() => listens(engine.pid, port), `something listens on port ${port}`);
  const end = async (): Promise<void> => {
    const ended = once(child, 'exit');
    child.stdin?.end();
    await ended;
  };
  return { host: `127.0.0.1:${port}`, isInLayers: () => sent > IN_LAYERS, end };
}

/** Starts the three registries of the suites on their usual ports. */
export async function startRegistries(
  engine: BedEngine,
): Promise<{ open: string; locked: string; slow: string }> {
  const { open, locked, slow } = REGISTRY_PORTS;
  return {
    open: await startRegistry(engine, { port: open }),
    locked: await startRegistry(engine, { port: locked, credentials: ALICE }),
    slow: await startSlowRelay(engine, { port: slow, to: open }),
  };
}

const filled = new WeakSet<BedEngine>();

function fillOnce(engine: BedEngine, storage: string, layerBytes?: number): void {
  if (filled.has(engine)) return;
  mkdirSync(storage);
  fillRegistry(storage, layerBytes);
  filled.add(engine);
}

function configOf(engine: BedEngine, storage: string, options: RegistryOptions): string {
  return JSON.stringify({
    version: 0.1,
    log: { level: 'warn' },
    storage: { filesystem: { rootdirectory: storage }, delete: { enabled: true } },
    http: { addr: `127.0.0.1:${options.port}` },
    ...(options.credentials && {
      auth: { htpasswd: { realm: 'gantry', path: passwords(engine, options.credentials) } },
    }),
  });
}

function passwords(engine: BedEngine, { username, password }: Credentials): string {
  const file = join(engine.folder, 'htpasswd');
  // Cost 4: a hash for tests does not have to be slow, and it is computed on every request.
  writeFileSync(file, execFileSync('htpasswd', ['-Bbn', '-C', '4', username, password]));
  return file;
}

async function serve(engine: BedEngine, argv: string[], port: number): Promise<string> {
  const log = openSync(join(engine.folder, `registry-${port}.log`), 'a');
  const child = engine.spawn(argv, { stdio: ['ignore', log, log] });
  closeSync(log);
  child.unref();
  await until(
    () => child.exitCode !== null || listens(engine.pid, port),
    `something listens on port ${port}`,
  );
  if (child.exitCode !== null) throw new Error(`${argv[0]} ended at once`);
  return `127.0.0.1:${port}`;
}

/** Returns whether the kernel lists a listening socket for the port in the network of that process. */
function listens(pid: number, port: number): boolean {
  const address = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const sockets = readFileSync(`/proc/${pid}/net/tcp`, 'utf8').split('\n');
  return sockets.some((line) => line.includes(`${address} 00000000:0000 0A`));
}
