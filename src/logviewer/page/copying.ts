import type { ToHost } from '../protocol.ts';
import type { Picked } from './picked.ts';

/** The command for a key comes so many milliseconds after the key, at most. */
const SAME_KEY_MS = 1000;

/** Has the extension copy what is selected, else the current row. */
export class Copying {
  readonly #picked: Picked;
  readonly #tell: (message: ToHost) => void;
  #last = -Infinity;

  constructor(picked: Picked, tell: (message: ToHost) => void) {
    this.#picked = picked;
    this.#tell = tell;
  }

  /** For a key that is heard in the page. */
  byKey(withColors: boolean): void {
    const { span } = this.#picked;
    this.#last = performance.now();
    if (span) this.#tell({ type: 'copy', ...span, withColors });
  }

  /** For a command of the editor's: it comes from a menu, or also for a key that has been heard. */
  byCommand(withColors: boolean): void {
    if (performance.now() - this.#last > SAME_KEY_MS) this.byKey(withColors);
  }
}
