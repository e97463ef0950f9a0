import type { BlockPlace } from '../store/snapshot.ts';
import type { Found, LineFilter, LineQuery, Marked } from './found.ts';

/** What one search is after. */
export type Work =
  | { readonly kind: 'find'; readonly query: LineQuery; readonly filter?: LineFilter }
  /** `folds`: whether lines that belong to others are to be told. */
  | { readonly kind: 'mark'; readonly filter?: LineFilter; readonly folds: boolean };

/** What has changed in the store. */
export interface StoreChange {
  readonly generation: number;
  readonly firstId: number;
  readonly endId: number;
  readonly file: string | undefined;
  /** Blocks that are new or lie elsewhere or hold more lines. */
  readonly changed: readonly BlockPlace[];
  /** Serials of those that are no more. */
  readonly gone: readonly number[];
}

/** What the worker is told. */
export type Order =
  | ({ readonly kind: 'sync' } & StoreChange)
  | { readonly kind: 'start'; readonly job: number; readonly work: Work }
  | { readonly kind: 'stop'; readonly job: number };

/** What the worker says. */
export type Report =
  | ({ readonly kind: 'found'; readonly job: number } & Found)
  | ({ readonly kind: 'marked'; readonly job: number } & Marked)
  | { readonly kind: 'failed'; readonly job: number; readonly reason: string };

/** What the worker is given at its start: memory in which it says that it is alive; see {@link BEAT}. */
export interface WorkerData {
  readonly beat: SharedArrayBuffer;
}

/** Indices of the beat: a count that changes while there is progress; the job that is at work, or 0. */
export const BEAT = { progress: 0, job: 1 } as const;
