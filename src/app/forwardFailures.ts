import type { EngineFailure } from '../engines/engines.ts';
import type { Disposable, Event } from '../base/lifetime.ts';

/**
 * Forwards unexpected exits of containers to what notifies the user of them, until disposed. Loads that with
 * the first exit that is forwarded.
 *
 * @param isWanted whether the user wants notifications; called for each exit.
 */
export function forwardFailures(
  onDidFail: Event<EngineFailure>,
  isWanted: () => boolean,
  load: () => Promise<FailureNotifier>,
): Disposable {
  return onDidFail((failure) => {
    if (!isWanted()) return;
    void load().then((notifier) => notifier.notifyOfFailure(failure));
  });
}

/** Notifies the user of unexpected exits. */
export interface FailureNotifier {
  notifyOfFailure(failure: EngineFailure): void;
}
