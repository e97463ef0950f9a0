import type { Mark } from '../statistics/reading.ts';

/** A container of the page. All texts are bounded and safe to show. */
export interface GraphMember {
  /** Its ID. */
  readonly key: string;
  readonly name: string;
  /** `gone`: it was removed. Its last values stay. */
  readonly state: 'up' | 'down' | 'gone';
}

/**
 * A reading: its time in milliseconds since 1970, then the values in the order of `READING_FIELDS`. `null` is what is
 * not known. All numbers are finite and not negative.
 */
export type ReadingRow = readonly [at: number, ...values: readonly (number | null)[]];

/** The values of a {@link ReadingRow} after its time. */
export const READING_FIELDS = [
  ...(['cpuPercent', 'memoryBytes', 'memoryLimitBytes', 'networkReceived'] as const),
  ...(['networkSent', 'blockRead', 'blockWritten', 'pids'] as const),
] as const;

/** A mark of a container in the graphs. */
export interface GraphMark extends Mark {
  readonly key: string;
}

/** The readings of a container, oldest first. */
export interface MemberReadings {
  readonly key: string;
  readonly rows: readonly ReadingRow[];
}

/** What the page stores, so that the panel can be restored when the window is reloaded. */
export interface GraphSelection {
  /** The ID of the engine. */
  readonly engine: string;
  /** The IDs of the containers; empty for a project, to which containers may come. */
  readonly ids: readonly string[];
  readonly project?: string;
  readonly service?: string;
}

export type ToPage =
  /** Starts from nothing: the members and all readings follow. */
  | {
      readonly type: 'init';
      readonly strings: Readonly<Record<string, string>>;
      readonly title: string;
      readonly selection: GraphSelection;
      /** The time between two readings in milliseconds. */
      readonly step: number;
      /** Minutes that local time is ahead of UTC, where the log viewer formats its times. */
      readonly utcOffset: number;
    }
  | {
      readonly type: 'members';
      readonly members: readonly GraphMember[];
      /** The number of containers that are not shown, because there are too many. */
      readonly hidden: number;
      /** Why the graphs stand still; empty if all is well. */
      readonly problem: string;
    }
  /** New readings. `now` is the time of the extension, in milliseconds since 1970. */
  | {
      readonly type: 'readings';
      readonly now: number;
      readonly readings: readonly MemberReadings[];
    }
  /** All marks, oldest first. */
  | { readonly type: 'marks'; readonly marks: readonly GraphMark[] }
  /** Where the log viewer is, in milliseconds since 1970; undefined if it follows the end, or is closed. */
  | { readonly type: 'position'; readonly at: number | undefined };

export type ToHost =
  | { readonly type: 'ready' }
  /** Opens the log viewer at a time, in milliseconds since 1970. */
  | { readonly type: 'openLog'; readonly at: number };
