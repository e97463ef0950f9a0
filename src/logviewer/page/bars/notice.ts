import { make } from '../dom.ts';

/** Milliseconds for which it is shown: long enough to be read twice. */
const SHOWN_MS = 12_000;

/** Between two sentences about new lines, in milliseconds: nobody wants to hear each. */
const PAUSE_MS = 10_000;

/** One sentence about what has happened: over the log, until it goes by itself or with a click, and for screen readers. */
export class Notice {
  /** What screen readers read out. */
  readonly spoken = make('div', {
    class: 'unseen',
    attributes: { role: 'status', 'aria-live': 'polite' },
  });
  readonly element = make('div', { class: 'notice', attributes: { 'aria-hidden': 'true' } });
  #timer = 0;
  #quietUntil = 0;

  constructor() {
    this.element.hidden = true;
    this.element.addEventListener('click', () => {
      this.hide();
    });
  }

  /** Shows it in the place of what was shown before, and says it. */
  show(text: string): void {
    this.say(text);
    this.element.textContent = text;
    this.element.hidden = false;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.hide();
    }, SHOWN_MS);
  }

  /** Says it once what is being said is said. */
  say(text: string): void {
    // The same words again would be no change, and not be read.
    this.spoken.textContent = this.spoken.textContent === text ? `${text} ` : text;
  }

  /** Says it unless something like it was said a moment ago. */
  sayNowAndThen(text: string): void {
    const now = performance.now();
    if (now < this.#quietUntil) return;
    this.#quietUntil = now + PAUSE_MS;
    this.say(text);
  }

  hide(): void {
    clearTimeout(this.#timer);
    this.element.hidden = true;
  }
}
