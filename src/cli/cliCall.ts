import type { ProgramCall } from '../engine/program.ts';
import { quoteShellArguments } from '../recipes/formatRunCommand.ts';

/** A run of a command-line program on an engine. */
export interface CliCall extends ProgramCall {
  /** What chooses the engine, a part of `env`. */
  readonly variables: Readonly<Record<string, string>>;
}

/** Returns the command as it can be pasted into a shell, with the variables that choose the engine. */
export function formatCliCall({ file, args, variables }: CliCall): string {
  const set = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  const env = set.length > 0 ? ['env', ...set] : [];
  return quoteShellArguments([...env, file, ...args]);
}
