import * as l10n from '@vscode/l10n';
import { InputError } from '../../engine/errors.ts';
import { checkEnv, checkUser, checkWorkingDir } from '../../engine/options/optionChecks.ts';
import type { ArgumentSchema } from '../ui/checkArguments.ts';

/** How a shell is opened. What is not set is as in the container. */
export interface OpenShellOptions {
  /** A program in the container; by default bash, or else sh. */
  readonly shell?: string;
  readonly user?: string;
  readonly workingDir?: string;
  /** Entries `NAME=value`. */
  readonly env?: readonly string[];
}

export const SHELL_SCHEMA = {
  shell: { kind: 'text' },
  user: { kind: 'text' },
  workingDir: { kind: 'text' },
  env: { kind: 'texts' },
} as const satisfies ArgumentSchema;

/** @throws InputError. */
export function checkShellOptions({ shell, user, workingDir, env = [] }: OpenShellOptions): void {
  if (shell !== undefined) checkShell(shell);
  if (user !== undefined) checkUser(user);
  if (workingDir !== undefined) checkWorkingDir(workingDir);
  for (const entry of env) checkEnv(entry);
}

/** @throws InputError. */
export function checkShell(shell: string): void {
  if (shell.trim() !== '' && !shell.includes('\0')) return;
  throw new InputError(l10n.t('"shell" must be the name of a program.'));
}
