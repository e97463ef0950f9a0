import type { KnownEngine, KnownEngines } from '../inventory/knownEngine.ts';
import type { Disposable } from '../base/lifetime.ts';

/**
 * Keeps a list of each engine up to date while the view that shows it is visible.
 *
 * @param look begins to keep the list of an engine up to date.
 */
export function visibleList(engines: KnownEngines, look: (engine: KnownEngine) => Disposable) {
  let isShown = false;
  let looks = new Map<KnownEngine, Disposable>();
  const setVisible = (isVisible: boolean): void => {
    isShown = isVisible;
    const before = looks;
    const shown = isVisible ? engines.all : [];
    looks = new Map(shown.map((engine) => [engine, before.get(engine) ?? look(engine)]));
    for (const [engine, one] of before) if (!looks.has(engine)) one.dispose();
  };
  const subscription = engines.onDidChange(() => setVisible(isShown));
  const dispose = (): void => {
    subscription.dispose();
    setVisible(false);
  };
  return { setVisible, dispose };
}
