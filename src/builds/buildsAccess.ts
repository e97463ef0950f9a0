import type { BuildRun } from './buildRun.ts';
import type { Builds } from './builds.ts';
import type { RecordedBuilds } from './recordedBuilds.ts';
import type { BuildResult, BuildSource, BuildWarning } from '../engine/builds/model.ts';
import type { Disposable } from '../base/lifetime.ts';
import type { Connection } from '../engine/http/connection.ts';
import type { BuildMemory } from './buildMemory.ts';

/** Dependencies of the commands on builds. */
export interface BuildsAccess {
  readonly builds: Builds;
  /** Connects to an engine by its ID; undefined if it is not in the window any more. @throws EngineError. */
  readonly connect: (engine: string, signal: AbortSignal) => Promise<Connection | undefined>;
  /** Returns the history of an engine. It is empty while the view is hidden. */
  readonly historyOf: (engine: string) => RecordedBuilds | undefined;
  readonly output: {
    readonly show: (run: BuildRun) => void;
    readonly wait: (run: BuildRun, signal?: AbortSignal) => Promise<BuildResult>;
  };
  readonly problems: {
    readonly show: (dockerfile: string, found: FoundProblems) => Promise<void>;
  };
  readonly memory: BuildMemory;
  /** Returns text that other installations do not have: an engine compares files with what it got before. */
  readonly installation: () => string;
  /** Returns the mark of this window on its temporary containers. */
  readonly owner: () => string;
  /** Hides a container, image, or build of an engine that is there for a short time only, until it is disposed. */
  readonly hide?: (engine: string, id: string) => Disposable;
}

/** Problems found by a build or a check. */
export interface FoundProblems {
  /** Why it failed. Without a location, it is at the first line. */
  readonly failure?: { readonly message: string; readonly source: BuildSource | undefined };
  readonly warnings: readonly BuildWarning[];
  /** Whether nothing was built: the error of the last build stays. */
  readonly isCheck?: true;
}
