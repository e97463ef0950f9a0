import type { ComposeCall } from '../commands/projects/composeRunner.ts';
import type { L10n } from '../l10n.ts';
import { plainText } from '../plainText.ts';
import {
  ComposeProgress,
  readComposeEvent,
  type ComposeEvent,
} from '../projects/cli/composeProgress.ts';
import { runCompose } from '../projects/cli/runCompose.ts';
import { quoteShellArguments } from '../recipes/formatRunCommand.ts';
import { Screen, typedText } from '../terminal/screen.ts';
import type { Pty } from '../terminal/pty.ts';
import { FAILURE_EXIT_CODE } from './containerRun.ts';

const CTRL_C = '\x03';

/**
 * The terminal of a task that runs the compose CLI: shows the command, then its progress in plain lines, and ends
 * with its exit code. Ctrl+C and closing the terminal terminate it.
 */
export class ComposeTerminal implements Pty {
  readonly screen: Screen;
  readonly #call: ComposeCall;
  readonly #l10n: L10n;
  readonly #onEvent: (event: ComposeEvent) => void;
  readonly #end = new AbortController();
  readonly #over = Promise.withResolvers<number>();

  /** @param onEvent called with what the program reports, if it does so as JSON. */
  constructor(
    call: ComposeCall,
    l10n: L10n,
    onEvent: (event: ComposeEvent) => void = () => undefined,
    screen = new Screen(l10n),
  ) {
    this.#call = call;
    this.#l10n = l10n;
    this.#onEvent = onEvent;
    this.screen = screen;
  }

  /** Resolves to the exit code when the program has exited; also if the terminal was closed. */
  get exitCode(): Promise<number> {
    return this.#over.promise;
  }

  open(): void {
    void this.#run();
  }

  close(): void {
    this.screen.dispose();
    this.#end.abort();
    // A terminal that never opened.
    this.#over.resolve(FAILURE_EXIT_CODE);
  }

  handleInput(input: string): void {
    if (typedText(input) === CTRL_C) this.#end.abort();
  }

  setDimensions(): void {
    // Lines are wrapped by the terminal.
  }

  async #run(): Promise<void> {
    let code = FAILURE_EXIT_CODE;
    try {
      this.screen.say(`> ${formatComposeCall(this.#call)}`);
      const progress = new ComposeProgress();
      const { code: own, spawnError } = await runCompose(
        this.#call,
        (line) => {
          this.#show(progress.linesOf(line));
          const event = readComposeEvent(line);
          if (event) this.#onEvent(event);
        },
        this.#end.signal,
      );
      if (spawnError !== undefined) throw new Error(spawnError);
      code = own ?? FAILURE_EXIT_CODE;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const { file } = this.#call;
      if (!this.#end.signal.aborted)
        this.screen.sayError(this.#l10n.t('Could not start {0}: {1}', file, reason));
    } finally {
      this.screen.close(code);
      this.#over.resolve(code);
    }
  }

  #show(lines: readonly string[]): void {
    // Text of image authors and build steps: without escape sequences.
    for (const line of lines)
      void this.screen.write(`${plainText(line).replaceAll('\n', '\r\n')}\r\n`);
  }
}

/** Returns the command as it can be pasted into a shell, with the variables that choose the engine. */
export function formatComposeCall({ file, args, variables }: ComposeCall): string {
  const set = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  const env = set.length > 0 ? ['env', ...set] : [];
  return quoteShellArguments([...env, file, ...args]);
}
