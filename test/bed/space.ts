// Namespaces for an engine: its own processes, mounts and network, so that it does not touch those of the
// machine and leaves nothing behind. Everything in them dies with this process, however it ends.
import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { groupLines, joinFiles, makeGroups, planGroups, type Group } from './cgroups.ts';
import { groupName } from './leaks.mjs';

const PREFIX = 'gantry-bed-';
/** A Unix socket path has at most 107 bytes, and engines create some deeper in the folder. */
const LONGEST_TMPDIR = 40;
/** Fails if the reaper has removed the groups: a process that cannot be found again must not start. */
const JOIN = 'set -e; for f in $JOIN; do echo 0 >"$f"; done; unset JOIN; exec "$@"';

/** Result of a program that ran to its end. */
export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A set of namespaces with a folder; `close` kills everything inside and removes the folder. */
export interface Space {
  readonly folder: string;
  /** Maps a socket's path outside to the path at which a process inside has to create it. */
  readonly inner: (socket: string) => string;
  readonly spawn: (argv: readonly string[], options?: SpawnOptions) => ChildProcess;
  readonly close: () => Promise<void>;
}

/**
 * Opens namespaces in which the directory of `socketPath` (default: the folder) is writable. The programs of
 * `system` (root folder of another system) take precedence over those of the machine.
 */
export async function openSpace(socketPath?: string, system = ''): Promise<Space> {
  const folder = join(shortTmpdir(), PREFIX + randomBytes(4).toString('hex'));
  const groups = planGroups(groupName(folder));
  const close = closer(await startReaper(folder, groups));
  try {
    mkdirSync(join(folder, 'tmp'), { recursive: true, mode: 0o700 });
    makeGroups(groups);
    const sockets = socketPath ? dirname(socketPath) : folder;
    const init = await hold([folder, sockets, groupLines(groups), system], groups);
    return {
      folder,
      inner: (socket) => join(folder, 'socket', basename(socket)),
      spawn: (argv, options = {}) => enter(init, groups, argv, away(folder, options)),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Runs a program in the space and waits for its end. */
export async function runIn(space: Pick<Space, 'spawn'>, argv: readonly string[]): Promise<Ran> {
  const child = space.spawn(argv, { stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  await once(child, 'close');
  return { code: child.exitCode, stdout, stderr };
}

function shortTmpdir(): string {
  return tmpdir().length > LONGEST_TMPDIR ? '/tmp' : tmpdir();
}

function script(name: string): string {
  return readFileSync(join(import.meta.dirname, name), 'utf8');
}

/**
 * Resolves when signals to this process group can no longer reach the reaper. Create what the reaper has to
 * remove only after that, because an early signal would kill the reaper.
 */
async function startReaper(folder: string, groups: readonly Group[]): Promise<ChildProcess> {
  const reaper = spawn('sh', ['-c', script('reap.sh'), 'reap', folder, groupLines(groups)], {
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const end = once(reaper, 'exit').then(() => {
    throw new Error('What removes the test bed in the end was ended itself.');
  });
  await Promise.race([once(reaper.stdout, 'data'), end]);
  end.catch(() => undefined);
  reaper.stdout.destroy();
  reaper.unref();
  return reaper;
}

function closer(reaper: ChildProcess): () => Promise<void> {
  let closing: Promise<unknown> | undefined;
  return async () => {
    if (!closing) {
      const isRunning = reaper.exitCode === null && reaper.signalCode === null;
      closing = isRunning ? once(reaper, 'exit') : Promise.resolve();
      reaper.ref();
      reaper.stdin?.end();
    }
    await closing;
  };
}

/** Starts the first process and resolves to its PID on the host. */
async function hold(args: readonly string[], groups: readonly Group[]): Promise<number> {
  const namespaces = ['--net', '--mount', '--pid', '--cgroup', '--ipc', '--fork'];
  const first = ['sh', '-c', script('hold.sh'), 'hold', ...args];
  const unshare = ['unshare', ...namespaces, '--kill-child', '--mount-proc', ...first];
  const holder = spawn('setpriv', ['--pdeathsig', 'KILL', ...joined(unshare)], {
    env: joinEnvironment(groups),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  await ready(holder);
  detach(holder);
  return firstChild(holder.pid!);
}

function joined(argv: readonly string[]): string[] {
  return ['sh', '-c', JOIN, 'join', ...argv];
}

function joinEnvironment(groups: readonly Group[]): NodeJS.ProcessEnv {
  return { ...process.env, JOIN: joinFiles(groups).join(' ') };
}

async function ready(holder: ChildProcess): Promise<void> {
  let words = '';
  holder.stderr?.on('data', (chunk: Buffer) => (words += chunk.toString()));
  const line = once(holder.stdout!, 'data');
  const end = once(holder, 'close').then(() => {
    throw new Error(`Could not make namespaces for the test bed: ${words.trim()}`);
  });
  await Promise.race([line, end]);
  end.catch(() => undefined);
}

/** A space never keeps the event loop alive; its user calls `close`. */
function detach(child: ChildProcess): void {
  for (const stream of child.stdio) stream?.destroy();
  child.unref();
}

/** Returns the PID of the process's first child, as the kernel lists it. */
export function firstChild(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  if (!children) throw new Error(`Process ${pid} has no child.`);
  return Number(children.split(' ')[0]);
}

/** Killed engines leave partial files in their TMPDIR. */
function away(folder: string, options: SpawnOptions): SpawnOptions {
  return { ...options, env: { TMPDIR: join(folder, 'tmp'), ...options.env } };
}

function enter(
  init: number,
  groups: readonly Group[],
  argv: readonly string[],
  options: SpawnOptions,
): ChildProcess {
  const namespaces = ['--net', '--mount', '--pid', '--cgroup', '--ipc'];
  // In a chroot, the root would be that of the machine, and the working directory would have no path inside.
  const nsenter = ['nsenter', `--target=${init}`, ...namespaces, '--root', '--wdns=/'];
  const [file, ...rest] = joined([...nsenter, '--', ...argv]);
  const env = { ...joinEnvironment(groups), ...options.env };
  return spawn(file!, rest, { ...options, env });
}
