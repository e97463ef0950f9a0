// `npm start` as a person runs it: in a session of its own, as a terminal would have it.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findLeft, removeLeft } from '../bed/leaks.mjs';
import { until } from '../bed/http.ts';
import { atEnd } from '../bed/vscode/cleanup.mjs';

const ROOT = join(import.meta.dirname, '../..');
const FOREIGN = /^(DOCKER|CONTAINER|GANTRY|npm|XDG|DISPLAY|WAYLAND)_?/;

/** A first start installs VS Code, if that was not done before. */
const PATIENCE = 120_000;

/** What may be different from a plain `npm start`. */
export interface How {
  readonly env?: NodeJS.ProcessEnv;
  /** Hides the engines of the machine, in a view of its own of the file system. */
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
    // npm's own files go to the home folder, all that Gantry's scripts make to the temporary one.
    const own = { HOME: this.#home, TMPDIR: this.#folder, NODE_DISABLE_COMPILE_CACHE: '1' };
    const env = { ...Object.fromEntries(kept), ...own, ...how.env };
    const stdio = ['ignore', 'pipe', 'pipe'] as const;
    this.#child = spawn(file!, args, { cwd: ROOT, env, stdio: [...stdio], detached: true });
    for (const stream of [this.#child.stdout!, this.#child.stderr!])
      stream.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    this.#settled = atEnd(() => {
      this.signalAll('SIGKILL');
    });
  }

  /** Waits for words in the output; fails with all of it when the program ends before. */
  async says(words: RegExp): Promise<string> {
    await until(
      () => {
        if (!this.isRunning() && !words.test(this.output)) throw new Error(this.output);
        return words.test(this.output);
      },
      `npm start says ${String(words)}`,
      PATIENCE,
    );
    return words.exec(this.output)![1] ?? '';
  }

  isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** What Ctrl-C, or the end of the terminal, does: a signal to all processes in the foreground. */
  signalAll(signal: NodeJS.Signals): void {
    try {
      process.kill(-this.#child.pid!, signal);
    } catch {
      // They have ended by themselves.
    }
  }

  /** A signal to npm alone. */
  signalNpm(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Waits for its end; resolves to what is left of it on the machine, in words. */
  async left(): Promise<string[]> {
    if (this.isRunning()) await once(this.#child, 'exit');
    return findLeft(this.#folder);
  }

  /** Ends it if it still runs, and removes what it has left. */
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

/** Whatever listens under /run is out of sight of this program and its children. */
function hidden(): string[] {
  const script = 'mount -t tmpfs tmpfs /run && exec "$@"';
  return ['unshare', '--mount', 'sh', '-c', script, 'sh', 'npm', 'start'];
}
