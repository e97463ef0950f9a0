import type { NotifyLevel } from '../base/settings.ts';
import type { EngineFailure } from '../engines/engines.ts';
import type { Disposable, Event } from '../base/lifetime.ts';

/**
 * Forwards what goes wrong with containers to what notifies the user of it, until disposed. Loads that with the first
 * failure that is forwarded.
 *
 * @param levelOf what the user wants to know; called for each failure.
 */
export function forwardFailures(
  onDidFail: Event<EngineFailure>,
  levelOf: () => NotifyLevel,
  load: () => Promise<FailureNotifier>,
): Disposable {
  return onDidFail((failure) => {
    const level = levelOf();
    // An unhealthy container still runs, and may become healthy again.
    const isWanted = level === 'all' || (level === 'failures' && failure.kind !== 'unhealthy');
    if (isWanted) void load().then((notifier) => notifier.notifyOfFailure(failure));
  });
}

/** Notifies the user of what goes wrong with containers. */
export interface FailureNotifier {
  notifyOfFailure(failure: EngineFailure): void;
}
