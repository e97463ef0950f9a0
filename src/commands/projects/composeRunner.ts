import type { ComposeCli } from '../../projects/cli/composeCli.ts';
import type { ProgramCall } from '../../engine/program.ts';

/** Runs the compose CLI of the machine that the extension runs on. */
export interface ComposeRunner {
  /** Whether the user trusts the workspace: a compose file can run anything as the user. */
  readonly isTrusted: () => boolean;
  /** Finds the CLI, once per window unless there was none. */
  readonly findCli: () => Promise<ComposeCli | undefined>;
  /** Finds compose files of the workspace, as absolute paths. */
  readonly findFiles: () => Promise<readonly string[]>;
  /**
   * Runs it in a task whose terminal first shows the command.
   *
   * @param title the name of the task.
   * @returns its exit code; 125 if it was terminated or could not be started.
   */
  readonly runTask: (call: ComposeCall, title: string) => Promise<number>;
}

/** A run of the compose CLI. */
export interface ComposeCall extends ProgramCall {
  /** What chooses the engine, a part of `env`. */
  readonly variables: Readonly<Record<string, string>>;
}
