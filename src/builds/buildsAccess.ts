import type { BuildRun } from './buildRun.ts';
import type { Builds } from './builds.ts';
import type { RecordedBuilds } from './recordedBuilds.ts';
import type { BuildResult, BuildSource, BuildWarning } from '../engine/builds/model.ts';
import type { Disposable } from '../base/lifetime.ts';
import type { Connection } from '../engine/http/connection.ts';
import type { BuildMemory } from './buildMemory.ts';
import type { BuildxAccess } from './buildx/runBuildx.ts';
import type { LabelFiles } from '../projects/fileAccess.ts';

/** What the commands on builds work with. */
export interface BuildsAccess {
  readonly builds: Builds;
  readonly buildx: BuildxAccess;
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
  readonly isTrusted: () => boolean;
  /** Returns which local files may be used that labels name; the same as for the compose CLI. */
  readonly labelFiles: () => Promise<LabelFiles>;
  /** Returns the absolute paths of the Dockerfiles of the workspace, that of the active editor first. */
  readonly dockerfiles: () => Promise<readonly string[]>;
  /** The same for bake files. */
  readonly bakeFiles: () => Promise<readonly string[]>;
  /** Returns the absolute path of the file in the active editor if it is a Dockerfile. */
  readonly activeDockerfile?: () => string | undefined;
  /** Hides a container, image, or build of an engine that is there for a short time only, until it is disposed. */
  readonly hide?: (engine: string, id: string) => Disposable;
}

/** What a build or a check has found. */
export interface FoundProblems {
  /** Why it failed. Without a location, it is at the first line. */
  readonly failure?: { readonly message: string; readonly source: BuildSource | undefined };
  readonly warnings: readonly BuildWarning[];
  /** Whether nothing was built: the error of the last build stays. */
  readonly isCheck?: true;
}
