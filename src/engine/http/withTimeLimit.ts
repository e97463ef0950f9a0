import { abortReason } from '../../lifetime.ts';
import type { EngineRequest } from './engineRequest.ts';
import type { Endpoint } from '../discovery/endpoint.ts';
import { EngineError } from '../errors.ts';
import { operationOf } from './requestRecord.ts';

/**
 * Runs a call under its time limit and the caller's signal.
 *
 * @param limitMs milliseconds; 0 for none.
 * @throws EngineError `timeout` past the limit; the signal's reason where the caller cancelled.
 */
export async function withTimeLimit<T>(
  limitMs: number,
  request: EngineRequest,
  endpoint: Endpoint,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const stop = (): void => {
    controller.abort(request.signal ? abortReason(request.signal) : undefined);
  };
  if (request.signal?.aborted) stop();
  request.signal?.addEventListener('abort', stop, { once: true });
  const late = new EngineError('timeout', {
    endpoint: endpoint.url,
    operation: operationOf(request),
    limitSeconds: limitMs / 1000,
  });
  const timer =
    limitMs === 0
      ? undefined
      : setTimeout(
          () => {
            controller.abort(late);
          },
          Math.min(limitMs, LONGEST_TIMER),
        );
  try {
    return await run(controller.signal);
  } finally {
    clearTimeout(timer);
    request.signal?.removeEventListener('abort', stop);
  }
}

/** Waits for a shared promise; a caller that cancels stops waiting, the work itself goes on for the others. */
export function withSignal<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      reject(abortReason(signal));
    };
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', onAbort);
    });
  });
}

/** Past this many milliseconds a timer would fire at once. */
const LONGEST_TIMER = 2 ** 31 - 1;
