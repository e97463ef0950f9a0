import type { ToHost } from '../../protocol.ts';
import type { EffectiveSelection } from './effectiveSelection.ts';

/** The browser's copying comes so many milliseconds after the key for it, at most. */
const SAME_KEY_MS = 1000;

/** Has the extension copy what is selected, else the current row. */
export class Copying {
  readonly #selection: EffectiveSelection;
  readonly #tell: (message: ToHost) => void;
  #last = -Infinity;

  constructor(picked: EffectiveSelection, tell: (message: ToHost) => void) {
    this.#selection = picked;
    this.#tell = tell;
  }

  copy(withColors: boolean): void {
    const { span } = this.#selection;
    this.#last = performance.now();
    if (span) this.#tell({ type: 'copy', ...span, withColors });
  }

  /** For the browser's own copying, which comes by itself, or for a key that has been heard already. */
  copyUnlessHeard(): void {
    if (performance.now() - this.#last > SAME_KEY_MS) this.copy(false);
  }
}
