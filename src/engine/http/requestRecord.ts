import { oneLine } from '../../plainText.ts';
import { EngineError, UploadError } from '../errors.ts';
import type { EngineRequest, Query } from './engineRequest.ts';

/** One line of the request log. */
export interface RequestRecord {
  readonly method: string;
  /** With the version prefix and a query fit to show. */
  readonly path: string;
  /** The status, or why there was none. */
  readonly outcome: number | string;
  readonly milliseconds: number;
  /** Whether it is a sign that the engine is gone. */
  readonly isLoss: boolean;
}

// Ids, names and tags. Everything else a person typed may hold a secret (`changes=ENV TOKEN=…`).
const SHOWN = new Set(['container', 'fromImage', 'name', 'repo', 'tag']);

/** The path with those query values that tell no secret; the others stand as `…`. */
export function formatRequestPath(path: string, query: Query | undefined): string {
  const parts = queryPairs(query).map(([key, value]) => {
    const isShown = SHOWN.has(key) || /^-?\d+(\.\d+)?$/.test(value);
    // One request is one line, whatever somebody typed as a name.
    return `${key}=${isShown ? oneLine(value) : '…'}`;
  });
  return parts.length === 0 ? path : `${path}?${parts.join('&')}`;
}

/** Key and value of each parameter as they go over the wire, but for the encoding. */
export function queryPairs(query: Query | undefined): readonly (readonly [string, string])[] {
  return Object.entries(query ?? {}).flatMap(([key, value]): [string, string][] => {
    if (value === undefined) return [];
    if (typeof value === 'boolean') return [[key, value ? '1' : '0']];
    if (typeof value === 'object') return value.map((one) => [key, one]);
    return [[key, String(value)]];
  });
}

/** Path and query as they go over the wire. */
export function wirePath(path: string, query: Query | undefined): string {
  const parts = queryPairs(query).map(
    ([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(value.toWellFormed())}`,
  );
  return parts.length === 0 ? path : `${path}?${parts.join('&')}`;
}

/** Why there was no status, in one word. */
export function outcomeOf(error: Error): string {
  if (error instanceof EngineError) return error.reason;
  return error instanceof UploadError ? 'unreadable' : 'cancelled';
}

/** Method and path without the query: the name of an operation in an error. */
export function operationOf(request: EngineRequest): string {
  return `${request.method} ${request.path}`;
}
