import { abortReason } from '../lifetime.ts';
import { ByteQueue } from './byteQueue.ts';
import type { StreamReply } from './request.ts';

interface Controller {
  pause(): void;
  resume(): void;
  abort(reason: Error): void;
}

type WireHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The part of undici's dispatch handler that is used here. */
export interface ExchangeHandler {
  onRequestStart(controller: Controller): void;
  onResponseStart(controller: Controller, status: number, headers: WireHeaders): void;
  onResponseData(controller: Controller, chunk: Uint8Array): void;
  onResponseEnd(): void;
  onResponseError(controller: Controller, error: Error): void;
}

/**
 * One request and its answer: resolves with status and headers, then fills the body from the socket.
 *
 * @param dispatch hands the request with this handler to the connection pool.
 * @param toFailure shapes what the socket threw.
 * @param signal ends the exchange at once, also while it waits for a connection.
 */
export function exchange(
  dispatch: (handler: ExchangeHandler) => unknown,
  toFailure: (error: unknown) => Promise<Error>,
  signal: AbortSignal | undefined,
): Promise<StreamReply> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(abortReason(signal));
      return;
    }
    dispatch(handlerFor(resolve, reject, toFailure, signal));
  });
}

function handlerFor(
  resolve: (reply: StreamReply) => void,
  reject: (error: unknown) => void,
  toFailure: (error: unknown) => Promise<Error>,
  signal: AbortSignal | undefined,
): ExchangeHandler {
  let controller: Controller | undefined;
  let body: ByteQueue | undefined;
  const fail = (error: Error): void => {
    if (body) body.fail(error);
    else reject(error);
  };
  const onAbort = (): void => {
    if (!signal) return;
    const reason = abortReason(signal);
    // The one who cancelled hears at once; the connection follows.
    fail(reason);
    controller?.abort(reason);
  };
  const release = (): void => {
    signal?.removeEventListener('abort', onAbort);
  };
  signal?.addEventListener('abort', onAbort, { once: true });
  return {
    onRequestStart: (started) => {
      controller = started;
      if (signal?.aborted) started.abort(abortReason(signal));
    },
    onResponseStart: (started, status, headers) => {
      // Informational answers (100 to 199) come before the real one.
      if (status < 200) return;
      body = new ByteQueue({
        pause: () => {
          started.pause();
        },
        resume: () => {
          started.resume();
        },
        abandon: () => {
          release();
          started.abort(new DOMException('The reader left', 'AbortError'));
        },
      });
      resolve({ status, headers: plainHeaders(headers), body });
    },
    onResponseData: (_controller, chunk) => body?.push(chunk),
    onResponseEnd: () => {
      release();
      body?.finish();
    },
    onResponseError: (_controller, error) => {
      release();
      void toFailure(error).then(fail);
    },
  };
}

function plainHeaders(headers: WireHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined
        ? []
        : [[name.toLowerCase(), typeof value === 'string' ? value : value.join(', ')]],
    ),
  );
}
