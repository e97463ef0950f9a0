import type { CliCall } from '../../engine/cli/cliCall.ts';
import type { Container } from '../../engine/model.ts';
import type { ComposeRequest } from './composeArguments.ts';
import type { ComposeCli } from './composeCli.ts';

/** Prepared run of the compose CLI. */
export interface ComposeRun {
  readonly cli: ComposeCli;
  readonly request: ComposeRequest;
  /** All containers of the engine, if they were asked for to find the project. */
  readonly containers: readonly Container[] | undefined;
  /** Returns a run with these arguments. */
  readonly callOf: (args: readonly string[]) => CliCall;
}
