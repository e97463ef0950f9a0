import type { ProgramCall } from '../../base/program.ts';
import {
  powerShellText,
  isQuotable,
  quotePowerShellArguments,
  quoteShellArguments,
} from '../options/shellQuoting.ts';

/** A run of a command-line program on an engine. */
export interface CliCall extends ProgramCall {
  /** Variables that choose the engine, a part of `env`. */
  readonly variables: Readonly<Record<string, string>>;
}

/**
 * Returns the command as it can be pasted into the default shell of the platform, with the variables that choose the
 * engine.
 *
 * @throws InputError if PowerShell would not pass an argument on as it is.
 */
export function formatCliCall({ file, args, variables }: CliCall): string {
  const set = Object.entries(variables);
  if (process.platform === 'win32') {
    const before = set.map(([name, value]) => `$env:${name} = ${powerShellText(value)}; `);
    return `${before.join('')}${quotePowerShellArguments([file, ...args])}`;
  }
  const env = set.length > 0 ? ['env', ...set.map(([name, value]) => `${name}=${value}`)] : [];
  return quoteShellArguments([...env, file, ...args]);
}

/** Returns the command for display: with an ellipsis for what cannot be quoted. */
export function showCliCall({ args, ...call }: CliCall): string {
  const isPlain = (word: string): boolean => process.platform !== 'win32' || isQuotable(word);
  return formatCliCall({ ...call, args: args.map((word) => (isPlain(word) ? word : '…')) });
}

/** Returns the lines to show for a line of the output of a program. The next line must wait for them. */
export type ReadLine = (line: string) => readonly string[] | Promise<readonly string[]>;
