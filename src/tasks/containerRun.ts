/** One run of a container from its creation to its end, all of its output on the way. */

import { attachContainer, resizeContainer } from '../engine/attach.ts';
import type { Connection } from '../engine/connection.ts';
import { inspectContainer } from '../engine/containers.ts';
import { waitForContainer } from '../engine/containerWait.ts';
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
  #twoWay: TwoWay | undefined;
  #isStarted = false;

  constructor(parts: RunParts) {
    this.#parts = parts;
  }

  /**
   * Runs it to its end. The wait and the output stand before it starts, so neither can be missed.
   *
   * @throws NotStarted; EngineError where the engine is lost on the way.
   */
  async toEnd(): Promise<RunEnd> {
    const { connection, id } = this.#parts;
    const { signal } = this.#controller;
    try {
      const { exit } = await waitForContainer(connection, id, 'next-exit', signal);
      const { output } = await this.#begin();
      const { exitCode } = await exit;
      await Promise.race([output, delay(LAST_OUTPUT_MS, signal)]);
      return { ...(await inspectContainer(connection, id, signal)), exitCode };
    } finally {
      this.#controller.abort();
    }
  }

  /** Asks it to end; the engine kills it after its grace. Never rejects: how it ended is told by `toEnd`. */
  async stop(): Promise<void> {
    const { connection, id } = this.#parts;
    await stopContainer(connection, id).catch(() => undefined);
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

  /** Attaches, starts, and hands back the end of the output. One engine prepares a container to attach to it. */
  async #begin(): Promise<{ readonly output: Promise<void> }> {
    const { connection, id, args } = this.#parts;
    const options = { wantsInput: args.openStdin === true };
    try {
      this.#twoWay = await attachContainer(connection, id, options, this.#controller.signal);
      const output = this.#pump(this.#twoWay);
      // Whoever comes first of the two is heard.
      output.catch(() => undefined);
      await startContainer(connection, id);
      this.#isStarted = true;
      return { output };
    } catch (error) {
      const { exitCode } = await inspectContainer(connection, id).catch(() => ({ exitCode: 0 }));
      throw new NotStarted(exitCode > 0 ? exitCode : FAILED, error);
    }
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
