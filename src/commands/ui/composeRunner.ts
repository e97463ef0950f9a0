import type { CliCall } from '../../engines/cli/cliCall.ts';
import type { ComposeCli } from '../../projects/cli/composeCli.ts';
import type { ComposeEvent } from '../../projects/cli/composeProgress.ts';
import type { UpChange } from '../../projects/cli/upChanges.ts';
import type { Memento } from '../../base/lifetime.ts';

/** Runs the compose CLI of the machine that the extension runs on. */
export interface ComposeRunner extends LabelFiles {
  /** Whether the user trusts the workspace: a compose file can run anything as the user. */
  readonly isTrusted: () => boolean;
  /** Finds the CLI, once per window unless there was none. */
  readonly findCli: () => Promise<ComposeCli | undefined>;
  /** Storage of the workspace. */
  readonly memory: Memento;
  /** Finds compose files of the workspace, as absolute paths. */
  readonly findFiles: () => Promise<readonly string[]>;
  /**
   * Runs it in a task whose terminal first shows the command.
   *
   * @param title the name of the task.
   * @param onEvent called with what it reports, if it does so as JSON.
   * @returns its exit code; 125 if it was terminated or could not be started.
   */
  readonly runTask: (
    call: CliCall,
    title: string,
    onEvent: (event: ComposeEvent) => void,
  ) => Promise<number>;
}

/** Which local files may be used that the labels of containers name. */
export interface LabelFiles {
  /** Whether a file or folder is in a folder of the workspace. */
  readonly isInWorkspace: (path: string) => boolean;
  /** The files and folders outside of it that the user agreed to use in this session. */
  readonly allowedFiles: Set<string>;
}

/** What Up would change, as it is shown before it is done. */
export interface ShownUpChanges {
  /** The project, or the file of one that does not exist yet, and the services. */
  readonly name: string;
  readonly changes: readonly UpChange[];
  /** Does it. */
  readonly up: () => Promise<unknown>;
  /** Finds the changes again, and shows them. */
  readonly refresh: () => Promise<unknown>;
}

/** The view of what Up would change. */
export interface UpChangesDisplay {
  readonly current: ShownUpChanges | undefined;
  /** Shows these in place of the last ones, and focuses the view. */
  show(shown: ShownUpChanges): void;
  /** Removes the view. */
  close(): void;
}
