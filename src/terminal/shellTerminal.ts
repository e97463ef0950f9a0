import type { Connection } from '../engine/http/connection.ts';
import { inspectContainer } from '../engine/containers/containers.ts';
import { EngineError, failedWith } from '../engine/errors.ts';
import {
  createExec,
  waitForExecExit,
  resizeExec,
  startDetachedExec,
  startExec,
  type TerminalSize,
} from '../engine/containers/exec.ts';
import type { DuplexStream } from '../engine/http/duplexStream.ts';
import type { L10n } from '../l10n.ts';
import type { Event } from '../lifetime.ts';
import { delay } from '../time.ts';
import { InputQueue } from './inputQueue.ts';
import type { Pty, TerminalOwner } from './pty.ts';
import { Screen } from './screen.ts';
import { hangUpCommand, ShellHead, shellCommand } from './shellHead.ts';
import { Sizer } from './sizer.ts';
import { typedText } from './typedText.ts';

/** A shell in a container. It ends with its terminal: closing that hangs up, as closing a window does. */
export class ShellTerminal implements Pty {
  readonly #options: ShellOptions;
  readonly #connection: Connection;
  readonly #l10n: L10n;
  readonly #screen: Screen;
  readonly #input: InputQueue;
  readonly #sizer: Sizer;
  #execId: string;
  #size: TerminalSize | undefined;
  #twoWay: DuplexStream | undefined;
  #pid: number | undefined;
  readonly #closing = new AbortController();
  #hasEnded = false;
  #ended: Promise<void> = Promise.resolve();
  readonly onDidWrite: Event<string>;
  readonly onDidClose: Event<number | undefined>;

  private constructor(execId: string, options: ShellOptions, parts: ShellDependencies) {
    this.#execId = execId;
    this.#options = options;
    this.#connection = parts.connection;
    this.#l10n = parts.l10n;
    this.#screen = parts.screen ?? new Screen(parts.l10n);
    ({ onDidWrite: this.onDidWrite, onDidClose: this.onDidClose } = this.#screen);
    this.#input = new InputQueue(async (bytes) => this.#twoWay?.write(bytes));
    this.#sizer = new Sizer((size) => resizeExec(this.#connection, this.#execId, size));
  }

  /**
   * Makes a shell ready; it starts with its terminal.
   *
   * @throws EngineError where the engine refuses, as for a container that does not run.
   */
  static async create(
    options: ShellOptions,
    parts: ShellDependencies,
    signal?: AbortSignal,
  ): Promise<ShellTerminal> {
    const { owner, mark, shell, env } = options;
    const spec = { command: shellCommand(mark, shell), env, hasTty: true };
    const execId = await createExec(parts.connection, owner.id, spec, signal);
    return new ShellTerminal(execId, options, parts);
  }

  /** Settles once it is over, also in the container, as far as that could be brought about. */
  get ended(): Promise<void> {
    return this.#ended;
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  open(size: TerminalSize | undefined): void {
    this.#size = size;
    this.#sizer.set(size);
    this.#ended = this.#run();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#closing.abort();
    this.#input.stop();
    this.#sizer.stop();
    this.#ended = this.#hangUp();
    this.#screen.dispose();
  }

  handleInput(input: string): void {
    const text = typedText(input);
    if (!this.#screen.takesKey(text)) this.#input.push(text);
  }

  setDimensions(size: TerminalSize): void {
    this.#size = size;
    this.#sizer.set(size);
  }

  async #run(): Promise<void> {
    try {
      const head = new ShellHead(this.#options.mark);
      await this.#session(head);
      if (!this.#isClosed) await this.#finish(head);
    } catch (error) {
      if (!this.#isClosed) this.#screen.closeAfter(this.#messageFor(error));
    } finally {
      this.#hasEnded = true;
      this.#input.stop();
      this.#sizer.stop();
    }
  }

  /** From the start to the end of the output. */
  async #session(head: ShellHead | undefined): Promise<void> {
    const options = { hasTty: true, size: this.#size };
    const twoWay = await startExec(this.#connection, this.#execId, options);
    this.#twoWay = twoWay;
    if (this.#isClosed) await giveUp(twoWay);
    if (!twoWay.takesInput) {
      twoWay.close();
      throw new EngineError('failed', {
        engineMessage: this.#l10n.t(
          'What stands between here and the engine lets no input through.',
        ),
      });
    }
    const decoder = new TextDecoder();
    for await (const chunk of twoWay.output) {
      const text = decoder.decode(chunk, { stream: true });
      await this.#screen.write(head ? head.push(text) : text);
      if (!head) this.#begin();
      else if (head.pid !== undefined && this.#pid === undefined) {
        this.#pid = head.pid;
        await this.#sizer.start();
        await twoWay.write(Buffer.from('\n'));
        this.#begin();
      }
    }
  }

  /** What is typed, and how large the terminal is, reaches the program from now on. */
  #begin(): void {
    this.#input.start();
    void this.#sizer.start();
  }

  async #finish(head: ShellHead): Promise<void> {
    const code = await waitForExecExit(this.#connection, this.#execId);
    const isFound = head.pid !== undefined || !NOT_FOUND.includes(code ?? 0);
    if (!isFound && this.#options.shell !== undefined)
      return this.#runDirectly(this.#options.shell);
    const sentence = isFound ? await this.#stopMessage(code) : this.#noShellMessage();
    if (this.#isClosed) return;
    if (sentence !== undefined) this.#screen.closeAfter(sentence);
    else if (head.pid === undefined) this.#screen.closeAfter(this.#startFailureMessage(head.held));
    else this.#screen.close(code);
  }

  /** In an image without `sh` the wanted program itself may still be there. */
  async #runDirectly(shell: string): Promise<void> {
    const { owner, env } = this.#options;
    const spec = { command: [shell], env, hasTty: true };
    this.#execId = await createExec(this.#connection, owner.id, spec);
    await this.#session(undefined);
    if (this.#isClosed) return;
    const code = await waitForExecExit(this.#connection, this.#execId);
    const sentence = NOT_FOUND.includes(code ?? 0)
      ? this.#noShellMessage()
      : await this.#stopMessage(code);
    if (sentence !== undefined) this.#screen.closeAfter(sentence);
    else this.#screen.close(code);
  }

  #noShellMessage(): string {
    const { owner, shell } = this.#options;
    return shell === undefined
      ? this.#l10n.t('The image of {0} has no shell: neither bash nor sh is in it.', owner.name)
      : this.#l10n.t('The image of {0} has no {1}.', owner.name, shell);
  }

  #startFailureMessage(words: string): string {
    return this.#l10n.t('No shell could be started in {0}: {1}', this.#options.owner.name, words);
  }

  /** What is to be said where the shell ended because its container did. */
  async #stopMessage(code: number | undefined): Promise<string | undefined> {
    if (code !== undefined && code < FIRST_SIGNAL_EXIT) return undefined;
    const { owner, startedAt } = this.#options;
    try {
      // Both end at once, and an engine notes one after the other.
      for (let look = 0; look < MOST_LOOKS && !this.#isClosed; look++) {
        const now = await inspectContainer(this.#connection, owner.id);
        if (!now.isRunning || now.startedAt !== startedAt)
          return this.#l10n.t('The container {0} was stopped, and the shell with it.', owner.name);
        await delay(LOOK_MS);
      }
      return undefined;
    } catch (error) {
      return this.#messageFor(error);
    }
  }

  #messageFor(error: unknown): string {
    const { name } = this.#options.owner;
    if (failedWith(error, 'notFound')) return this.#l10n.t('The container {0} is gone.', name);
    if (failedWith(error, 'conflict', 'badRequest', 'failed') && error.engineMessage !== undefined)
      return this.#startFailureMessage(error.engineMessage);
    return this.#l10n.t(
      'The connection to the engine is lost. The shell may still run in {0}.',
      name,
    );
  }

  /** Ends the shell: closing the connection alone would leave it running for as long as its container. */
  async #hangUp(): Promise<void> {
    const twoWay = this.#twoWay;
    if (this.#hasEnded || !twoWay) return;
    if (this.#pid === undefined) return giveUp(twoWay);
    try {
      await this.#kill(this.#pid);
    } catch {
      // The container, or its engine, is gone: so is the shell.
    } finally {
      twoWay.close();
    }
  }

  async #kill(pid: number): Promise<void> {
    const spec = { command: hangUpCommand(pid), hasTty: false };
    const execId = await createExec(this.#connection, this.#options.owner.id, spec);
    await startDetachedExec(this.#connection, execId);
  }
}

/** Which shell, where. */
export interface ShellOptions {
  readonly owner: TerminalOwner;
  /** A program in the container; undefined for bash, else sh. */
  readonly shell?: string | undefined;
  /** `NAME=value`, added to the container's environment. */
  readonly env: readonly string[];
  /** When the container's run began. */
  readonly startedAt: string;
  /** Told from everything a container says: letters, digits and hyphens. */
  readonly mark: string;
}

/** What a shell stands on. */
export interface ShellDependencies {
  readonly connection: Connection;
  readonly l10n: L10n;
  readonly screen?: Screen;
}

/** No such program, and not one to be run: what a shell and what engines end with. */
const NOT_FOUND = [126, 127];
/** From here on a program was ended by a signal. */
const FIRST_SIGNAL_EXIT = 128;
const [LOOK_MS, MOST_LOOKS] = [150, 8];

/** Ends what is not known by its process id as a person would: by Ctrl+C and Ctrl+D. */
async function giveUp(twoWay: DuplexStream): Promise<void> {
  await twoWay.write(Buffer.from('\x03\x04'));
  twoWay.end();
}
