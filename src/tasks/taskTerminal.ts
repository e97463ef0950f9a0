import type { CreateArguments } from '../engine/options/options.ts';
import { failedWith } from '../engine/errors.ts';
import type { TerminalSize } from '../engine/containers/exec.ts';
import { sameEngineOnly, type Connect } from '../engine/sameEngineOnly.ts';
import type { L10n } from '../l10n.ts';
import type { Event } from '../lifetime.ts';
import { InputQueue } from '../terminal/inputQueue.ts';
import { LineInput } from '../terminal/lineInput.ts';
import type { Pty } from '../terminal/pty.ts';
import { Screen } from '../terminal/screen.ts';
import { Sizer } from '../terminal/sizer.ts';
import { typedText } from '../terminal/typedText.ts';
import {
  ContainerRun,
  FAILURE_EXIT_CODE,
  NotStartedError,
  type RunResult,
} from './containerRun.ts';
import type { RemovePolicy } from './taskOptions.ts';
import type { PendingRemovals } from './pendingRemovals.ts';

const CTRL_C = '\x03';

/**
 * A task that is a container: its output, and its exit status in the end. Closing the terminal, which is what
 * Terminate Task does, stops the container.
 */
export class TaskTerminal<Task extends ReadyTask> implements Pty {
  readonly #options: TaskTerminalOptions<Task>;
  readonly #screen: Screen;
  readonly #preparing = new AbortController();
  readonly #input: InputQueue;
  readonly #sizer: Sizer;
  #line: LineInput | undefined;
  #run: ContainerRun | undefined;
  #takesInput = false;
  #work: Promise<void> = Promise.resolve();
  readonly onDidWrite: Event<string>;
  readonly onDidClose: Event<number | undefined>;

  constructor(parts: TaskTerminalOptions<Task>, screen = new Screen(parts.l10n)) {
    this.#options = parts;
    this.#screen = screen;
    ({ onDidWrite: this.onDidWrite, onDidClose: this.onDidClose } = screen);
    this.#input = new InputQueue(async (bytes) => this.#run?.input(bytes));
    this.#sizer = new Sizer(async (size) => this.#run?.resize(size));
  }

  /** Settles when nothing of the task is going on any more, also after it was closed. */
  get whenOver(): Promise<void> {
    return this.#work;
  }

  open(size: TerminalSize | undefined): void {
    this.#sizer.set(size);
    this.#work = this.#all();
  }

  close(): void {
    this.#screen.dispose();
    this.#terminate();
  }

  handleInput(input: string): void {
    const text = typedText(input);
    if (text === CTRL_C && (!this.#takesInput || this.#line)) this.#terminate();
    else if (this.#takesInput) this.#type(text);
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
    void this.#screen.write(echo);
    this.#input.push(send);
    // After what was typed before it, which may still wait.
    if (isEnd) this.#input.end(() => this.#run?.endInput());
  }

  async #all(): Promise<void> {
    let code = FAILURE_EXIT_CODE;
    try {
      code = await this.#toEnd();
    } catch (error) {
      if (!this.#preparing.signal.aborted) this.#screen.sayError(this.#options.describe(error));
    } finally {
      this.#input.stop();
      this.#sizer.stop();
      this.#screen.close(code);
    }
  }

  async #toEnd(): Promise<number> {
    const { signal } = this.#preparing;
    const prepared = await this.#options.prepare(signal);
    const connection = await prepared.connect(signal);
    // All of the task is asked of one engine, whatever the address of the engine becomes meanwhile.
    const task = { ...prepared, connect: sameEngineOnly(connection, prepared.connect) };
    const say = (line: string): void => {
      this.#screen.say(line);
    };
    const { id, warnings } = await this.#options.create(task, say, signal);
    await this.#options.removals.note(connection, id, task.remove);
    for (const warning of warnings) say(warning);
    const run = this.#runOf(id, task);
    const own = { id, run, task };
    if (signal.aborted) {
      // It did nothing yet, and nobody waits for it.
      await this.#remove(own);
      return FAILURE_EXIT_CODE;
    }
    this.#run = run;
    return this.#follow(own);
  }

  #runOf(id: string, { connect, args }: ReadyTask): ContainerRun {
    const { l10n } = this.#options;
    return new ContainerRun({
      connect,
      id,
      args,
      write: (text) => this.#screen.write(text),
      onLost: () => {
        this.#screen.say(l10n.t('Connection to the container engine lost. Reconnecting...'));
      },
      onAttachedAgain: () => {
        this.#screen.say(l10n.t('Reconnected to the container. Some output may be missing.'));
      },
    });
  }

  async #follow(own: OwnContainer<Task>): Promise<number> {
    const { run, task } = own;
    const { args } = task;
    this.#takesInput = args.openStdin === true;
    this.#line = args.tty === true ? undefined : new LineInput();
    const over = new AbortController();
    // Before its start it takes neither, and what was sent would be lost.
    run.whenUp.then(
      () => {
        this.#input.start();
        void this.#options.removals.noteStart(task.connect, own.id, { signal: over.signal });
        if (args.tty === true) void this.#sizer.start();
      },
      () => undefined,
    );
    try {
      const end = await run.toEnd();
      this.#screen.say(this.#options.describeEnd(end));
      if (isRemovedAt(end.exitCode, task)) await this.#remove(own);
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

  /** @returns the exit code of a container that has one, or is gone. @throws what else went wrong. */
  async #fail(error: unknown, own: OwnContainer<Task>): Promise<number> {
    if (error instanceof NotStartedError) return this.#failToStart(error, own);
    const { l10n, removals } = this.#options;
    const { id, run, task } = own;
    // What became of it is not known here.
    const where = await run.look();
    if (where === 'gone') {
      removals.drop(id);
      this.#screen.sayError(l10n.t('The container was removed. Its exit code is not known.'));
      return FAILURE_EXIT_CODE;
    }
    if (where !== 'over') this.#screen.sayError(l10n.t('The container may still be running.'));
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
    const isEndedByPerson = this.#preparing.signal.aborted;
    recheck(task, id);
    if (!isEndedByPerson) this.#screen.sayError(describe(cause));
    // What is on an engine that is no longer in use has been told.
    if (failedWith(cause, 'engineReplaced')) return exitCode;
    if (isEndedByPerson || task.remove === true) await this.#remove(own);
    else removals.drop(id);
    return exitCode;
  }

  /** A container that cannot be removed has ended all the same. */
  async #remove({ id, run, task }: OwnContainer<Task>): Promise<void> {
    const { recheck, removals, describe } = this.#options;
    try {
      await run.remove();
      removals.drop(id);
    } catch (error) {
      this.#screen.sayError(describe(error));
    } finally {
      recheck(task, id);
    }
  }
}

/** A task made ready. */
export interface ReadyTask {
  readonly connect: Connect;
  readonly args: CreateArguments;
  readonly remove: RemovePolicy;
}

/** What a task's terminal stands on. */
export interface TaskTerminalOptions<Task extends ReadyTask> {
  /** Reads what the task says. @throws InputError. */
  readonly prepare: (signal: AbortSignal) => Promise<Task>;
  /**
   * Creates the container, its image pulled where the task wants that.
   *
   * @param say shows a line of the pull.
   * @param signal ends the pull; what is created then is told all the same.
   */
  readonly create: (
    task: Task,
    say: (line: string) => void,
    signal: AbortSignal,
  ) => Promise<{ readonly id: string; readonly warnings: readonly string[] }>;
  /** Remembers the container until it is removed, for the window after this one. */
  readonly removals: Pick<PendingRemovals, 'note' | 'noteStart' | 'drop'>;
  /** The engine may have changed the container without an event. */
  readonly recheck: (task: Task, id: string) => void;
  readonly describe: (error: unknown) => string;
  readonly describeEnd: (end: RunResult) => string;
  readonly l10n: L10n;
}

/** The container of a task, and its run. */
interface OwnContainer<Task extends ReadyTask> {
  readonly id: string;
  readonly run: ContainerRun;
  readonly task: Task;
}

function isRemovedAt(exitCode: number, { remove }: ReadyTask): boolean {
  return remove === true || (remove === 'onSuccess' && exitCode === 0);
}
