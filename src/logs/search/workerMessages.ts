import type { BlockLocation } from '../store/storeSnapshot.ts';
import type { FindReport, LineFilter, LineQuery, MarkReport } from './lineQuery.ts';

/** What one search is after. */
export type SearchTask =
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
  readonly changed: readonly BlockLocation[];
  /** Serials of those that are no more. */
  readonly gone: readonly number[];
}

/** What the worker is told. */
export type WorkerRequest =
  | ({ readonly kind: 'sync' } & StoreChange)
  | { readonly kind: 'start'; readonly job: number; readonly work: SearchTask }
  | { readonly kind: 'stop'; readonly job: number };

/** What the worker says. */
export type WorkerReport =
  | ({ readonly kind: 'found'; readonly job: number } & FindReport)
  | ({ readonly kind: 'marked'; readonly job: number } & MarkReport)
  | { readonly kind: 'failed'; readonly job: number; readonly reason: string };

/** What the worker is given at its start: memory in which it says that it is alive; see {@link HEARTBEAT}. */
export interface WorkerData {
  readonly heartbeat: SharedArrayBuffer;
}

/** Indices of the beat: a count that changes while there is progress; the job that is at work, or 0. */
export const HEARTBEAT = { progress: 0, job: 1 } as const;
