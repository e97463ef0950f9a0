import type { Connection } from '../engine/connection.ts';
import type { CreateArguments } from '../engine/createSpec.ts';
import type { TerminalSize } from '../engine/exec.ts';
import type { L10n } from '../l10n.ts';
import type { Event } from '../lifetime.ts';
import { InputQueue } from '../terminal/inputQueue.ts';
import { LineInput } from '../terminal/lineInput.ts';
import type { Pty } from '../terminal/pty.ts';
import { Screen } from '../terminal/screen.ts';
import { Sizer } from '../terminal/sizer.ts';
import { ContainerRun, FAILED, NotStarted, type RunEnd } from './containerRun.ts';
import type { Removal } from './definition.ts';

const CTRL_C = '\x03';

/** A task made ready. */
export interface ReadyTask {
  readonly connection: Connection;
  readonly args: CreateArguments;
  readonly remove: Removal;
}

/** What a task's terminal stands on. */
export interface TaskParts<Task extends ReadyTask> {
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
  readonly describe: (error: unknown) => string;
  readonly describeEnd: (end: RunEnd) => string;
  readonly l10n: L10n;
}

/**
 * A task that is a container: its output, and its exit status in the end. Closing the terminal, which is what
 * Terminate Task does, stops the container.
 */
export class TaskTerminal<Task extends ReadyTask> implements Pty {
  readonly #parts: TaskParts<Task>;
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

  constructor(parts: TaskParts<Task>, screen = new Screen(parts.l10n)) {
    this.#parts = parts;
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

  handleInput(text: string): void {
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
    let code = FAILED;
    try {
      code = await this.#toEnd();
    } catch (error) {
      if (!this.#preparing.signal.aborted) this.#screen.say(this.#parts.describe(error));
    } finally {
      this.#input.stop();
      this.#sizer.stop();
      this.#screen.close(code);
    }
  }

  async #toEnd(): Promise<number> {
    const { signal } = this.#preparing;
    const task = await this.#parts.prepare(signal);
    const say = (line: string): void => {
      this.#screen.say(line);
    };
    const { id, warnings } = await this.#parts.create(task, say, signal);
    for (const warning of warnings) say(warning);
    const { connection, args } = task;
    const write = (text: string): Promise<void> => this.#screen.write(text);
    const run = new ContainerRun({ connection, id, args, write });
    if (signal.aborted) {
      // It did nothing yet, and nobody waits for it.
      await this.#remove(run);
      return FAILED;
    }
    this.#run = run;
    return this.#follow(run, task);
  }

  async #follow(run: ContainerRun, { args, remove }: ReadyTask): Promise<number> {
    this.#takesInput = args.openStdin === true;
    this.#line = args.tty === true ? undefined : new LineInput();
    // Before its start it takes neither, and what was sent would be lost.
    run.whenUp.then(
      () => {
        this.#input.start();
        if (args.tty === true) void this.#sizer.start();
      },
      () => undefined,
    );
    let isRemoved = remove === true;
    try {
      const end = await run.toEnd();
      isRemoved ||= remove === 'onSuccess' && end.exitCode === 0;
      this.#screen.say(this.#parts.describeEnd(end));
      return end.exitCode;
    } catch (error) {
      if (!(error instanceof NotStarted)) throw error;
      const isEndedByPerson = this.#preparing.signal.aborted;
      isRemoved ||= isEndedByPerson;
      if (!isEndedByPerson) this.#screen.say(this.#parts.describe(error.cause));
      return error.exitCode;
    } finally {
      // Who closes the terminal later stops nothing that somebody else has started again.
      this.#run = undefined;
      if (isRemoved) await this.#remove(run);
    }
  }

  /** A container that cannot be removed has ended all the same. */
  async #remove(run: ContainerRun): Promise<void> {
    try {
      await run.remove();
    } catch (error) {
      this.#screen.say(this.#parts.describe(error));
    }
  }
}
