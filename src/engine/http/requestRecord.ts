import { oneLine } from '../../base/plainText.ts';
import { EngineError, UploadError } from '../errors.ts';
import type { EngineRequest, Query } from './engineRequest.ts';

/** One line of the request log. */
export interface RequestRecord {
  readonly method: string;
  /** With the version prefix and a query without secrets. */
  readonly path: string;
  /** The HTTP status, or why there is none. */
  readonly outcome: number | string;
  readonly milliseconds: number;
  /** Whether it indicates that the engine is gone. */
  readonly isLoss: boolean;
  /** Whether it is sent every few seconds, and succeeded. */
  readonly isRoutine: boolean;
}

// IDs, names and tags. Any other user input may contain a secret (`changes=ENV TOKEN=…`).
const SHOWN = new Set(['container', 'fromImage', 'name', 'repo', 'tag']);

/** Returns path and query for the log. Values that may contain a secret are replaced by `…`. */
export function formatRequestPath(path: string, query: Query | undefined): string {
  const parts = queryPairs(query).map(([key, value]) => {
    const isShown = SHOWN.has(key) || /^-?\d+(\.\d+)?$/.test(value);
    // One request is one line, even if a name contains a line break.
    return `${key}=${isShown ? oneLine(value) : '…'}`;
  });
  return parts.length === 0 ? path : `${path}?${parts.join('&')}`;
}

/** Returns key and value of each query parameter, not yet encoded. */
function queryPairs(query: Query | undefined): readonly (readonly [string, string])[] {
  return Object.entries(query ?? {}).flatMap(([key, value]): [string, string][] => {
    if (value === undefined) return [];
    if (typeof value === 'boolean') return [[key, value ? '1' : '0']];
    if (typeof value === 'object') return value.map((one) => [key, one]);
    return [[key, String(value)]];
  });
}

/** Returns path and query as sent to the engine. */
export function wirePath(path: string, query: Query | undefined): string {
  const parts = queryPairs(query).map(
    ([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(value.toWellFormed())}`,
  );
  return parts.length === 0 ? path : `${path}?${parts.join('&')}`;
}

/** Returns in one word why there is no status. */
export function outcomeOf(error: Error): string {
  if (error instanceof EngineError) return error.reason;
  return error instanceof UploadError ? 'unreadable' : 'canceled';
}

/** Returns method and path without the query, as used in errors. */
export function operationOf(request: EngineRequest): string {
  return `${request.method} ${request.path}`;
}
