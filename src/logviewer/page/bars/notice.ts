import { make } from '../dom.ts';

/** Milliseconds for which it is shown: long enough to be read twice. */
const SHOWN_MS = 12_000;

/** One sentence over the log about what has happened. It goes by itself, or with a click. */
export class Notice {
  readonly element = make('div', { class: 'notice', attributes: { 'aria-hidden': 'true' } });
  #timer = 0;

  constructor() {
    this.element.hidden = true;
    this.element.addEventListener('click', () => {
      this.hide();
    });
  }

  /** Shows it in the place of what was shown before. */
  show(text: string): void {
    this.element.textContent = text;
    this.element.hidden = false;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.hide();
    }, SHOWN_MS);
  }

  hide(): void {
    clearTimeout(this.#timer);
    this.element.hidden = true;
  }
}
