import { randomBytes } from 'node:crypto';
import { abortReason } from '../../base/lifetime.ts';
import { plainText } from '../../base/plainText.ts';
import { delay, nextPause, settledWithin } from '../../base/time.ts';
import { failedWith } from '../errors.ts';
import type { Connection } from '../http/connection.ts';
import type { DuplexStream } from '../http/duplexStream.ts';
import { badAnswer } from '../http/readReply.ts';
import type { LogSource } from '../model.ts';
import { OutputFrames } from '../wire/outputFrames.ts';
import { endProcess, MARK_VARIABLE, type MarkedProcess } from './endProcess.ts';
import {
  createExec,
  inspectExec,
  resizeExec,
  startExec,
  type ExecSpec,
  type ExecState,
  type TerminalSize,
} from './exec.ts';

/**
 * Runs a process in a running container until it exits or the signal is aborted, which ends it (see `endProcess`) and
 * does not reject unless the process was not started yet. Its environment has one more variable, to find it by.
 *
 * @throws EngineError as the engine refuses a process, which differs; `cut` if the connection breaks: it may go on;
 *   `badAnswer` if a proxy lets no input through.
 */
export async function runUntil(
  connection: Connection,
  containerId: string,
  run: ProcessRun,
  signal?: AbortSignal,
): Promise<ProcessEnd> {
  const mark = randomBytes(16).toString('hex');
  const env = [...(run.env ?? []), `${MARK_VARIABLE}=${mark}`];
  const execId = await createExec(connection, containerId, { ...run, env }, signal);
  if (signal?.aborted) throw abortReason(signal);
  const aborted = Promise.withResolvers<undefined>();
  const onAbort = (): void => aborted.resolve(undefined);
  signal?.addEventListener('abort', onAbort, { once: true });
  const one = new RunningExec(connection, { ...run, containerId, execId, mark });
  try {
    const exit = one.toExit();
    return (await Promise.race([exit, aborted.promise])) ?? (await one.end(exit));
  } finally {
    signal?.removeEventListener('abort', onAbort);
    one.close();
  }
}

/** A process to run in a container, with what takes its output. */
export interface ProcessRun extends ExecSpec {
  /** Called with each piece of output, in order. What it returns is awaited before more is read. With a TTY: `stdout`. */
  readonly onOutput: (source: LogSource, bytes: Uint8Array) => unknown;
  /** Called when its input can be sent. */
  readonly onStart?: (process: StartedProcess) => void;
  /** Time for it to end by itself after the signal, in milliseconds; by default 5 s. */
  readonly graceMs?: number;
}

/** The input of a running process. Nothing rejects or has an effect once it is over. */
export interface StartedProcess {
  /** Resolves when more can be sent. */
  write(bytes: Uint8Array): Promise<void>;
  endInput(): void;
  /** As `resizeExec`, so wait for the first output. */
  resize(size: TerminalSize): Promise<boolean>;
}

/** A process that exited by itself. */
interface ExitedProcess {
  readonly kind: 'exited';
  /** Undefined if the engine does not report it. */
  readonly exitCode: number | undefined;
  /** Whether all output was received. */
  readonly isWhole: boolean;
}

/** How a process ended. */
export type ProcessEnd =
  | ExitedProcess
  /** It could not be started, for the reason in `message`: there is no such program, folder or user. */
  | { readonly kind: 'refused'; readonly exitCode: number | undefined; readonly message: string }
  /** It was ended because of the signal. */
  | { readonly kind: 'ended' }
  /** The signal was aborted, but it may still be running. */
  | { readonly kind: 'running' };

class RunningExec {
  readonly #connection: Connection;
  readonly #process: ProcessRun & MarkedProcess;
  readonly #closing = new AbortController();
  readonly #started = Promise.withResolvers<DuplexStream>();
  /** The first of its output, where engines say why they did not start it. */
  #head = '';

  constructor(connection: Connection, process: ProcessRun & MarkedProcess) {
    this.#connection = connection;
    this.#process = process;
    this.#started.promise.catch(() => undefined);
  }

  /** Starts it, and reads its output until it exits. */
  async toExit(): Promise<ProcessEnd> {
    let isWhole = true;
    try {
      const stream = await this.#start();
      // The end of the output does not arrive over a named pipe.
      if (this.#connection.endpoint.url.startsWith('npipe:')) void this.#closeAtExit(stream);
      await this.#read(stream);
    } catch (error) {
      // Podman may cut the connection if there is no such program. The exit code shows it.
      const hasExited = failedWith(error, 'cut') && !(await this.#inspect()).isRunning;
      if (!hasExited) throw error;
      isWhole = false;
    }
    const state = await this.#waitForExit();
    const message = refusalIn(this.#head, state);
    const { exitCode } = state;
    return message === undefined
      ? { kind: 'exited', exitCode, isWhole }
      : { kind: 'refused', exitCode, message };
  }

  /**
   * Ends the process before its time.
   *
   * @param exit settles if it exits.
   */
  async end(exit: Promise<ProcessEnd>): Promise<ProcessEnd> {
    const hasExited = exit.then(
      () => true,
      () => false,
    );
    // Before the engine has answered, there is nothing to find yet.
    await settledWithin(START_MS, Promise.race([this.#started.promise, hasExited]));
    const { hasTty, graceMs } = this.#process;
    let isEnded = await endProcess(this.#connection, this.#process, { graceMs });
    if (!isEnded && hasTty) {
      // What cannot be found is asked to end as a user would do it, by Ctrl+C and Ctrl+D.
      void this.#started.promise.then((stream) => stream.write(Buffer.from('\x03\x04')));
    }
    // With its last words.
    isEnded = (await settledWithin(LAST_OUTPUT_MS, hasExited)) ?? isEnded;
    return { kind: isEnded ? 'ended' : 'running' };
  }

  /** Closes the connection, which does not end the process. */
  close(): void {
    this.#closing.abort();
  }

  async #start(): Promise<DuplexStream> {
    const { execId, hasTty, hasInput = hasTty, onStart } = this.#process;
    const { signal } = this.#closing;
    try {
      const stream = await startExec(this.#connection, execId, this.#process, signal);
      this.#started.resolve(stream);
      if (hasInput && !stream.acceptsInput) {
        await endProcess(this.#connection, this.#process);
        throw badAnswer(this.#connection, `POST /exec/${execId}/start`);
      }
      onStart?.({
        write: (bytes) => stream.write(bytes),
        endInput: () => stream.end(),
        resize: (size) => resizeExec(this.#connection, execId, size, signal),
      });
      return stream;
    } catch (error) {
      this.#started.reject(error);
      throw error;
    }
  }

  async #read({ output }: DuplexStream): Promise<void> {
    const { hasTty, onOutput } = this.#process;
    const frames = new OutputFrames();
    for await (const chunk of output) {
      const pieces = hasTty ? [{ source: 'stdout', bytes: chunk } as const] : frames.push(chunk);
      for (const { source, bytes } of pieces) {
        if (this.#head.length < HEAD_LIMIT)
          this.#head += Buffer.from(bytes.subarray(0, HEAD_LIMIT)).toString();
        await onOutput(source, bytes);
      }
    }
  }

  async #closeAtExit(stream: DuplexStream): Promise<void> {
    try {
      await this.#waitForExit();
      await delay(PIPE_OUTPUT_MS, this.#closing.signal);
      stream.close();
    } catch {
      // What reads the output reports it.
    }
  }

  /** Its output may end long before: a process can close it. */
  async #waitForExit(): Promise<ExecState> {
    let pause = FIRST_LOOK_MS;
    for (let looks = 0; ;) {
      const state = await this.#inspect();
      const isKnown = state.exitCode !== undefined || ++looks === MOST_LOOKS;
      if (!state.isRunning && isKnown) return state;
      await delay(pause, this.#closing.signal);
      pause = nextPause(pause, FIRST_LOOK_MS, LONGEST_LOOK_MS);
    }
  }

  #inspect(): Promise<ExecState> {
    return inspectExec(this.#connection, this.#process.execId, this.#closing.signal);
  }
}

const HEAD_LIMIT = 2048;
const START_MS = 3000;
const LAST_OUTPUT_MS = 1000;
/** How long output may arrive after an exit that only the engine tells. */
const PIPE_OUTPUT_MS = 300;
const FIRST_LOOK_MS = 20;
const LONGEST_LOOK_MS = 2000;
/** How often an exit code that an engine does not report yet is asked for. */
const MOST_LOOKS = 12;

/** The exit codes that engines report for a process that they could not start. A process may have them, too. */
const REFUSAL_CODES: readonly number[] = [125, 126, 127, 128];
/** How Podman and Docker say it in its output. Docker tells it by the missing PID, too. */
const REFUSAL =
  /^(?:Error: .+: OCI .+|OCI runtime exec failed: .+|unable to find (?:user|group) .+)/;

function refusalIn(head: string, { exitCode, pid }: ExecState): string | undefined {
  if (pid !== 0 || !REFUSAL_CODES.includes(exitCode ?? 0)) return undefined;
  const [message] = REFUSAL.exec(head) ?? [];
  return message === undefined ? undefined : plainText(message);
}
