import type { Reading } from '../../statistics/reading.ts';
import type { Disposable } from '../../base/lifetime.ts';
import type { RowUsage, RowUsageOptions } from './rowUsage.ts';

/** What the containers with a row use. Its code is loaded when it is first shown in a visible view. */
export class LateUsage implements Disposable {
  readonly #options: RowUsageOptions;
  #usage: RowUsage | undefined;
  #isShown = false;

  constructor(options: RowUsageOptions) {
    this.#options = options;
  }

  /** Shows what containers use, or hides it. */
  async show(isShown: boolean): Promise<void> {
    if (isShown === this.#isShown) return;
    this.#isShown = isShown;
    if (isShown) await this.#open();
    else {
      this.#usage?.dispose();
      this.#usage = undefined;
    }
  }

  async #open(): Promise<void> {
    if (!this.#options.isVisible()) return;
    const { RowUsage } = await import('./rowUsage.ts');
    if (this.#isShown) this.#usage ??= new RowUsage(this.#options);
  }

  /** See {@link RowUsage.update}. */
  update(): void {
    if (this.#usage) this.#usage.update();
    else if (this.#isShown) void this.#open();
  }

  /** See {@link RowUsage.format}. */
  format(engine: string, ids: readonly string[]): string {
    return this.#usage?.format(engine, ids) ?? '';
  }

  /** See {@link RowUsage.readingOf}. */
  readingOf(engine: string, id: string): Reading | undefined {
    return this.#usage?.readingOf(engine, id);
  }

  dispose(): void {
    void this.show(false);
  }
}
