import type { Event } from '../../base/lifetime.ts';
import type { SourceReference } from '../text/sourcePath.ts';

/** Finds the file of a source reference in a container's log. */
export interface SourceLookup {
  /** Fires when results may have changed. */
  readonly onDidChange: Event<void>;
  find(
    containerId: string,
    reference: SourceReference,
    signal: AbortSignal,
  ): Promise<SourceLocation | undefined>;
}

/** A source file of the user that printed a line. */
export interface SourceLocation {
  /** The path of the file on this machine. */
  readonly path: string;
  readonly line: number | undefined;
  readonly column: number | undefined;
  /** The display name: `src/app.js:12`. */
  readonly title: string;
}
