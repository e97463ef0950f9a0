import type { Readable } from 'node:stream';
import { Program, type ProgramCall, type ProgramEnd } from '../../base/program.ts';
import { Fifo } from '../../base/fifo.ts';

/** In characters. A longer line is split. A line of progress in JSON may have a whole Dockerfile. */
const LONGEST_LINE = 4 * 1024 * 1024;

/**
 * Runs a command-line program until it exits, or the signal aborts, which terminates it.
 *
 * @param onLine called with each line of stdout and stderr, without its end; `isError` for those of stderr. While a
 * promise that it returns is pending, the program waits, and so does the next line.
 * @throws what `onLine` throws, after the program has ended.
 */
export async function runCli(
  call: ProgramCall,
  onLine: OnLine,
  signal: AbortSignal,
): Promise<ProgramEnd> {
  signal.throwIfAborted();
  const program = new Program(call);
  const end = (): void => program.dispose();
  signal.addEventListener('abort', end, { once: true });
  const queue = new LineQueue(onLine, program);
  const splitterOf = (isError: boolean): LineSplitter =>
    new LineSplitter((line) => queue.add(line, isError));
  const stdout = splitterOf(false);
  const stderr = splitterOf(true);
  const output: Readable = program.stdout.setEncoding('utf8');
  output.on('data', (text: string) => stdout.add(text));
  const subscription = program.onDidWriteError((text) => stderr.add(text));
  program.stdin.end();
  try {
    const ended = await program.ended;
    stdout.end();
    stderr.end();
    await queue.settled();
    return ended;
  } finally {
    subscription.dispose();
    signal.removeEventListener('abort', end);
  }
}

/** Handles a line of a program. */
type OnLine = (line: string, isError: boolean) => unknown;

/** Hands over one line after the other. Those of the pieces that were read already wait for one that takes time. */
class LineQueue {
  readonly #onLine: OnLine;
  readonly #program: Program;
  readonly #waiting = new Fifo<readonly [line: string, isError: boolean]>();
  #draining: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(onLine: OnLine, program: Program) {
    this.#onLine = onLine;
    this.#program = program;
  }

  add(line: string, isError: boolean): void {
    if (this.#failure) return;
    if (this.#draining) {
      this.#waiting.push([line, isError]);
      return;
    }
    try {
      const handled = this.#onLine(line, isError);
      if (handled instanceof Promise) this.#draining = this.#drain(handled);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Resolves when all lines are handled. @throws what a line has thrown. */
  async settled(): Promise<void> {
    await this.#draining;
    if (this.#failure) throw this.#failure.error;
  }

  /** Never rejects. */
  async #drain(first: Promise<unknown>): Promise<void> {
    this.#program.setPaused(true);
    try {
      await first;
      for (let next = this.#waiting.shift(); next; next = this.#waiting.shift())
        await this.#onLine(...next);
    } catch (error) {
      this.#fail(error);
    }
    this.#draining = undefined;
    this.#program.setPaused(false);
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#program.dispose();
  }
}

/** Splits a stream of text into lines. */
class LineSplitter {
  readonly #onLine: (line: string) => void;
  #rest = '';

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  add(text: string): void {
    const lines = (this.#rest + text).split(/\r?\n/);
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#onLine(line.slice(0, LONGEST_LINE));
    if (this.#rest.length <= LONGEST_LINE) return;
    this.#onLine(this.#rest);
    this.#rest = '';
  }

  end(): void {
    if (this.#rest !== '') this.#onLine(this.#rest);
    this.#rest = '';
  }
}
