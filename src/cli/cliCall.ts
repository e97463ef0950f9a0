import type { ProgramCall } from '../engine/program.ts';

/** A run of a command-line program on an engine. */
export interface CliCall extends ProgramCall {
  /** What chooses the engine, a part of `env`. */
  readonly variables: Readonly<Record<string, string>>;
}
