/** One run of a container from its creation to its end, all of its output on the way. */

import { attachContainer, resizeContainer } from '../engine/containers/attachContainer.ts';
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
import type { TerminalSize } from '../engine/containers/exec.ts';
import { waitAcrossReconnects } from '../engine/containers/reconnectingWait.ts';
import type { Connect } from '../engine/sameEngineOnly.ts';
import type { DuplexStream } from '../engine/http/duplexStream.ts';
import { delay, settledWithin } from '../time.ts';
import { followOutput } from './followOutput.ts';

/** Attaches to a container, starts it and waits for its exit. */
export class ContainerRun {
  readonly #options: ContainerRunOptions;
  readonly #controller = new AbortController();
  /** Aborted once the container has exited. */
  readonly #exited = new AbortController();
  readonly #up = Promise.withResolvers<undefined>();
  readonly #givenUp = Promise.withResolvers<never>();
  #twoWay: DuplexStream | undefined;
  #isStarted = false;
  #isStopWanted = false;

  constructor(parts: ContainerRunOptions) {
    this.#options = parts;
    // Callers need not await these. `toEnd` reports the errors.
    this.#up.promise.catch(() => undefined);
    this.#givenUp.promise.catch(() => undefined);
  }

  /** Resolves once the container is started and takes input and sizes; rejects if it never starts. */
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
      const { exitCode } = await Promise.race([exit, this.#givenUp.promise]);
      this.#exited.abort();
      await settledWithin(LAST_OUTPUT_MS, output, { signal });
      return { ...(await this.#told()), exitCode };
    } finally {
      this.#controller.abort();
      this.#exited.abort();
      this.#up.reject(new Error('It is over'));
    }
  }

  /**
   * Stops the container; the engine kills it after its stop timeout. A container that is not started yet is not
   * started, or is stopped right after. Never rejects: `toEnd` reports the outcome and any error.
   */
  async stop(): Promise<void> {
    this.#isStopWanted = true;
    // Engines ignore a stop of a container that is only created, and would start it afterwards.
    for (let tries = 1; this.#isStarted && !this.#exited.signal.aborted; tries++) {
      const error = await this.#askToStop();
      if (failedWith(error, ...GONE_REASONS)) return this.#giveUp(error);
      if (!isLost(error)) return;
      if (tries === MOST_STOPS) {
        this.#givenUp.reject(error);
        return;
      }
      await delay(STOP_PAUSE_MS, this.#exited.signal).catch(() => undefined);
    }
  }

  /** Sends input; resolves when it can take more. */
  async input(bytes: Uint8Array): Promise<void> {
    await this.#twoWay?.write(bytes);
  }

  endInput(): void {
    this.#twoWay?.end();
  }

  async resize(size: TerminalSize): Promise<void> {
    if (this.#isStarted)
      await resizeContainer(await this.#options.connect(), this.#options.id, size);
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

  /** Removes the container and its anonymous volumes. Without force: engines refuse if it is running. */
  async remove(): Promise<void> {
    const { connect, id } = this.#options;
    await removeContainer(await connect(), id, { volumes: true });
  }

  /** Fails the run with this error, unless the exit arrives shortly. */
  async #giveUp(error: unknown): Promise<void> {
    await delay(STOP_PAUSE_MS, this.#exited.signal).catch(() => undefined);
    this.#givenUp.reject(error);
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

  /** Waits, attaches and starts, in this order. One engine prepares a container when it is attached. */
  async #begin(): Promise<{ readonly exit: Promise<ExitStatus>; readonly output: Promise<void> }> {
    const { connect, id, onLost } = this.#options;
    const { signal } = this.#controller;
    try {
      const wait = {
        connect,
        id,
        condition: 'next-exit',
        isNew: true,
        signal,
        ...(onLost && { onLost }),
      } as const;
      const { exit } = await waitAcrossReconnects(wait);
      const output = this.#show(await this.#attach());
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
    const { connect, id, args } = this.#options;
    const { signal } = this.#controller;
    const options = { wantsInput: args.openStdin === true };
    this.#twoWay = await attachContainer(await connect(signal), id, options, signal);
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

  /** For a stop during the start request. */
  #stopIfWanted(): void {
    if (this.#isStopWanted) void this.stop();
  }

  async #inspect(): Promise<ContainerDetails> {
    const { connect, id } = this.#options;
    const { signal } = this.#controller;
    return inspectContainer(await connect(signal), id, signal);
  }

  /** The details besides the exit code. A failed inspect must not lose the exit code. */
  async #told(): Promise<Omit<RunResult, 'exitCode'>> {
    const nothing = { wasOutOfMemory: false, startedAt: '', finishedAt: '' };
    const name = this.#options.id.slice(0, 12);
    return this.#inspect().catch(() => ({ name, ...nothing }));
  }

  #show(first: DuplexStream): Promise<void> {
    const { args, write, onAttachedAgain } = this.#options;
    return followOutput(first, {
      write,
      hasTty: args.tty === true,
      attach: () => this.#attach(),
      inspect: () => this.#inspect(),
      isStarted: () => this.#isStarted,
      onAttachedAgain: () => onAttachedAgain?.(),
      onRefused: (error) => {
        if (failedWith(error, ...GONE_REASONS)) void this.#giveUp(error);
      },
      exited: this.#exited.signal,
      signal: this.#controller.signal,
    });
  }
}

/** The dependencies of a run. */
export interface ContainerRunOptions {
  /** Connects only to the engine that has the container: see `onlyTo`. */
  readonly connect: Connect;
  /** ID of the container, which was created and never started. */
  readonly id: string;
  readonly args: CreateArguments;
  /** Takes output unchanged; resolves when it can take more. */
  readonly write: (text: string) => Promise<void>;
  /** The engine cannot be reached. The run retries until it can. */
  readonly onLost?: () => void;
  /** Attached again after the connection was lost. Output written in between is not shown. */
  readonly onAttachedAgain?: () => void;
}

/** How a run ended. */
export interface RunResult {
  readonly name: string;
  readonly exitCode: number;
  readonly wasOutOfMemory: boolean;
  /** RFC 3339, as the engine writes it; empty if unknown. */
  readonly startedAt: string;
  readonly finishedAt: string;
}

/** The container did not start. `exitCode` is the engine's exit code for that, or 125. */
export class NotStartedError extends Error {
  override readonly name = 'NotStartedError';
  readonly exitCode: number;

  constructor(exitCode: number, cause: unknown) {
    super('The container did not start', { cause });
    this.exitCode = exitCode;
  }
}

/** The exit code if the container has none of its own. */
export const FAILURE_EXIT_CODE = 125;
/** How long to wait for the output to close after the exit: a leftover process may hold it open. */
const LAST_OUTPUT_MS = 5000;
/** How many stop requests to send if the connection is lost each time. */
const MOST_STOPS = 3;
const STOP_PAUSE_MS = 1000;
/** Reasons for which no later request about the container can succeed. */
const GONE_REASONS = ['notFound', 'disconnected', 'engineRemoved', 'engineReplaced'] as const;

/** What an inspect says about a container after its run has failed. */
export type RunState = 'running' | 'over' | 'gone' | 'unknown';
