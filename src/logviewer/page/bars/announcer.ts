import { make } from '../dom.ts';

/** Between two words about new lines, in milliseconds: nobody wants to hear each. */
const PAUSE_MS = 10_000;

/** Says things to screen readers. */
export class Announcer {
  readonly element = make('div', {
    class: 'unseen',
    attributes: { role: 'status', 'aria-live': 'polite' },
  });
  #quietUntil = 0;

  /** Says it once what is being said is said. */
  say(text: string): void {
    // The same words again would be no change, and not be read.
    this.element.textContent = this.element.textContent === text ? `${text} ` : text;
  }

  /** Says it unless something like it was said a moment ago. */
  sayNowAndThen(text: string): void {
    const now = performance.now();
    if (now < this.#quietUntil) return;
    this.#quietUntil = now + PAUSE_MS;
    this.say(text);
  }
}
