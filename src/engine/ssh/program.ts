import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { dirname } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { Emitter, type Disposable } from '../../lifetime.ts';
import type { ProgramEnd } from './sshFailure.ts';

/** What is kept of an error output. */
const KEPT_CHARACTERS = 8000;
/** How long a program has to end itself. */
const GRACE_MS = 2000;

/** A running program with all that it starts. */
export class Program implements Disposable {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Resolves once it is gone and has said all; never rejects. */
  readonly ended: Promise<ProgramEnd>;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #said = new Emitter<string>();
  /** Tells what it says on its error output. */
  readonly onDidSay = this.#said.event;
  #stderr = '';
  #isOver = false;
  #killing: NodeJS.Timeout | undefined;

  constructor({ file, args, env }: ProgramCall) {
    this.#child = spawn(file, args, {
      env,
      // Windows looks for a program in the current folder first, and that may be a workspace's.
      cwd: dirname(process.execPath),
      stdio: 'pipe',
      windowsHide: true,
      // A session of its own: ssh finds no terminal to ask at, and what it starts ends with it.
      detached: process.platform !== 'win32',
    });
    this.stdin = this.#child.stdin;
    this.stdout = this.#child.stdout;
    // Who writes to a program that is gone hears of it by its end.
    this.stdin.on('error', () => undefined);
    this.stdout.on('error', () => undefined);
    this.#child.stderr.on('error', () => undefined);
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-KEPT_CHARACTERS);
      this.#said.fire(text);
    });
    this.ended = this.#end();
  }

  /** The end of what it said on its error output, up to now. */
  get stderr(): string {
    return this.#stderr;
  }

  /** Whether it is gone, or was asked to go. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Asks it and its children to end, and sees to it. */
  dispose(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.stdin.end();
    this.#signal('SIGTERM');
    this.#killing = setTimeout(() => {
      this.#signal('SIGKILL');
    }, GRACE_MS);
    this.#killing.unref();
  }

  #end(): Promise<ProgramEnd> {
    return new Promise((resolve) => {
      let spawnError: string | undefined;
      this.#child.once('error', (error: NodeJS.ErrnoException) => {
        spawnError = error.code ?? error.message;
      });
      this.#child.once('exit', () => {
        this.#isOver = true;
        // Its children hold its outputs open: they go, too.
        this.#signal('SIGTERM');
      });
      this.#child.once('close', (code) => {
        this.#isOver = true;
        clearTimeout(this.#killing);
        const failed = spawnError !== undefined && { spawnError };
        resolve({ code, stderr: this.#stderr, ...failed });
      });
    });
  }

  #signal(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      if (process.platform === 'win32') this.#child.kill(signal);
      else process.kill(-pid, signal);
    } catch {
      // Nobody of them is left.
    }
  }
}

/** A program to be run; never by a shell. */
export interface ProgramCall {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** Runs a program to its end, or to the signal's. */
export async function runProgram(
  call: ProgramCall,
  { input, signal }: { readonly input: string; readonly signal: AbortSignal },
): Promise<ProgramEnd & { readonly stdout: string }> {
  const program = new Program(call);
  const end = (): void => {
    program.dispose();
  };
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
