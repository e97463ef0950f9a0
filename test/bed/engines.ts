// Real engines for tests: Docker's daemon and Podman's API service, each in its own namespaces and with its own
// data. An engine that is installed on the machine is neither used nor affected.
import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildUnderTest, type EngineBuild } from './env.ts';
import { ask } from './http.ts';
import { until } from './until.ts';
import { firstChild, openSpace, runIn, type Ran, type Space } from './space.ts';

/** Ports of the bed's registries, the same in the network of every engine. */
// At `breaking`, a test starts a relay that it can stop at any time.
export const REGISTRY_PORTS = { open: 5055, locked: 5056, slow: 5057, breaking: 5058 } as const;

/** The engines that the bed can start. */
export type EngineKind = 'docker' | 'podman';

/** Options of a new engine. */
export interface EngineOptions {
  /** Path of the socket, if not in the engine's folder. The directory must exist. */
  readonly socket?: string;
  /** Total storage, as a mount option: `64m`. Default: half of the memory. */
  readonly dataSize?: string;
  /**
   * Whether Docker sets up a firewall that separates networks, which is half of what it takes to start. Default no;
   * ignored by Podman.
   */
  readonly hasFirewall?: boolean;
  /** Additional arguments of Docker's daemon; ignored by Podman. */
  readonly daemonArguments?: readonly string[];
  /** Default: the build of the engine under test. */
  readonly build?: EngineBuild;
}

/**
 * Docker gives up a layer whose download is interrupted (20.10 after another attempt). By default, it asks five times,
 * with pauses of 5, 10, 15 and 20 s, for three layers at a time: 50 s to 150 s for the image with eight.
 */
export const ONE_DOWNLOAD_ATTEMPT: EngineOptions = {
  daemonArguments: ['--max-download-attempts=1'],
};

/** A running engine of the bed. */
export interface BedEngine {
  readonly kind: EngineKind;
  readonly build: EngineBuild;
  readonly socket: string;
  readonly url: string;
  /** Everything that the engine stores on disk; removed by `stop`. */
  readonly folder: string;
  /** The daemon's PID on the host. */
  readonly pid: number;
  /** Runs a program in the engine's network and waits for its end. */
  exec(argv: readonly string[]): Promise<Ran>;
  /** Starts a program in the engine's network; it ends with the engine at the latest. */
  spawn(argv: readonly string[], options?: SpawnOptions): ChildProcess;
  /** Fault: kills only the daemon; its containers keep running if they can. */
  kill(): Promise<void>;
  /** Fault: the daemon accepts connections but does not respond. */
  pause(): void;
  resume(): void;
  /** Stops the daemon if it still runs, and starts it on the same data and socket. */
  restart(): Promise<void>;
  /** Stops everything and removes all traces. A second call waits for the first. */
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
    const firewall = options.hasFirewall ? [] : ['--iptables=false', '--ip6tables=false'];
    return { argv: [...argv, ...firewall, ...(options.daemonArguments ?? [])], env };
  };
  return startEngine('docker', recipe, options);
}

/** Starts Podman's API service. */
export function startPodman(options: EngineOptions = {}): Promise<BedEngine> {
  return startEngine('podman', podmanRecipe, options);
}

/** Starts an engine of that kind. */
export function startEngineOf(kind: EngineKind, options: EngineOptions = {}): Promise<BedEngine> {
  return kind === 'docker' ? startDocker(options) : startPodman(options);
}

/** Writes a profile that allows every system call. Compiling the default one is an eighth of what a container costs. */
function writeSeccompProfile(folder: string): string {
  const file = join(folder, 'seccomp.json');
  writeFileSync(file, JSON.stringify({ defaultAction: 'SCMP_ACT_ALLOW' }));
  return file;
}

function dockerRecipe({ folder, inner }: Space, socket: string, build: EngineBuild): Daemon {
  const config = join(folder, 'daemon.json');
  // New versions use the containerd image store by default; old versions ignore this unknown feature.
  const features = { 'containerd-snapshotter': build.hasContainerdStore };
  const settings = { features, 'seccomp-profile': writeSeccompProfile(folder) };
  writeFileSync(config, JSON.stringify(settings));
  rmSync(join(folder, 'docker.pid'), { force: true });
  const folders = ['--data-root', join(folder, 'data'), '--exec-root', join(folder, 'exec')];
  const rest = ['--pidfile', join(folder, 'docker.pid'), '--config-file', config];
  const driver = ['--exec-opt', 'native.cgroupdriver=cgroupfs'];
  return {
    argv: ['dockerd', '-H', `unix://${inner(socket)}`, ...folders, ...rest, ...driver],
    env: build.oldestApi === '' ? {} : { DOCKER_MIN_API_VERSION: build.oldestApi },
  };
}

/** By default, Podman requests higher limits than the process may have. crun refuses mixed cgroup versions. */
const containersConf = (seccompProfile: string): string => `
[containers]
seccomp_profile = "${seccompProfile}"
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
`;

function podmanRecipe({ folder, inner }: Space, socket: string): Daemon {
  const conf = join(folder, 'containers.conf');
  const registries = join(folder, 'registries.conf');
  writeFileSync(conf, containersConf(writeSeccompProfile(folder)));
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
    await makeDisk(kind, space, options.dataSize);
    await daemon.start();
  } catch (error) {
    await engine.stop();
    throw error;
  }
  return engine;
}

/** Mounts a tmpfs for all data of the engine: on a disk, an engine waits for every small file that it writes. */
async function makeDisk(kind: EngineKind, space: Space, size = '50%'): Promise<void> {
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
    pause: () => daemon.signal('SIGSTOP'),
    resume: () => daemon.signal('SIGCONT'),
    restart: () => daemon.restart(),
    async stop() {
      await space.close();
      if (elsewhere) rmSync(socket, { force: true });
    },
  };
}

/** In milliseconds. Docker's daemon waits 10 s for containers that ignore SIGTERM, for example `sleep` as PID 1. */
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
    // The socket that a killed daemon leaves behind would block the next one.
    rmSync(this.#socket, { force: true });
    const { argv, env } = this.#recipe();
    const file = openSync(log, 'a');
    const child = this.#space.spawn(argv, { env, stdio: ['ignore', file, file] });
    closeSync(file);
    child.unref();
    this.#child = child;
    const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
    await until(async () => hasEnded() || this.#answers(), `${argv[0]} responds`);
    if (hasEnded()) throw new Error(`The engine ended at once:\n${lastLines(log)}`);
    this.pid = firstChild(child.pid!);
  }

  async #answers(): Promise<boolean> {
    const answer = await ask(this.#socket, 'GET', '/_ping', { timeout: 1000 }).catch(() => null);
    return answer?.status === 200;
  }

  async restart(): Promise<void> {
    if (this.#running()) await this.end('SIGTERM');
    await this.start();
  }

  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    this.signal(signal);
    // A paused daemon would not receive the other signal.
    this.signal('SIGCONT');
    const gone = () => !this.#running();
    await until(gone, 'the daemon exits', GRACE).catch(() => this.signal('SIGKILL'));
    await until(gone, 'the killed daemon exits');
  }

  signal(signal: NodeJS.Signals): void {
    // PID 0 would signal this process and its whole process group.
    if (!this.#running() || this.pid === 0) return;
    try {
      process.kill(this.pid, signal);
    } catch {
      // The daemon exited between the check and the signal.
    }
  }

  #running(): boolean {
    return this.#child?.exitCode === null && this.#child.signalCode === null;
  }
}

function lastLines(file: string): string {
  return readFileSync(file, 'utf8').trim().split('\n').slice(-15).join('\n');
}
