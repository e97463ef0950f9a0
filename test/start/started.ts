// `npm start` as a user runs it: in a session of its own, as in a terminal.
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findLeft, removeLeft } from '../bed/leaks.mjs';
import { until } from '../bed/until.ts';
import { atEnd } from '../bed/vscode/cleanup.mjs';

const ROOT = join(import.meta.dirname, '../..');
const FOREIGN = /^(DOCKER|CONTAINER|GANTRY|npm|XDG|DISPLAY|WAYLAND)_?/;

/** Time limit in milliseconds. The first start installs VS Code if needed. */
const PATIENCE = 120_000;

/** Differences from a plain `npm start`. */
export interface How {
  readonly env?: NodeJS.ProcessEnv;
  /** Hides the engines of the machine in a mount namespace of its own. */
  readonly withoutEngines?: boolean;
}

/** A running `npm start`. */
export class Started {
  readonly #child: ChildProcess;
  readonly #folder = mkdtempSync(join(tmpdir(), 'gantry-s-'));
  readonly #home = mkdtempSync(join(tmpdir(), 'gantry-home-'));
  readonly #settled: () => void;
  output = '';

  constructor(how: How = {}) {
    const [file, ...args] = how.withoutEngines ? hidden() : ['npm', 'start'];
    const kept = Object.entries(process.env).filter(([name]) => !FOREIGN.test(name));
    // Files of npm go to the home folder, everything created by Gantry's scripts to the temporary one.
    const own = { HOME: this.#home, TMPDIR: this.#folder, NODE_DISABLE_COMPILE_CACHE: '1' };
    const env = { ...Object.fromEntries(kept), ...own, ...how.env };
    const stdio = ['ignore', 'pipe', 'pipe'] as const;
    this.#child = spawn(file!, args, { cwd: ROOT, env, stdio: [...stdio], detached: true });
    for (const stream of [this.#child.stdout!, this.#child.stderr!])
      stream.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    this.#settled = atEnd(() => this.signalAll('SIGKILL'));
  }

  /** Waits for a text in the output. Fails with the whole output if the program exits before. */
  async says(words: RegExp): Promise<string> {
    await until(
      () => words.test(this.output) || !this.isRunning(),
      `npm start says ${String(words)}`,
      PATIENCE,
    );
    const [, found = ''] = words.exec(this.output) ?? assert.fail(this.output);
    return found;
  }

  /** Returns an environment variable of the VS Code server that it runs. */
  serverVariable(name: string): string | undefined {
    const variables = readdirSync('/proc')
      .filter((entry) => /^\d+$/.test(entry) && linesOf(entry, 'cmdline').some(isServer))
      .map((pid) => linesOf(pid, 'environ'))
      .find((lines) => lines.some((line) => line.startsWith(`TMPDIR=${this.#folder}/`)));
    return variables?.find((line) => line.startsWith(`${name}=`))?.slice(name.length + 1);
  }

  isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Sends a signal to all processes in the foreground, like Ctrl+C or closing the terminal. */
  signalAll(signal: NodeJS.Signals): void {
    try {
      process.kill(-this.#child.pid!, signal);
    } catch {
      // They have already exited.
    }
  }

  /** Sends a signal only to npm. */
  signalNpm(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Waits until it exits. Resolves to descriptions of what it left behind on the machine. */
  async left(): Promise<string[]> {
    if (this.isRunning()) await once(this.#child, 'exit');
    return findLeft(this.#folder);
  }

  /** Stops it if it is still running, and removes what it left behind. */
  async clear(): Promise<void> {
    if (this.isRunning()) {
      this.signalAll('SIGTERM');
      await this.left();
    }
    this.#settled();
    removeLeft(this.#folder);
    rmSync(this.#home, { recursive: true, force: true });
  }
}

/** Returns what /proc has about a process, which may be gone. */
function linesOf(pid: string, file: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

function isServer(argument: string): boolean {
  return argument.endsWith('/server-main.js');
}

/** Returns a command that hides everything listening below /run from the program and its children. */
function hidden(): string[] {
  const script = 'mount -t tmpfs tmpfs /run && exec "$@"';
  return ['unshare', '--mount', 'sh', '-c', script, 'sh', 'npm', 'start'];
}
