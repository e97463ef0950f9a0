import type { KnownEngine, KnownEngines } from '../inventory/knownEngine.ts';
import type { Disposable } from '../base/lifetime.ts';

/** Keeps a list of each engine up to date while the view that shows it is visible. */
export class VisibleList implements Disposable {
  readonly #engines: KnownEngines;
  readonly #look: (engine: KnownEngine) => Disposable;
  readonly #subscription: Disposable;
  #isVisible = false;
  #looks = new Map<KnownEngine, Disposable>();

  /** @param look begins to keep the list of an engine up to date. */
  constructor(engines: KnownEngines, look: (engine: KnownEngine) => Disposable) {
    this.#engines = engines;
    this.#look = look;
    this.#subscription = engines.onDidChange(() => {
      this.setVisible(this.#isVisible);
    });
  }

  setVisible(isVisible: boolean): void {
    this.#isVisible = isVisible;
    const before = this.#looks;
    const shown = isVisible ? this.#engines.all : [];
    this.#looks = new Map(
      shown.map((engine) => [engine, before.get(engine) ?? this.#look(engine)]),
    );
    for (const [engine, look] of before) if (!this.#looks.has(engine)) look.dispose();
  }

  dispose(): void {
    this.#subscription.dispose();
    this.setVisible(false);
  }
}
