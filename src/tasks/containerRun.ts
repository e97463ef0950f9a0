/** One run of a container from its creation to its end, all of its output on the way. */

import { attachContainer, resizeContainer } from '../engine/attach.ts';
import type { Connection } from '../engine/connection.ts';
import { inspectContainer } from '../engine/containers.ts';
import { waitForContainer, type ExitStatus } from '../engine/containerWait.ts';
import { removeContainer, startContainer, stopContainer } from '../engine/containerVerbs.ts';
import type { CreateArguments } from '../engine/createSpec.ts';
import { failedWith } from '../engine/errors.ts';
import type { TerminalSize } from '../engine/exec.ts';
import type { TwoWay } from '../engine/twoWay.ts';
import { delay } from '../lifetime.ts';
import { FramedText, TerminalText } from '../terminal/outputText.ts';

/** What a run stands on. */
export interface RunParts {
  readonly connection: Connection;
  /** Of the container; it is created and was never started. */
  readonly id: string;
  readonly args: CreateArguments;
  /** Takes output as it is; resolves when more may come. */
  readonly write: (text: string) => Promise<void>;
}

/** How a run ended. */
export interface RunEnd {
  readonly name: string;
  readonly exitCode: number;
  readonly wasOutOfMemory: boolean;
  /** RFC 3339 as the engine writes it; empty where it has not happened. */
  readonly startedAt: string;
  readonly finishedAt: string;
}

/** The container would not start. `exitCode` is what the engine notes for that, else 125. */
export class NotStarted extends Error {
  override readonly name = 'NotStarted';
  readonly exitCode: number;

  constructor(exitCode: number, cause: unknown) {
    super('The container did not start', { cause });
    this.exitCode = exitCode;
  }
}

/** What fails before there is a status of the container's own. */
export const FAILED = 125;
/** Output that something left behind holds open is not waited for longer. */
const LAST_OUTPUT_MS = 5000;

/** A container that is attached, started and waited for. */
export class ContainerRun {
  readonly #parts: RunParts;
  readonly #controller = new AbortController();
  readonly #up = Promise.withResolvers<undefined>();
  #twoWay: TwoWay | undefined;
  #isStarted = false;
  #isStopWanted = false;

  constructor(parts: RunParts) {
    this.#parts = parts;
    // Not everybody asks, and why it did not start is told by `toEnd`.
    this.#up.promise.catch(() => undefined);
  }

  /** Resolves once it is started and takes input and sizes; rejects where that never comes. */
  get whenUp(): Promise<unknown> {
    return this.#up.promise;
  }

  /**
   * Runs it to its end. The wait and the output stand before it starts, so neither can be missed.
   *
   * @throws NotStarted; EngineError where the engine is lost on the way.
   */
  async toEnd(): Promise<RunEnd> {
    const { signal } = this.#controller;
    try {
      const { exit, output } = await this.#begin();
      const { exitCode } = await exit;
      await Promise.race([output, delay(LAST_OUTPUT_MS, signal)]);
      return { ...(await this.#told()), exitCode };
    } finally {
      this.#controller.abort();
      this.#up.reject(new Error('It is over'));
    }
  }

  /**
   * Asks it to end; the engine kills it after its grace. What is not started yet will not be, or ends at once. Never
   * rejects: how it ended is told by `toEnd`.
   */
  async stop(): Promise<void> {
    this.#isStopWanted = true;
    const { connection, id } = this.#parts;
    // What only was created has nothing to stop, and would be started after that all the same.
    if (this.#isStarted) await stopContainer(connection, id).catch(() => undefined);
  }

  /** What was typed; resolves when more may come. */
  async input(bytes: Uint8Array): Promise<void> {
    await this.#twoWay?.write(bytes);
  }

  endInput(): void {
    this.#twoWay?.end();
  }

  async resize(size: TerminalSize): Promise<void> {
    if (this.#isStarted) await resizeContainer(this.#parts.connection, this.#parts.id, size);
  }

  /** Removes it, with volumes that have no name. */
  async remove(): Promise<void> {
    await removeContainer(this.#parts.connection, this.#parts.id, { force: true, volumes: true });
  }

  /** Waits, attaches, starts, and hands back both ends. One engine prepares a container to attach to it. */
  async #begin(): Promise<{ readonly exit: Promise<ExitStatus>; readonly output: Promise<void> }> {
    const { connection, id, args } = this.#parts;
    const { signal } = this.#controller;
    const options = { wantsInput: args.openStdin === true };
    try {
      const { exit } = await waitForContainer(connection, id, 'next-exit', signal);
      this.#twoWay = await attachContainer(connection, id, options, signal);
      const output = this.#pump(this.#twoWay);
      // Whoever comes first of the two is heard.
      output.catch(() => undefined);
      await this.#start();
      return { exit, output };
    } catch (error) {
      const { exitCode } = await inspectContainer(connection, id).catch(() => ({ exitCode: 0 }));
      throw new NotStarted(exitCode > 0 ? exitCode : FAILED, error);
    }
  }

  async #start(): Promise<void> {
    if (this.#isStopWanted) throw new Error('It was stopped before its start');
    await startContainer(this.#parts.connection, this.#parts.id);
    this.#isStarted = true;
    this.#up.resolve(undefined);
    this.#stopIfWanted();
  }

  /** For a stop that came while the start was on its way. */
  #stopIfWanted(): void {
    if (this.#isStopWanted) void this.stop();
  }

  /** What there is to tell besides the status, which is not lost where the engine does not tell it any more. */
  async #told(): Promise<Omit<RunEnd, 'exitCode'>> {
    const { connection, id } = this.#parts;
    const nothing = { wasOutOfMemory: false, startedAt: '', finishedAt: '' };
    return inspectContainer(connection, id, this.#controller.signal).catch(() => ({
      name: id.slice(0, 12),
      ...nothing,
    }));
  }

  async #pump({ output }: TwoWay): Promise<void> {
    const text = this.#parts.args.tty === true ? new TerminalText() : new FramedText();
    try {
      for await (const chunk of output) await this.#parts.write(text.push(chunk));
    } catch (error) {
      // The wait tells the same of a connection that is lost, and it is the one who is asked.
      if (!this.#controller.signal.aborted && !failedWith(error, 'cut')) throw error;
    }
  }
}
