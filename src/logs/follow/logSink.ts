import type { LogLine } from '../../engine/model.ts';
import type { LogMarker } from './logMarker.ts';

/** Where one container's log goes. Nothing is called before what was called last has resolved. */
export interface LogSink {
  /** Takes whole lines in order; resolves when more may come. That is the back-pressure up to the engine. */
  lines(lines: readonly LogLine[]): Promise<void>;
  /** Takes what Gantry has to say at this place. `at`: when it happened, as the engine wrote it, where it did. */
  marker(marker: LogMarker, at?: string): Promise<void>;
  /**
   * All that was there at first has come; what follows is live. Called once for each opening, also where the log
   * cannot be read. A sink that has it is given whole lines from the first on, and can be paged backwards.
   */
  caughtUp?(): void;
}

/** Where several containers' logs go, as one. Nothing is called before what was called last has resolved. */
export interface LogSetSink {
  /** Takes whole lines of one member, in order; resolves when more may come. */
  lines(member: number, lines: readonly LogLine[]): Promise<void>;
  /** Takes what Gantry has to say of one member at this place. `at`: when it happened, RFC 3339. */
  marker(member: number, marker: LogMarker, at: string): Promise<void>;
  /** All that was there at first has come, merged by time; what follows is live. */
  caughtUp?(): void;
}
