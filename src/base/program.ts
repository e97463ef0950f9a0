import { spawn, type ChildProcess, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { dirname } from 'node:path';
import { PassThrough, Readable, type Writable } from 'node:stream';
import { Emitter, type Disposable } from './lifetime.ts';

/** Number of characters kept of an output. */
const KEPT_CHARACTERS = 8000;
/** Time limit for a program to exit after SIGTERM, in milliseconds. */
const GRACE_MS = 2000;

/** A running program with its child processes. One that cannot be started has ended with `spawnError`. */
export class Program implements Disposable {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Resolves when the program has exited and its output has ended. Never rejects. */
  readonly ended: Promise<ProgramEnd>;
  readonly #child: ChildProcessWithoutNullStreams | undefined;
  readonly #written = new Emitter<string>();
  /** Fires with each piece of text on stderr. */
  readonly onDidWriteError = this.#written.event;
  #stderr = '';
  #isOver = false;
  #killing: NodeJS.Timeout | undefined;

  constructor(call: ProgramCall) {
    const child = start(call);
    if (typeof child === 'string') {
      this.stdin = new PassThrough().resume();
      this.stdout = Readable.from([]);
      this.ended = Promise.resolve({ code: null, stderr: '', spawnError: child });
      this.#isOver = true;
      return;
    }
    this.#child = child;
    this.stdin = child.stdin;
    this.stdout = child.stdout;
    // A write to a program that has exited fails; `ended` reports the exit.
    this.stdin.on('error', () => undefined);
    this.stdout.on('error', () => undefined);
    child.stderr.on('error', () => undefined);
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-KEPT_CHARACTERS);
      this.#written.fire(text);
    });
    this.ended = this.#end(child);
  }

  /** Stops reading both outputs, so that the program waits, or goes on. */
  setPaused(isPaused: boolean): void {
    for (const output of [this.#child?.stdout, this.#child?.stderr])
      if (isPaused) output?.pause();
      else output?.resume();
  }

  /** Whether the program has exited or was asked to. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Terminates the program and its children: SIGTERM, then SIGKILL. */
  dispose(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.stdin.end();
    this.#signal('SIGTERM');
    this.#killing = setTimeout(() => this.#signal('SIGKILL'), GRACE_MS);
    this.#killing.unref();
  }

  #end(child: ChildProcessWithoutNullStreams): Promise<ProgramEnd> {
    return new Promise((resolve) => {
      let spawnError: string | undefined;
      child.once('error', (error: NodeJS.ErrnoException) => {
        spawnError = error.code ?? error.message;
      });
      child.once('exit', () => {
        this.#isOver = true;
        // Children keep the outputs open, so terminate them, too.
        this.#signal('SIGTERM');
      });
      child.once('close', (code) => {
        this.#isOver = true;
        clearTimeout(this.#killing);
        const failed = spawnError !== undefined && { spawnError };
        resolve({ code, stderr: this.#stderr, ...failed });
      });
    });
  }

  #signal(signal: NodeJS.Signals): void {
    const pid = this.#child?.pid;
    if (pid === undefined) return;
    try {
      if (process.platform === 'win32') this.#child?.kill(signal);
      else process.kill(-pid, signal);
    } catch {
      // None of the processes is left.
    }
  }
}

/** Starts a program. Returns the error code if the system refuses immediately. */
function start({ file, args, env, cwd }: ProgramCall): ChildProcessWithoutNullStreams | string {
  try {
    const child: ChildProcess = spawn(file, args, {
      env,
      // Windows first looks for a program in the current folder, which may belong to a workspace.
      cwd: cwd ?? dirname(process.execPath),
      stdio: 'pipe',
      windowsHide: true,
      // A new session: ssh finds no terminal to prompt on, and child processes are terminated with the program.
      detached: process.platform !== 'win32',
    });
    if (child.stdin) return child as ChildProcessWithoutNullStreams;
    // Without pipes if this process has too many files open. The event has the same code.
    child.on('error', () => undefined);
    return 'EMFILE';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
}

/** A program to run, without a shell. */
export interface ProgramCall {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** The folder to run in; then `file` must be an absolute path. By default a folder without meaning. */
  readonly cwd?: string;
}

export interface ProgramEnd {
  /** The exit code; null if it was terminated by a signal. */
  readonly code: number | null;
  /** The error code if the program could not be started: `ENOENT`. */
  readonly spawnError?: string;
  readonly stderr: string;
}

/** Runs a program until it exits or the signal aborts, which terminates it. */
export async function runProgram(
  call: ProgramCall,
  { input, signal }: { readonly input: string; readonly signal: AbortSignal },
): Promise<ProgramEnd & { readonly stdout: string }> {
  const program = new Program(call);
  const end = (): void => program.dispose();
  signal.addEventListener('abort', end, { once: true });
  let stdout = '';
  program.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout = (stdout + text).slice(-KEPT_CHARACTERS);
  });
  program.stdin.end(input);
  try {
    return { ...(await program.ended), stdout };
  } finally {
    signal.removeEventListener('abort', end);
  }
}

/** Returns whether a process exists on the local machine. */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It exists, but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
