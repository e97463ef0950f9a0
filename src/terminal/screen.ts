import type { L10n } from '../l10n.ts';
import { Emitter, type Disposable, type Event } from '../lifetime.ts';
import { delay } from '../time.ts';
import { oneLine } from '../plainText.ts';
import { isAnswer } from './typedText.ts';

/** Characters that go to the editor at once. Its terminals do not say how far they are, so a flood is paced. */
const BURST = 64 * 1024;
const BREATH_MS = 8;
const DIM = '\x1b[2m';
const RED = '\x1b[31m';
const PLAIN = '\x1b[0m';

/** What a terminal shows: what comes from a container as it is, and what Gantry says, dimmed, its errors in red. */
export class Screen implements Disposable {
  readonly #l10n: L10n;
  readonly #pause: Pause;
  readonly #written = new Emitter<string>();
  readonly #closed = new Emitter<number | undefined>();
  #sinceBreath = 0;
  #isAtLineStart = true;
  #isOver = false;
  #isWaitingForKey = false;

  readonly onDidWrite: Event<string> = this.#written.event;
  readonly onDidClose: Event<number | undefined> = this.#closed.event;

  constructor(l10n: L10n, pause: Pause = delay) {
    this.#l10n = l10n;
    this.#pause = pause;
  }

  /** Shows text as it is; resolves when more may come. */
  async write(text: string): Promise<void> {
    if (text === '' || this.#isOver) return;
    for (let at = 0; at < text.length; at += BURST) {
      if (this.#sinceBreath >= BURST) await this.#breathe();
      this.#put(text.slice(at, at + BURST));
    }
  }

  /** Shows a sentence of Gantry's as a line of its own. */
  say(sentence: string): void {
    this.#sayIn(DIM, sentence);
  }

  /** The same for what went wrong. */
  sayError(sentence: string): void {
    this.#sayIn(RED, sentence);
  }

  /** Ends it, and the editor closes the terminal. @param code the exit code; below 0 as none. */
  close(code?: number): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#closed.fire(code !== undefined && code >= 0 ? code : undefined);
  }

  /** Says why it is over, and ends it once the person has read that. */
  closeAfter(sentence: string): void {
    this.say(sentence);
    this.say(this.#l10n.t('Press any key to close the terminal.'));
    this.#isWaitingForKey = true;
  }

  /** Whether a key is taken for the wish to close, as it is after the end. */
  takesKey(text: string): boolean {
    if (!this.#isWaitingForKey) return false;
    if (!isAnswer(text)) this.close();
    return true;
  }

  dispose(): void {
    this.#isOver = true;
    this.#written.dispose();
    this.#closed.dispose();
  }

  #sayIn(look: string, sentence: string): void {
    if (this.#isOver) return;
    const start = this.#isAtLineStart ? '' : '\r\n';
    this.#put(`${PLAIN}${start}${look}${oneLine(sentence, 2000)}${PLAIN}\r\n`);
  }

  #put(text: string): void {
    this.#sinceBreath += text.length;
    this.#isAtLineStart = text.endsWith('\n');
    this.#written.fire(text);
  }

  async #breathe(): Promise<void> {
    this.#sinceBreath = 0;
    await this.#pause(BREATH_MS);
  }
}

/** Waits so many milliseconds; tests have their own. */
export type Pause = (milliseconds: number) => Promise<void>;
