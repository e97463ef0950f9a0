// Real engines of our own: Docker's daemon and Podman's API service, each in namespaces and with
// data of its own. An engine that is on the machine already is neither used nor disturbed.
import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildUnderTest, type EngineBuild } from './env.ts';
import { ask, until } from './http.ts';
import { firstChild, openSpace, runIn, type Ran, type Space } from './space.ts';

/** Ports of the bed's registries, the same in every engine's own network. */
// Behind `breaking` a test puts a way that it ends when it likes.
export const REGISTRY_PORTS = { open: 5055, locked: 5056, slow: 5057, breaking: 5058 } as const;

/** The engines the bed can bring up. */
export type EngineKind = 'docker' | 'podman';

/** What can be asked of a new engine. */
export interface EngineOptions {
  /** Where its socket shall be, if not in its folder. The directory has to exist. */
  readonly socket?: string;
  /** How much it can keep in all, as a mount option has it: `64m`. Default: what the machine has. */
  readonly dataSize?: string;
  /** Further arguments of Docker's daemon; Podman has none. */
  readonly daemonArguments?: readonly string[];
  /** Default: that of the engine under test. */
  readonly build?: EngineBuild;
}

/** A running engine of the bed's. */
export interface BedEngine {
  readonly kind: EngineKind;
  readonly build: EngineBuild;
  readonly socket: string;
  readonly url: string;
  /** Everything it has on disk; removed by `stop`. */
  readonly folder: string;
  /** The daemon's process, in the machine's numbering. */
  readonly pid: number;
  /** Runs a program in the engine's network to its end. */
  exec(argv: readonly string[]): Promise<Ran>;
  /** Starts a program in the engine's network; it ends with the engine at the latest. */
  spawn(argv: readonly string[], options?: SpawnOptions): ChildProcess;
  /** The fault: the daemon alone is killed, its containers go on as they can. */
  kill(): Promise<void>;
  /** The fault: the daemon takes connections but answers nothing. */
  pause(): void;
  resume(): void;
  /** Ends the daemon, if it still runs, and starts it on the same data and socket. */
  restart(): Promise<void>;
  /** Ends everything and removes every trace. A second call waits for the first. */
  stop(): Promise<void>;
}

interface Daemon {
  readonly argv: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

type Recipe = (space: Space, socket: string, build: EngineBuild) => Daemon;

/** Starts a Docker engine. */
export function startDocker(options: EngineOptions = {}): Promise<BedEngine> {
  const recipe: Recipe = (space, socket, build) => {
    const { argv, env } = dockerRecipe(space, socket, build);
    return { argv: [...argv, ...(options.daemonArguments ?? [])], env };
  };
  return startEngine('docker', recipe, options);
}

/** Starts Podman's API service. */
export function startPodman(options: EngineOptions = {}): Promise<BedEngine> {
  return startEngine('podman', podmanRecipe, options);
}

/** Starts the engine of that kind. */
export function startEngineOf(kind: EngineKind, options: EngineOptions = {}): Promise<BedEngine> {
  return kind === 'docker' ? startDocker(options) : startPodman(options);
}

function dockerRecipe({ folder, inner }: Space, socket: string, build: EngineBuild): Daemon {
  const config = join(folder, 'daemon.json');
  // New versions take that store unless told otherwise; old ones do not know the word, and do not mind.
  const features = { 'containerd-snapshotter': build.hasContainerdStore };
  writeFileSync(config, JSON.stringify({ features }));
  rmSync(join(folder, 'docker.pid'), { force: true });
  const places = ['--data-root', join(folder, 'data'), '--exec-root', join(folder, 'exec')];
  const rest = ['--pidfile', join(folder, 'docker.pid'), '--config-file', config];
  const driver = ['--exec-opt', 'native.cgroupdriver=cgroupfs'];
  return {
    argv: ['dockerd', '-H', `unix://${inner(socket)}`, ...places, ...rest, ...driver],
    env: {},
  };
}

/** Podman asks for higher limits than the process may have; crun refuses mixed cgroup versions. */
const CONTAINERS_CONF = `
[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
`;

function podmanRecipe({ folder, inner }: Space, socket: string): Daemon {
  const conf = join(folder, 'containers.conf');
  const registries = join(folder, 'registries.conf');
  writeFileSync(conf, CONTAINERS_CONF);
  writeFileSync(registries, registriesConf());
  const flags = ['root', 'runroot', 'tmpdir', 'network-config-dir'].flatMap((flag) => {
    mkdirSync(join(folder, flag), { recursive: true });
    return [`--${flag}`, join(folder, flag)];
  });
  const service = ['system', 'service', '--time=0', `unix://${inner(socket)}`];
  return {
    argv: ['podman', ...flags, '--storage-driver', 'overlay', ...service],
    env: { CONTAINERS_CONF: conf, CONTAINERS_REGISTRIES_CONF: registries },
  };
}

function registriesConf(): string {
  const ports = Object.values(REGISTRY_PORTS);
  const tables = ports.map(
    (port) => `[[registry]]\nlocation = "127.0.0.1:${port}"\ninsecure = true\n`,
  );
  return ['unqualified-search-registries = ["docker.io"]\n', ...tables].join('');
}

async function startEngine(
  kind: EngineKind,
  recipe: Recipe,
  options: EngineOptions,
): Promise<BedEngine> {
  const build = options.build ?? buildUnderTest();
  const space = await openSpace(options.socket, build.system);
  const socket = options.socket ?? join(space.folder, `${kind}.sock`);
  const daemon = new DaemonProcess(space, socket, () => recipe(space, socket, build));
  const engine = engineOf({ kind, build, socket }, space, daemon, options.socket !== undefined);
  try {
    if (options.dataSize !== undefined) await makeDisk(kind, space, options.dataSize);
    await daemon.start();
  } catch (error) {
    await engine.stop();
    throw error;
  }
  return engine;
}

/** A small disk of its own for all that the engine keeps. */
async function makeDisk(kind: EngineKind, space: Space, size: string): Promise<void> {
  const folder = join(space.folder, kind === 'docker' ? 'data' : 'root');
  mkdirSync(folder);
  const mount = ['mount', '-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder];
  const { code, stderr } = await runIn(space, mount);
  if (code !== 0) throw new Error(`No disk for the engine: ${stderr.trim()}`);
}

function engineOf(
  what: Pick<BedEngine, 'kind' | 'build' | 'socket'>,
  space: Space,
  daemon: DaemonProcess,
  elsewhere: boolean,
): BedEngine {
  const { socket } = what;
  return {
    ...what,
    url: `unix://${socket}`,
    folder: space.folder,
    get pid() {
      return daemon.pid;
    },
    exec: (argv) => runIn(space, argv),
    spawn: (argv, how) => space.spawn(argv, how),
    kill: () => daemon.end('SIGKILL'),
    pause: () => {
      daemon.signal('SIGSTOP');
    },
    resume: () => {
      daemon.signal('SIGCONT');
    },
    restart: () => daemon.restart(),
    async stop() {
      await space.close();
      if (elsewhere) rmSync(socket, { force: true });
    },
  };
}

/** Docker's daemon waits 10 s for containers that ignore SIGTERM, `sleep` as process 1 for one. */
const GRACE = 12_000;

class DaemonProcess {
  readonly #space: Space;
  readonly #socket: string;
  readonly #recipe: () => Daemon;
  #child: ChildProcess | undefined;
  pid = 0;

  constructor(space: Space, socket: string, recipe: () => Daemon) {
    this.#space = space;
    this.#socket = socket;
    this.#recipe = recipe;
  }

  async start(): Promise<void> {
    const log = join(this.#space.folder, 'daemon.log');
    // A socket left by a killed daemon would be in the next one's way.
    rmSync(this.#socket, { force: true });
    const { argv, env } = this.#recipe();
    const file = openSync(log, 'a');
    const child = this.#space.spawn(argv, { env, stdio: ['ignore', file, file] });
    closeSync(file);
    child.unref();
    this.#child = child;
    await until(() => this.#answers(child, log), `${argv[0]} answers`);
    this.pid = firstChild(child.pid!);
  }

  async #answers(child: ChildProcess, log: string): Promise<boolean> {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`The engine ended at once:\n${lastLines(log)}`);
    const answer = await ask(this.#socket, 'GET', '/_ping', { timeout: 1000 }).catch(() => null);
    return answer?.status === 200;
  }

  async restart(): Promise<void> {
    if (this.#running()) await this.end('SIGTERM');
    await this.start();
  }

  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    this.signal(signal);
    // A paused daemon would not hear of the other signal.
    this.signal('SIGCONT');
    const gone = () => !this.#running();
    await until(gone, 'the daemon ends', GRACE).catch(() => {
      this.signal('SIGKILL');
    });
    await until(gone, 'the killed daemon ends');
  }

  signal(signal: NodeJS.Signals): void {
    // To process 0 would be to ourselves and all around us.
    if (!this.#running() || this.pid === 0) return;
    try {
      process.kill(this.pid, signal);
    } catch {
      // It has ended between two signals.
    }
  }

  #running(): boolean {
    return this.#child?.exitCode === null && this.#child.signalCode === null;
  }
}

function lastLines(file: string): string {
  return readFileSync(file, 'utf8').trim().split('\n').slice(-15).join('\n');
}
