/** One run of a container from its start to its exit, with all its output. */

import type { ContainerDetails } from '../engine/containers/containerDetails.ts';
import { inspectContainer } from '../engine/containers/containers.ts';
import type { ExitStatus } from '../engine/containers/waitForContainer.ts';
import {
  removeContainer,
  startContainer,
  stopContainer,
} from '../engine/containers/containerLifecycle.ts';
import type { CreateArguments } from '../engine/options/options.ts';
import { failedWith, isLost } from '../engine/errors.ts';
import { attachContainer, resizeContainer } from '../engine/containers/attachContainer.ts';
import { NO_DETACH_KEYS, type TerminalSize } from '../engine/exec/exec.ts';
import { isInterruption, waitAcrossReconnects } from '../engine/containers/reconnectingWait.ts';
import type { Connect } from '../engine/http/sameEngineOnly.ts';
import type { DuplexStream } from '../engine/http/duplexStream.ts';
import { outputText } from '../output/terminal/outputText.ts';
import { delay, nextPause, settledWithin } from '../base/time.ts';

/** Attaches to a container, starts it and waits for its exit. */
export class ContainerRun {
  readonly #options: ContainerRunOptions;
  readonly #controller = new AbortController();
  /** Aborted once the container has exited. */
  readonly #exited = new AbortController();
  readonly #up = Promise.withResolvers<undefined>();
  readonly #abandoned = Promise.withResolvers<never>();
  #twoWay: DuplexStream | undefined;
  /** Whether a connection was lost since the last attach or output. */
  #isCut = false;
  #isStarted = false;
  #isStopWanted = false;

  constructor(parts: ContainerRunOptions) {
    this.#options = parts;
    // Callers need not await these. `toEnd` reports the errors.
    this.#up.promise.catch(() => undefined);
    this.#abandoned.promise.catch(() => undefined);
  }

  /** Resolves when the container is started and accepts input and resizes. Rejects if it never starts. */
  get whenUp(): Promise<unknown> {
    return this.#up.promise;
  }

  /**
   * Runs the container until it exits. The wait and the output are set up before the start, so neither can be missed.
   * Both survive a lost connection.
   *
   * @throws NotStartedError; EngineError if the exit is unknown: the container was removed, another engine is in use
   * (`engineReplaced`), or the connection was lost and the container could not be stopped.
   */
  async toEnd(): Promise<RunResult> {
    const { signal } = this.#controller;
    try {
      const { exit, output } = await this.#begin();
      const { exitCode } = await Promise.race([exit, this.#abandoned.promise]);
      this.#exited.abort();
      await settledWithin(LAST_OUTPUT_MS, output, { signal });
      return { ...(await this.#finalState()), exitCode };
    } finally {
      this.#controller.abort();
      this.#exited.abort();
      this.#up.reject(new Error('It is over'));
    }
  }

  /**
   * Stops the container; the engine kills it after its stop timeout. A container that is not started yet is not
   * started, or is stopped right after. Never rejects: `toEnd` reports the outcome, and `onStopRefused` a refusal.
   */
  async stop(): Promise<void> {
    this.#isStopWanted = true;
    // Engines ignore a stop of a container that is only created, and would start it afterwards.
    for (let tries = 1; this.#isStarted && !this.#exited.signal.aborted; tries++) {
      const error = await this.#askToStop();
      if (error === undefined) return;
      if (failedWith(error, ...GONE_REASONS)) return this.abandon(error);
      if (!isLost(error)) {
        this.#options.onStopRefused?.(error);
        return;
      }
      if (tries === MOST_STOPS) {
        this.#abandoned.reject(error);
        return;
      }
      await delay(STOP_PAUSE_MS, this.#exited.signal).catch(() => undefined);
    }
  }

  /** Sends input; resolves when it can accept more. */
  async input(bytes: Uint8Array): Promise<void> {
    await this.#twoWay?.write(bytes);
  }

  endInput(): void {
    this.#twoWay?.end();
  }

  /** Resolves to whether the engine certainly applies the last of several sizes. */
  async resize(size: TerminalSize): Promise<boolean> {
    if (!this.#isStarted) return true;
    return resizeContainer(await this.#options.connect(), this.#options.id, size);
  }

  /** Inspects the container. Never rejects. */
  async look(): Promise<RunState> {
    const { connect, id } = this.#options;
    try {
      return (await inspectContainer(await connect(), id)).isRunning ? 'running' : 'over';
    } catch (error) {
      return failedWith(error, 'notFound') ? 'gone' : 'unknown';
    }
  }

  /** Removes the container and its anonymous volumes. Without force, so that engines refuse if it is running. */
  async remove(): Promise<void> {
    const { connect, id } = this.#options;
    await removeContainer(await connect(), id, { volumes: true });
  }

  /** Fails the run with this error, unless the container's exit is reported shortly. */
  async abandon(error: unknown): Promise<void> {
    await delay(STOP_PAUSE_MS, this.#exited.signal).catch(() => undefined);
    this.#abandoned.reject(error);
  }

  /** @returns the error of the stop request, if it failed. */
  async #askToStop(): Promise<unknown> {
    const { connect, id } = this.#options;
    try {
      await stopContainer(await connect(), id);
      return undefined;
    } catch (error) {
      return error;
    }
  }

  /** Waits, attaches and starts, in this order. Podman prepares a container when a client attaches. */
  async #begin(): Promise<{ readonly exit: Promise<ExitStatus>; readonly output: Promise<void> }> {
    const { connect, id } = this.#options;
    const { signal } = this.#controller;
    const onLost = (error: unknown): void => {
      this.#isCut = true;
      this.#options.onLost?.(error);
    };
    try {
      const wait = { connect, id, condition: 'next-exit', isNew: true, signal, onLost } as const;
      const { exit } = await waitAcrossReconnects(wait);
      const output = this.#followOutput(await this.#attach());
      // `toEnd` awaits the output only after the exit.
      output.catch(() => undefined);
      await this.#start();
      return { exit, output };
    } catch (error) {
      const { exitCode } = await this.#inspect().catch(() => ({ exitCode: 0 }));
      throw new NotStartedError(exitCode > 0 ? exitCode : FAILURE_EXIT_CODE, error);
    }
  }

  async #attach(): Promise<DuplexStream> {
    const { connect, id, args, onInputBlocked } = this.#options;
    const { signal } = this.#controller;
    const detachKeys = args.tty === true ? NO_DETACH_KEYS : undefined;
    const options = { wantsInput: args.openStdin === true, detachKeys };
    this.#twoWay = await attachContainer(await connect(signal), id, options, signal);
    this.#isCut = false;
    if (options.wantsInput && !this.#twoWay.acceptsInput) onInputBlocked?.();
    return this.#twoWay;
  }

  async #start(): Promise<void> {
    if (this.#isStopWanted) throw new Error('It was stopped before its start');
    try {
      await startContainer(await this.#options.connect(), this.#options.id);
    } catch (error) {
      // The engine may have started it nevertheless.
      const isUnknown = failedWith(error, 'cut', 'timeout');
      if (!isUnknown || !(await this.#inspect()).wasStarted) throw error;
    }
    this.#isStarted = true;
    this.#up.resolve(undefined);
    this.#stopIfWanted();
  }

  /** Handles a stop that was requested during the start request. */
  #stopIfWanted(): void {
    if (this.#isStopWanted) void this.stop();
  }

  async #inspect(): Promise<ContainerDetails> {
    const { connect, id } = this.#options;
    const { signal } = this.#controller;
    return inspectContainer(await connect(signal), id, signal);
  }

  /** Returns the details besides the exit code. A failed inspect must not lose the exit code. */
  async #finalState(): Promise<Omit<RunResult, 'exitCode'>> {
    const nothing = { wasOutOfMemory: false, startedAt: '', finishedAt: '' };
    const name = this.#options.id.slice(0, 12);
    return this.#inspect().catch(() => ({ name, ...nothing }));
  }

  /** Writes the output of this stream and of each one after it. Resolves at the end of the output. */
  async #followOutput(first: DuplexStream): Promise<void> {
    let pauseMs = 0;
    for (let twoWay: DuplexStream | undefined = first; twoWay;) {
      const since = performance.now();
      await this.#show(twoWay);
      const hasStood = performance.now() - since > FIRST_PAUSE_MS;
      pauseMs = hasStood ? FIRST_PAUSE_MS : longer(pauseMs);
      twoWay = await this.#attachAgain(pauseMs);
      if (!twoWay && this.#isCut && !this.#controller.signal.aborted) this.#options.onOutputCut?.();
    }
  }

  async #show({ output }: DuplexStream): Promise<void> {
    const { args, write } = this.#options;
    const text = outputText(args.tty === true);
    try {
      for await (const chunk of output) {
        this.#isCut = false;
        await write(text(chunk));
      }
    } catch (error) {
      if (this.#controller.signal.aborted) return;
      if (!isInterruption(error)) throw error;
      this.#isCut = true;
    }
  }

  /** Attaches again if the container is still running, that is, if only the connection has ended. */
  async #attachAgain(firstPauseMs: number): Promise<DuplexStream | undefined> {
    const exited = this.#exited.signal;
    for (let pauseMs = firstPauseMs; ; pauseMs = longer(pauseMs)) {
      try {
        // The output may have ended with the process; its exit is reported within this pause. Attaching to an
        // exited container would make Podman prepare it to run again.
        await delay(pauseMs, exited);
        if (!this.#isStarted) continue;
        if (!(await this.#inspect()).isRunning) return undefined;
        const twoWay = await this.#attach();
        this.#options.onAttachedAgain?.();
        return twoWay;
      } catch (error) {
        if (exited.aborted) return undefined;
        if (isInterruption(error)) continue;
        if (failedWith(error, ...GONE_REASONS)) void this.abandon(error);
        return undefined;
      }
    }
  }
}

interface ContainerRunOptions {
  /** Connects only to the engine that has the container: see `sameEngineOnly`. */
  readonly connect: Connect;
  /** ID of the container, which was created and never started. */
  readonly id: string;
  readonly args: CreateArguments;
  /** Writes output unchanged. Resolves when more can be written. */
  readonly write: (text: string) => Promise<void>;
  /** Called when the engine cannot be reached, with the error. The run retries until it can. */
  readonly onLost?: (error: unknown) => void;
  /** Called when the engine refuses to stop the container, which runs on. */
  readonly onStopRefused?: (error: unknown) => void;
  /** Called each time that the attached connection accepts no input although the container does. */
  readonly onInputBlocked?: () => void;
  /** Called when attached again after a lost connection. Output written in between is not shown. */
  readonly onAttachedAgain?: () => void;
  /** Called if the connection was lost and the run does not attach again. The last output is not shown. */
  readonly onOutputCut?: () => void;
}

export interface RunResult {
  readonly name: string;
  readonly exitCode: number;
  readonly wasOutOfMemory: boolean;
  /** RFC 3339, as the engine writes it; empty if unknown. */
  readonly startedAt: string;
  readonly finishedAt: string;
}

/** The error if the container did not start. `exitCode` is the engine's exit code for that, or 125. */
export class NotStartedError extends Error {
  override readonly name = 'NotStartedError';
  readonly exitCode: number;

  constructor(exitCode: number, cause: unknown) {
    super('The container did not start', { cause });
    this.exitCode = exitCode;
  }
}

/** The exit code of the task if the container has none. */
export const FAILURE_EXIT_CODE = 125;
/** Time to wait for the output to close after the exit: a leftover process may hold it open. */
const LAST_OUTPUT_MS = 5000;
/** Number of stop requests to send if the connection is lost each time. */
const MOST_STOPS = 3;
const STOP_PAUSE_MS = 1000;
/** Milliseconds between two attempts to attach again: first and longest. */
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 15_000;
/** Reasons for which no later request about the container can succeed. */
const GONE_REASONS = ['notFound', 'disconnected', 'engineRemoved', 'engineReplaced'] as const;

/** The state of a container after its run has failed. */
type RunState = 'running' | 'over' | 'gone' | 'unknown';

function longer(pauseMs: number): number {
  return nextPause(pauseMs, FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
}
