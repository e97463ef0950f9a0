import { abortReason } from '../../base/lifetime.ts';
import { withTimeout } from '../../base/time.ts';
import type { EngineRequest } from './engineRequest.ts';
import type { Endpoint } from './endpoint.ts';
import { EngineError } from '../errors.ts';
import { operationOf } from './requestRecord.ts';

/**
 * Runs a call under its time limit and the caller's signal.
 *
 * @param limitMs milliseconds; 0 for none.
 * @throws EngineError `timeout` past the limit; the abort reason of the signal.
 */
export function withTimeLimit<T>(
  limitMs: number,
  request: EngineRequest,
  endpoint: Endpoint,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = (): EngineError =>
    new EngineError('timeout', {
      endpoint: endpoint.url,
      operation: operationOf(request),
      limitSeconds: limitMs / 1000,
    });
  return withTimeout(limitMs, late, request.signal, run);
}

/** Waits for a shared promise. A caller that cancels stops waiting; the work continues for the others. */
export function withSignal<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(abortReason(signal));
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
