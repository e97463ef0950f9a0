import type { LabelFiles } from '../../projects/fileAccess.ts';
import type { CliCall } from '../../engine/cli/cliCall.ts';
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

/** The state of the Images view that is not a setting. */
export interface ImageFilter {
  /** Text that the shown images have in their names; empty to show all images. */
  imageFilter: string;
}

/** The log viewers of the window. */
export interface ViewerTabs {
  /** Sends a request to the active viewer. Does nothing if no viewer is active. */
  ask(what: 'find' | 'copy' | 'copyWithColors'): void;
}
