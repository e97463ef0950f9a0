import * as l10n from '@vscode/l10n';
import type { CreateArguments } from '../engine/options/options.ts';
import { EngineError, failedWith, needsUser } from '../engine/errors.ts';
import type { TerminalSize } from '../engine/exec/exec.ts';
import { sameEngineOnly, type Connect } from '../engine/http/sameEngineOnly.ts';
import { once } from '../base/lifetime.ts';
import { CTRL_C, InputQueue, LineInput } from '../output/terminal/inputQueue.ts';
import type { Pty } from '../output/terminal/pty.ts';
import { Screen, typedText } from '../output/terminal/screen.ts';
import { Sizer } from '../output/terminal/sizer.ts';
import {
  ContainerRun,
  FAILURE_EXIT_CODE,
  NotStartedError,
  type RunResult,
} from './containerRun.ts';
import type { RemovePolicy } from './taskOptions.ts';
import type { PendingRemovals } from './pendingRemovals.ts';

/**
 * The terminal of a task that runs a container: shows its output and ends with its exit code. Closing the
 * terminal, which is what Terminate Task does, stops the container.
 */
export class TaskTerminal<Task extends ReadyTask> implements Pty {
  readonly #options: TaskTerminalOptions<Task>;
  readonly screen: Screen;
  readonly #preparing = new AbortController();
  readonly #input: InputQueue;
  readonly #sizer: Sizer;
  #line: LineInput | undefined;
  #run: ContainerRun | undefined;
  #acceptsInput = false;
  #isClosed = false;
  #work: Promise<void> = Promise.resolve();

  constructor(parts: TaskTerminalOptions<Task>) {
    this.#options = parts;
    this.screen = new Screen();
    this.#input = new InputQueue(async (bytes) => this.#run?.input(bytes));
    this.#sizer = new Sizer(async (size) => (await this.#run?.resize(size)) ?? true);
  }

  /** Resolves when all work of the task has ended, also after the terminal was closed. */
  get whenOver(): Promise<void> {
    return this.#work;
  }

  open(size: TerminalSize | undefined): void {
    this.#sizer.set(size);
    this.#work = this.#all();
  }

  close(): void {
    this.#isClosed = true;
    this.screen.dispose();
    this.#terminate();
  }

  handleInput(input: string): void {
    const text = typedText(input);
    if (text === CTRL_C && (!this.#acceptsInput || this.#line)) this.#terminate();
    else if (this.#acceptsInput) this.#type(text);
  }

  setDimensions(size: TerminalSize): void {
    this.#sizer.set(size);
  }

  #terminate(): void {
    this.#preparing.abort();
    void this.#run?.stop();
  }

  #type(text: string): void {
    if (!this.#line) {
      this.#input.push(text);
      return;
    }
    const { echo, send, isEnd } = this.#line.type(text);
    void this.screen.write(echo);
    this.#input.push(send);
    // Only after the input typed before, which may still be queued.
    if (isEnd) this.#input.end(() => this.#run?.endInput());
  }

  async #all(): Promise<void> {
    let code = FAILURE_EXIT_CODE;
    try {
      code = await this.#toEnd();
    } catch (error) {
      if (!this.#preparing.signal.aborted) this.screen.showError(this.#options.describe(error));
    } finally {
      this.#input.stop();
      this.#sizer.stop();
      this.screen.close(code);
    }
  }

  async #toEnd(): Promise<number> {
    const { signal } = this.#preparing;
    const prepared = await this.#options.prepare(signal);
    const connection = await prepared.connect(signal);
    // All requests of the task go to one engine, even if the engine's address changes in the meantime.
    const task = { ...prepared, connect: sameEngineOnly(connection, prepared.connect) };
    const report = this.screen.showMessage.bind(this.screen);
    const { id, warnings } = await this.#options.create(task, report, signal);
    await this.#options.removals.add(connection, id, task.remove);
    for (const warning of warnings) report(warning);
    const run = this.#runOf(id, task);
    const own = { id, run, task };
    if (signal.aborted) {
      // The task was terminated before the container was started.
      await this.#remove(own);
      return FAILURE_EXIT_CODE;
    }
    this.#run = run;
    return this.#follow(own);
  }

  #runOf(id: string, { connect, args }: ReadyTask): ContainerRun {
    const { describe } = this.#options;
    const run: ContainerRun = new ContainerRun({
      connect,
      id,
      args,
      write: (text) => this.screen.write(text),
      onLost: (error) => this.screen.showMessage(lossMessage(error)),
      onAttachedAgain: () => {
        this.screen.showMessage(
          l10n.t('Reconnected to the container. Some output may be missing.'),
        );
      },
      onOutputCut: () => {
        this.screen.showMessage(
          l10n.t('Connection to the container lost. Some output may be missing.'),
        );
      },
      onInputBlocked: once(() => {
        this.screen.showError(
          l10n.t('A proxy or firewall between VS Code and the engine blocks terminal input.'),
        );
      }),
      onStopRefused: (error) => {
        this.screen.showError(l10n.t('Could not stop the container: {0}', describe(error)));
        // The container may run on for long, and the next task may wait for the end of this one.
        if (this.#isClosed) void run.abandon(error);
      },
    });
    return run;
  }

  async #follow(own: OwnContainer<Task>): Promise<number> {
    const { run, task } = own;
    const { args } = task;
    this.#acceptsInput = args.openStdin === true;
    this.#line = args.tty === true ? undefined : new LineInput();
    const over = new AbortController();
    // Before the start the container accepts neither, and what was sent would be lost.
    run.whenUp.then(
      () => {
        this.#input.start();
        void this.#options.removals.recordStart(task.connect, own.id, { signal: over.signal });
        if (args.tty === true) void this.#sizer.start();
      },
      () => undefined,
    );
    try {
      const end = await run.toEnd();
      this.screen.showMessage(this.#options.describeEnd(end));
      const isSuccess = end.exitCode === 0;
      if (task.remove === 'onSuccess' ? isSuccess : task.remove) await this.#remove(own);
      else this.#options.removals.drop(own.id);
      return end.exitCode;
    } catch (error) {
      return await this.#fail(error, own);
    } finally {
      // Closing the terminal later must not stop a container that the user has started again.
      this.#run = undefined;
      over.abort();
    }
  }

  /** @returns the exit code if there is one, or if the container is gone. @throws the error otherwise. */
  async #fail(error: unknown, own: OwnContainer<Task>): Promise<number> {
    if (error instanceof NotStartedError) return this.#failToStart(error, own);
    const { removals } = this.#options;
    const { id, run, task } = own;
    // The run failed, so the state of the container is unknown.
    const where = await run.look();
    if (where === 'gone') {
      removals.drop(id);
      this.screen.showError(l10n.t('The container was removed. Its exit code is unknown.'));
      return FAILURE_EXIT_CODE;
    }
    if (where !== 'over') this.screen.showError(l10n.t('The container may still be running.'));
    else if (task.remove === true) await this.#remove(own);
    else removals.drop(id);
    throw error;
  }

  async #failToStart(
    { cause, exitCode }: NotStartedError,
    own: OwnContainer<Task>,
  ): Promise<number> {
    const { recheck, removals, describe } = this.#options;
    const { id, task } = own;
    const isEndedByUser = this.#preparing.signal.aborted;
    recheck(task, id);
    if (!isEndedByUser) this.screen.showError(describe(cause));
    // The container is on an engine that is no longer in use. The message states it already.
    if (failedWith(cause, 'engineReplaced')) return exitCode;
    if (isEndedByUser || task.remove === true) await this.#remove(own);
    else removals.drop(id);
    return exitCode;
  }

  /** Removes the container. If that fails, the task ends anyway. */
  async #remove({ id, run, task }: OwnContainer<Task>): Promise<void> {
    const { recheck, removals, describe } = this.#options;
    try {
      await run.remove();
      removals.drop(id);
    } catch (error) {
      this.screen.showError(describe(error));
    } finally {
      recheck(task, id);
    }
  }
}

function lossMessage(error: unknown): string {
  return error instanceof EngineError && needsUser(error)
    ? l10n.t(
        'Connection to the container engine lost. Select Refresh in the Containers view to reconnect.',
      )
    : l10n.t('Connection to the container engine lost. Reconnecting...');
}

export interface ReadyTask {
  readonly connect: Connect;
  readonly args: CreateArguments;
  readonly remove: RemovePolicy;
}

export interface TaskTerminalOptions<Task extends ReadyTask> {
  /** Reads the definition of the task. @throws InputError. */
  readonly prepare: (signal: AbortSignal) => Promise<Task>;
  /**
   * Creates the container, and pulls its image according to the task's pull policy.
   *
   * @param report shows a progress message of the pull.
   * @param signal cancels the pull. A container that is already created is returned anyway.
   */
  readonly create: (
    task: Task,
    report: (line: string) => void,
    signal: AbortSignal,
  ) => Promise<{ readonly id: string; readonly warnings: readonly string[] }>;
  /** Remembers the container until it is removed, also for the next window. */
  readonly removals: Pick<PendingRemovals, 'add' | 'recordStart' | 'drop'>;
  /** Lists the container again: the engine may have changed it without an event. */
  readonly recheck: (task: Task, id: string) => void;
  readonly describe: (error: unknown) => string;
  readonly describeEnd: (end: RunResult) => string;
}

interface OwnContainer<Task extends ReadyTask> {
  readonly id: string;
  readonly run: ContainerRun;
  readonly task: Task;
}
