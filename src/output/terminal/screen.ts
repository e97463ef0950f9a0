import * as l10n from '@vscode/l10n';

import { Emitter, type Disposable, type Event } from '../../base/lifetime.ts';
import { delay } from '../../base/time.ts';
import { oneLine } from '../../base/plainText.ts';

/**
 * Number of characters written without a pause. VS Code terminals give no feedback on their progress, so a
 * flood of output is throttled.
 */
const BURST = 64 * 1024;
const BREATH_MS = 8;
const DIM = '\x1b[2m';
const RED = '\x1b[31m';
const PLAIN = '\x1b[0m';

/** The output of a terminal: container output unchanged, messages of Gantry dimmed, its errors in red. */
export class Screen implements Disposable {
  readonly #pause: Pause;
  readonly #written = new Emitter<string>();
  readonly #closed = new Emitter<number | undefined>();
  #sinceBreath = 0;
  /** The pause in progress, which all writers wait for. */
  #breath: Promise<void> | undefined;
  /** The text that waits for it. */
  #waiting = '';
  #isAtLineStart = true;
  #isOver = false;
  #isWaitingForKey = false;
  #reopen: Reopen | undefined;
  #isOpening = false;

  readonly onDidWrite: Event<string> = this.#written.event;
  /** Fires with the exit code, if any. VS Code reports codes other than 0 to the user. */
  readonly onDidClose: Event<number | undefined> = this.#closed.event;

  constructor(pause: Pause = delay) {
    this.#pause = pause;
  }

  /** Whether it shows nothing more. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Writes text unchanged, in the order of the calls. Resolves when more can be written. */
  async write(text: string): Promise<void> {
    if (this.#isOver) return;
    this.#waiting += text;
    while (this.#waiting !== '') {
      if (this.#sinceBreath < BURST) this.#putWaiting(BURST);
      else await this.#pauseBriefly();
    }
  }

  /** Shows a message of Gantry on a line of its own. */
  showMessage(sentence: string): void {
    this.#showSentence(DIM, sentence);
  }

  /** Shows an error message of Gantry on a line of its own. */
  showError(sentence: string): void {
    this.#showSentence(RED, sentence);
  }

  /**
   * Ends the session, so that VS Code closes the terminal.
   *
   * @param code the exit code; negative counts as unknown.
   */
  close(code?: number): void {
    if (this.#isOver) return;
    this.#putWaiting();
    this.#isOver = true;
    this.#closed.fire(code !== undefined && code >= 0 ? code : undefined);
  }

  /**
   * Shows why the session ended, and closes the terminal on the next key.
   *
   * @param reopen called if that is Enter; the terminal closes if it succeeds.
   */
  closeAfter(sentence: string, reopen?: Reopen): void {
    this.showMessage(sentence);
    this.showMessage(
      reopen
        ? l10n.t('Press Enter to open a new shell, or any other key to close the terminal.')
        : l10n.t('Press any key to close the terminal.'),
    );
    this.#isWaitingForKey = true;
    this.#reopen = reopen;
  }

  /** Returns whether the input was handled here: after the end, the next key closes the terminal. */
  handleKey(text: string): boolean {
    if (!this.#isWaitingForKey) return false;
    if (text === '\r' && this.#reopen) void this.#openAgain(this.#reopen);
    else if (!isAnswer(text)) this.close();
    return true;
  }

  dispose(): void {
    this.#isOver = true;
    this.#waiting = '';
    this.#written.dispose();
    this.#closed.dispose();
  }

  async #openAgain(reopen: Reopen): Promise<void> {
    if (this.#isOpening) return;
    this.#isOpening = true;
    const problem = await reopen();
    this.#isOpening = false;
    if (problem === undefined) this.close();
    else this.showError(problem);
  }

  #showSentence(look: string, sentence: string): void {
    if (this.#isOver) return;
    this.#putWaiting();
    const start = this.#isAtLineStart ? '' : '\r\n';
    this.#put(`${PLAIN}${start}${look}${oneLine(sentence, 2000)}${PLAIN}\r\n`);
  }

  async #pauseBriefly(): Promise<void> {
    this.#breath ??= this.#pause(BREATH_MS).then(() => {
      this.#sinceBreath = 0;
      this.#breath = undefined;
    });
    await this.#breath;
  }

  /** Writes the first characters of the waiting text; by default, all of it. */
  #putWaiting(most = this.#waiting.length): void {
    const text = this.#waiting.slice(0, most);
    this.#waiting = this.#waiting.slice(most);
    if (text !== '') this.#put(text);
  }

  #put(text: string): void {
    this.#sinceBreath += text.length;
    this.#isAtLineStart = text.endsWith('\n');
    this.#written.fire(text);
  }
}

/** Opens what the session ended of again. Resolves to why that was not possible. */
export type Reopen = () => Promise<string | undefined>;

/** Waits for the given milliseconds. Replaced in tests. */
type Pause = (milliseconds: number) => Promise<void>;

/**
 * Replies that reveal the clipboard (OSC 52) or the colors of the terminal. Container output can request
 * them, and the terminal of VS Code replies as if the user had typed it.
 */
// oxlint-disable-next-line no-control-regex -- they begin and end with control characters
const TELLING = /\x1b\](?:4|5|1\d|52);[^\x07\x1b]*(?:\x07|\x1b\\|$)/g;

/** Reports of positions, sizes, mouse, and focus, and control strings. Longer than the sequences of common keys. */
// oxlint-disable-next-line no-control-regex -- they begin with a control character
const REPORT = /^\x1b(?:\[[^]{2}|\[[IO]$|P)/;

/**
 * Removes replies of the terminal that reveal data of the user's machine, keeping what may have been typed or pasted.
 */
export function typedText(input: string): string {
  return input.replace(TELLING, '');
}

/** Returns whether the input was sent by the terminal itself rather than by a key. */
export function isAnswer(input: string): boolean {
  return typedText(input) === '' || REPORT.test(input);
}
