import type { Readable } from 'node:stream';
import { Program, type ProgramCall, type ProgramEnd } from '../engine/program.ts';

/** In characters. A longer line is split. A line of progress in JSON may have a whole Dockerfile. */
const LONGEST_LINE = 4 * 1024 * 1024;

/**
 * Runs a command-line program until it exits, or the signal aborts, which terminates it.
 *
 * @param onLine called with each line of stdout and stderr, without its end; `isError` for those of stderr.
 */
export async function runCli(
  call: ProgramCall,
  onLine: (line: string, isError: boolean) => void,
  signal: AbortSignal,
): Promise<ProgramEnd> {
  signal.throwIfAborted();
  const program = new Program(call);
  const end = (): void => {
    program.dispose();
  };
  signal.addEventListener('abort', end, { once: true });
  const splitterOf = (isError: boolean): LineSplitter =>
    new LineSplitter((line) => {
      onLine(line, isError);
    });
  const [stdout, stderr] = [splitterOf(false), splitterOf(true)];
  const output: Readable = program.stdout.setEncoding('utf8');
  output.on('data', (text: string) => {
    stdout.add(text);
  });
  const subscription = program.onDidWriteError((text) => {
    stderr.add(text);
  });
  program.stdin.end();
  try {
    return await program.ended;
  } finally {
    stdout.end();
    stderr.end();
    subscription.dispose();
    signal.removeEventListener('abort', end);
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
