import * as l10n from '@vscode/l10n';
import type { Connection } from '../../engine/http/connection.ts';
import { inspectContainer } from '../../engine/containers/containers.ts';
import { EngineError, failedWith, isRefusal } from '../../engine/errors.ts';
import {
  createExec,
  waitForExecExit,
  resizeExec,
  startDetachedExec,
  startExec,
  type TerminalSize,
} from '../../engine/exec/exec.ts';
import { missingPart } from '../../engine/exec/missingPart.ts';
import type { DuplexStream } from '../../engine/http/duplexStream.ts';
import { once } from '../../base/lifetime.ts';
import { monotonicClock, type Clock } from '../../base/time.ts';
import { CTRL_C, CTRL_D, InputQueue } from './inputQueue.ts';
import type { Pty, TerminalDependencies, TerminalOwner } from './pty.ts';
import { missingPartMessage } from './missingPartMessage.ts';
import { Screen, typedText, type Reopen } from './screen.ts';
import { ShellHead } from './shellHead.ts';
import { Sizer } from './sizer.ts';
import { connectionEndMessage, terminalFailureMessage } from './terminalFailureMessage.ts';

/** A shell in a container. Closing the terminal sends SIGHUP to the shell. */
export class ShellTerminal implements Pty {
  readonly #options: ShellOptions;
  readonly #connection: Connection;
  readonly screen: Screen;
  readonly #input: InputQueue;
  readonly #sizer: Sizer;
  #execId: string;
  #size: TerminalSize | undefined;
  readonly #clock: Clock;
  #twoWay: DuplexStream | undefined;
  #pid: number | undefined;
  readonly #closing = new AbortController();
  #hasEnded = false;
  #hasTyped = false;
  readonly #whenOver = once(async () => this.#options.whenOver?.());
  #ended: Promise<void> = Promise.resolve();

  private constructor(execId: string, options: ShellOptions, parts: TerminalDependencies) {
    this.#execId = execId;
    this.#options = options;
    this.#connection = parts.connection;
    this.#clock = parts.clock ?? monotonicClock;
    this.screen = new Screen();
    this.#input = new InputQueue(async (bytes) => this.#twoWay?.write(bytes));
    this.#sizer = new Sizer((size) => resizeExec(this.#connection, this.#execId, size));
  }

  /**
   * Creates the exec for a shell, which starts when the terminal opens.
   *
   * @throws EngineError if the engine refuses, for example because the container is not running.
   */
  static async create(
    options: ShellOptions,
    parts: TerminalDependencies,
    signal?: AbortSignal,
  ): Promise<ShellTerminal> {
    const { owner, mark, shell = '', env, user, workingDir } = options;
    const command = ['sh', '-c', FIND_SHELL, mark, shell];
    const spec = { command, env, user, workingDir, hasTty: true };
    const execId = await createExec(parts.connection, owner.id, spec, signal);
    return new ShellTerminal(execId, options, parts);
  }

  /** Resolves when the shell has ended in the container, as far as that could be achieved. */
  get ended(): Promise<void> {
    return this.#ended;
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  open(size: TerminalSize | undefined): void {
    this.#size = size;
    this.#sizer.set(size);
    const { greeting } = this.#options;
    if (greeting !== undefined) this.screen.showMessage(greeting);
    this.#ended = this.#run();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#closing.abort();
    this.#input.stop();
    this.#sizer.stop();
    this.#ended = this.#hangUp().then(this.#whenOver);
    this.screen.dispose();
  }

  handleInput(input: string): void {
    const text = typedText(input);
    if (!this.screen.handleKey(text)) this.#input.push(text);
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
      const sentence = await this.#failureMessage(error);
      if (!this.#isClosed) this.screen.closeAfter(sentence, this.#options.reopen);
    } finally {
      this.#hasEnded = true;
      this.#input.stop();
      this.#sizer.stop();
      // After a close, the shell may still be ending.
      if (!this.#isClosed) await this.#whenOver();
    }
  }

  /** Starts the exec and reads its output to the end. */
  async #session(head: ShellHead | undefined): Promise<void> {
    const options = { hasTty: true, size: this.#size };
    const twoWay = await startExec(this.#connection, this.#execId, options);
    this.#twoWay = twoWay;
    if (this.#isClosed) await endWithKeys(twoWay);
    if (!twoWay.acceptsInput) {
      twoWay.close();
      throw new EngineError('failed', {
        engineMessage: l10n.t(
          'A proxy or firewall between VS Code and the engine blocks terminal input.',
        ),
      });
    }
    const decoder = new TextDecoder();
    for await (const chunk of twoWay.output) {
      const text = decoder.decode(chunk, { stream: true });
      const shown = head ? head.push(text) : text;
      await this.screen.write(shown);
      if (shown !== '') this.#typeOnce();
      if (!head) this.#begin();
      else if (head.pid !== undefined && this.#pid === undefined) {
        this.#pid = head.pid;
        await this.#sizer.start();
        await twoWay.write(Buffer.from('\n'));
        this.#begin();
      }
    }
  }

  /** Starts sending input and terminal sizes. */
  #begin(): void {
    this.#input.start();
    void this.#sizer.start();
  }

  /** Types the prepared command, once the shell has written its prompt: before, its echo would be doubled. */
  #typeOnce(): void {
    const { typed = '' } = this.#options;
    if (typed !== '' && !this.#hasTyped) this.#input.push(typed);
    this.#hasTyped = true;
  }

  async #finish(head: ShellHead): Promise<void> {
    const code = await waitForExecExit(this.#connection, this.#execId);
    const missing = head.pid === undefined ? this.#missingMessage(head.held) : undefined;
    if (missing !== undefined) {
      this.#closeScreen(missing, code);
      return;
    }
    const isFound = head.pid !== undefined || !NOT_FOUND.includes(code ?? 0);
    const { shell } = this.#options;
    if (!isFound && shell !== undefined) return this.#runDirectly(shell);
    const words = head.pid === undefined ? this.#startFailureMessage(head.held) : undefined;
    const reason = head.held === '' ? undefined : words;
    const sentence = isFound ? await this.#endMessage(code, reason) : this.#noShellMessage();
    this.#closeScreen(sentence ?? words, code, isFound ? this.#options.reopen : undefined);
  }

  /** Runs the requested program directly: an image without `sh` may still have it. */
  async #runDirectly(shell: string): Promise<void> {
    const { owner, env, user, workingDir } = this.#options;
    const spec = { command: [shell], env, user, workingDir, hasTty: true };
    this.#execId = await createExec(this.#connection, owner.id, spec);
    await this.#session(undefined);
    if (this.#isClosed) return;
    const code = await waitForExecExit(this.#connection, this.#execId);
    const isFound = !NOT_FOUND.includes(code ?? 0);
    const sentence = isFound ? await this.#endMessage(code) : this.#noShellMessage();
    this.#closeScreen(sentence, code, isFound ? this.#options.reopen : undefined);
  }

  #closeScreen(sentence: string | undefined, code: number | undefined, reopen?: Reopen): void {
    if (this.#isClosed) return;
    if (sentence !== undefined) this.screen.closeAfter(sentence, reopen);
    else this.screen.close(code);
  }

  /** Returns the message if the engine says that there is no such user or folder. */
  #missingMessage(words: string): string | undefined {
    const { owner, user, workingDir } = this.#options;
    // What runs first is always `sh`.
    const isOther = missingPart(words) === undefined || missingPart(words) === 'program';
    return isOther
      ? undefined
      : missingPartMessage(words, { command: [], user, workingDir }, owner.name);
  }

  #noShellMessage(): string {
    const { owner, shell } = this.#options;
    return shell === undefined
      ? l10n.t('The image of {0} has no shell (bash or sh).', owner.name)
      : l10n.t('The image of {0} has no {1}.', owner.name, shell);
  }

  #startFailureMessage(words: string): string {
    return l10n.t('Could not start a shell in {0}: {1}', this.#options.owner.name, words);
  }

  /**
   * Returns the message if the output did not end with an exit of the shell itself.
   *
   * @param reason why there is no exit code; by default that the connection was lost.
   */
  async #endMessage(code: number | undefined, reason?: string): Promise<string | undefined> {
    const stopped = await this.#stopMessage(code);
    // A proxy that closes the connection ends the output, too.
    return stopped ?? (code === undefined ? (reason ?? this.#messageFor(undefined)) : undefined);
  }

  /** Returns the message if the shell ended because the container stopped. */
  async #stopMessage(code: number | undefined): Promise<string | undefined> {
    if (code !== undefined && code < FIRST_SIGNAL_EXIT) return undefined;
    const { owner, startedAt } = this.#options;
    try {
      // Both end at the same time, but the engine records one after the other.
      for (let look = 0; look < MOST_LOOKS && !this.#isClosed; look++) {
        const now = await inspectContainer(this.#connection, owner.id);
        if (!now.isRunning || now.startedAt !== startedAt)
          return l10n.t('Container {0} was stopped, which closed the shell.', owner.name);
        await this.#clock.delay(LOOK_MS);
      }
      return undefined;
    } catch (error) {
      return this.#messageFor(error);
    }
  }

  /** Returns the message for an error of the session. Engines forget the shells of a container that stops. */
  async #failureMessage(error: unknown): Promise<string> {
    const stopped = failedWith(error, 'notFound') ? await this.#stopMessage(undefined) : undefined;
    return stopped ?? this.#messageFor(error);
  }

  #messageFor(error: unknown): string {
    const { name } = this.#options.owner;
    const common = terminalFailureMessage(error, name);
    if (common !== undefined) return common;
    if (isRefusal(error) && error.engineMessage !== undefined)
      return (
        this.#missingMessage(error.engineMessage) ?? this.#startFailureMessage(error.engineMessage)
      );
    return l10n.t('{0} The shell may still be running in {1}.', connectionEndMessage(error), name);
  }

  /** Ends the shell. Closing only the connection would leave it running as long as the container. */
  async #hangUp(): Promise<void> {
    const twoWay = this.#twoWay;
    if (this.#hasEnded || !twoWay) return;
    if (this.#pid === undefined) return endWithKeys(twoWay);
    try {
      // SIGHUP ends the shell and what it runs, as closing a terminal window does.
      // Only the same user may send it.
      const { user } = this.#options;
      const command = ['sh', '-c', 'kill -HUP "$0"', String(this.#pid)];
      const spec = { command, user, hasTty: false };
      const execId = await createExec(this.#connection, this.#options.owner.id, spec);
      await startDetachedExec(this.#connection, execId);
    } catch {
      // The container or the engine is gone, and the shell with it.
    } finally {
      twoWay.close();
    }
  }
}

export interface ShellOptions {
  readonly owner: TerminalOwner;
  /** A program in the container; if undefined, bash or else sh. */
  readonly shell?: string;
  /** Entries `NAME=value`, added to the environment of the container. */
  readonly env: readonly string[];
  /** `name`, `uid` or `uid:gid`; by default that of the container. */
  readonly user?: string | undefined;
  /** Absolute; by default that of the container. */
  readonly workingDir?: string | undefined;
  /** Shown before anything else. */
  readonly greeting?: string | undefined;
  /** Opens a shell again after this one ended with its container or connection. */
  readonly reopen?: Reopen | undefined;
  /** The start time of the current run of the container. */
  readonly startedAt: string;
  /** A marker that does not occur in container output: letters, digits, and hyphens. */
  readonly mark: string;
  /** Text to type without entering it: one line without control characters. */
  readonly typed?: string | undefined;
  /** Called when the shell has ended, or its terminal was closed. Must not reject. */
  readonly whenOver?: (() => Promise<void>) | undefined;
}

/** Exit codes of shells and engines for a program that was not found or is not executable. */
const NOT_FOUND = [126, 127];
/** Exit codes from here on mean that the program was ended by a signal. */
const FIRST_SIGNAL_EXIT = 128;
const LOOK_MS = 150;
const MOST_LOOKS = 8;

/** Ends a shell with an unknown PID like a user would, with Ctrl+C and Ctrl+D. */
async function endWithKeys(twoWay: DuplexStream): Promise<void> {
  await twoWay.write(Buffer.from(CTRL_C + CTRL_D));
  twoWay.end();
}

/**
 * A script that becomes the shell: the requested one, otherwise bash, otherwise sh. It first prints its PID,
 * which `exec` keeps for the shell, and waits for a line, so that the terminal has its size before the shell
 * starts. If the requested shell does not exist, it prints nothing and exits with code 127.
 */
const FIND_SHELL = [
  'if [ -n "$1" ]; then command -v "$1" >/dev/null 2>&1 || exit 127; fi',
  'echo "$0:$$"; read -r go || exit 0',
  'if [ -n "$1" ]; then exec "$1"; fi',
  'command -v bash >/dev/null 2>&1 && exec bash',
  'exec sh',
].join('\n');

/** The variables that determine the character encoding of programs. */
const LOCALE = ['LANG', 'LC_ALL', 'LC_CTYPE'];

/**
 * Returns the environment of a shell in a VS Code terminal, as `NAME=value`.
 *
 * @param known names of the variables set in the container. If they include a locale, it is kept.
 */
export function shellVariables(known: ReadonlySet<string>): readonly string[] {
  const hasLocale = LOCALE.some((name) => known.has(name));
  const locale = hasLocale ? [] : ['LANG=C.UTF-8'];
  return ['TERM=xterm-256color', 'COLORTERM=truecolor', 'TERM_PROGRAM=vscode', ...locale];
}
