// Real registries on the loopback of an engine's own network, filled with the bed's images.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { REGISTRY_PORTS, type BedEngine } from './engines.ts';
import { until } from './http.ts';
import { fillRegistry } from './registry-data.ts';

/** Who may pull from a registry. */
export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** The one who may pull from the locked registry. */
export const ALICE: Credentials = { username: 'alice', password: 'gantry-bed-secret' };

/** How a registry shall be. */
export interface RegistryOptions {
  readonly port: number;
  /** With them it asks for a password, without it is open. */
  readonly credentials?: Credentials;
  /** Another engine whose registry's images it has, too: what is pushed to one is in both. */
  readonly sharedWith?: BedEngine;
}

/** Slow enough to cancel a pull of 48 MB, fast enough to see it move. */
const SLOW = 1_000_000;

/** Starts a registry with the bed's images; it ends with the engine. Resolves to `host:port`. */
export async function startRegistry(engine: BedEngine, options: RegistryOptions): Promise<string> {
  const keeper = options.sharedWith ?? engine;
  const storage = join(keeper.folder, 'registry');
  fillOnce(keeper, storage);
  const config = join(engine.folder, `registry-${options.port}.yml`);
  writeFileSync(config, configOf(engine, storage, options));
  return serve(engine, ['docker-registry', 'serve', config], options.port);
}

/** Starts a slow way (bytes a second) to the registry at `to`. Resolves to `host:port`. */
export async function startSlowWay(
  engine: BedEngine,
  options: { readonly port: number; readonly to: number; readonly bytesPerSecond?: number },
): Promise<string> {
  const rate = options.bytesPerSecond ?? SLOW;
  const program = join(import.meta.dirname, 'throttle.ts');
  const argv = [process.execPath, program, String(options.port), String(options.to), String(rate)];
  return serve(engine, argv, options.port);
}

/** Starts a way to the registry at `to` that can be ended, with all that is under way on it. */
export async function startBreakingWay(
  engine: BedEngine,
  to: number,
  bytesPerSecond = SLOW,
): Promise<{ readonly host: string; readonly end: () => Promise<void> }> {
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
  const child = engine.spawn(argv, { stdio: ['pipe', 'ignore', 'ignore'] });
  await until(() => listens(engine.pid, port), `something listens on port ${port}`);
  const end = async (): Promise<void> => {
    const ended = once(child, 'exit');
    child.stdin?.end();
    await ended;
  };
  return { host: `127.0.0.1:${port}`, end };
}

/** The three registries the suites use, on their usual ports. */
export async function startRegistries(
  engine: BedEngine,
): Promise<{ open: string; locked: string; slow: string }> {
  const { open, locked, slow } = REGISTRY_PORTS;
  return {
    open: await startRegistry(engine, { port: open }),
    locked: await startRegistry(engine, { port: locked, credentials: ALICE }),
    slow: await startSlowWay(engine, { port: slow, to: open }),
  };
}

const filled = new WeakSet<BedEngine>();

function fillOnce(engine: BedEngine, storage: string): void {
  if (filled.has(engine)) return;
  mkdirSync(storage);
  fillRegistry(storage);
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
  // Cost 4: a hash for tests need not be slow, and it is computed on every request.
  writeFileSync(file, execFileSync('htpasswd', ['-Bbn', '-C', '4', username, password]));
  return file;
}

async function serve(engine: BedEngine, argv: string[], port: number): Promise<string> {
  const log = openSync(join(engine.folder, `registry-${port}.log`), 'a');
  const child = engine.spawn(argv, { stdio: ['ignore', log, log] });
  closeSync(log);
  child.unref();
  await until(() => {
    if (child.exitCode !== null) throw new Error(`${argv[0]} ended at once`);
    return listens(engine.pid, port);
  }, `something listens on port ${port}`);
  return `127.0.0.1:${port}`;
}

/** Whether the kernel lists a listening socket for the port in the network of that process. */
function listens(pid: number, port: number): boolean {
  const address = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const sockets = readFileSync(`/proc/${pid}/net/tcp`, 'utf8').split('\n');
  return sockets.some((line) => line.includes(`${address} 00000000:0000 0A`));
}
