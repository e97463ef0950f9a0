// Namespaces for an engine: processes, mounts and network of its own, so that it meets nothing of
// the machine's and leaves nothing behind. All of it dies with this process, however that dies.
import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { groupLines, joinFiles, makeGroups, planGroups, type Group } from './cgroups.ts';
import { groupName } from './leaks.mjs';

const PREFIX = 'gantry-bed-';
/** A unix socket's path is 107 bytes at most, and engines put some deeper in the folder. */
const LONGEST_TMPDIR = 40;
/** Fails when the reaper has removed the groups: who cannot be found again must not start. */
const JOIN = 'set -e; for f in $JOIN; do echo 0 >"$f"; done; unset JOIN; exec "$@"';

/** What a program that was run to its end left. */
export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A set of namespaces with a folder; `close` ends all that runs in it and removes the folder. */
export interface Space {
  readonly folder: string;
  /** Where a socket made inside has to be put to appear at its path outside. */
  readonly inner: (socket: string) => string;
  readonly spawn: (argv: readonly string[], options?: SpawnOptions) => ChildProcess;
  readonly close: () => Promise<void>;
}

/**
 * Opens namespaces in which the directory of `socket` (default: the folder) is writable. With `system`, the root of
 * another system, its programs go before the machine's own.
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

/** Runs a program in the space to its end. */
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
 * Resolves when the reaper is out of the reach of signals to this process's group. What it is to remove is made
 * only then: one of these signals, if it comes early, ends it.
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

/** Starts the first process and resolves to its pid as seen from here. */
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

/** Nothing of a space keeps the event loop alive: who needs it calls `close`. */
function detach(child: ChildProcess): void {
  for (const stream of child.stdio) stream?.destroy();
  child.unref();
}

/** The process's first child, as the kernel lists it. */
export function firstChild(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  if (!children) throw new Error(`Process ${pid} has no child.`);
  return Number(children.split(' ')[0]);
}

/** Engines leave half-made files in their TMPDIR when they are killed. */
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
  // In a chroot both would be the machine's, and the directory one that has no path in there.
  const nsenter = ['nsenter', `--target=${init}`, ...namespaces, '--root', '--wdns=/'];
  const [file, ...rest] = joined([...nsenter, '--', ...argv]);
  const env = { ...joinEnvironment(groups), ...options.env };
  return spawn(file!, rest, { ...options, env });
}
