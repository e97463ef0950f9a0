import * as l10n from '@vscode/l10n';
import { posix } from 'node:path';
import { checkArguments, type ArgumentSchema } from '../ui/checkArguments.ts';
import { InputError } from '../../engine/errors.ts';
import { parseCommandLine } from '../../engine/options/parseCommandLine.ts';

/** Definition of a task that runs a command in a running container, in tasks.json. */
export interface ExecTaskOptions {
  /** The service, or the name or ID of the container. */
  readonly target: ExecTarget;
  /** The program and its arguments, not parsed by a shell. */
  readonly command: readonly string[];
  readonly user?: string;
  /** Absolute, in the container. */
  readonly folder?: string;
  /** Entries `NAME=value`. */
  readonly env: readonly string[];
  readonly tty: boolean;
  readonly mapPaths: boolean;
  readonly engine?: string;
}

/** What a command runs in. Without a project, that of the workspace folder is meant. */
export type ExecTarget =
  | { readonly container: string }
  | { readonly service: string; readonly project?: string };

/** The fields of a definition besides its type. */
export const execTaskSchema = () =>
  ({
    project: { kind: 'text' },
    service: { kind: 'text' },
    container: { kind: 'text' },
    command: {
      kind: { check: isCommand, expected: l10n.t('a string or an array of strings') },
      required: true,
    },
    user: { kind: 'text' },
    folder: { kind: 'text' },
    env: { kind: 'texts' },
    tty: { kind: 'boolean' },
    mapPaths: { kind: 'boolean' },
    engine: { kind: 'text' },
  }) satisfies ArgumentSchema;

/**
 * Reads a definition whose variables are already replaced.
 *
 * @throws InputError that names the first invalid field.
 */
export function readExecTaskOptions({
  type: _type,
  ...fields
}: Readonly<Record<string, unknown>>): ExecTaskOptions {
  checkArguments(fields, execTaskSchema(), l10n.t('The task'));
  const given = fields as unknown as GivenFields;
  const { user, folder, env = [], engine, tty = false, mapPaths = true } = given;
  if (folder !== undefined && !posix.isAbsolute(folder))
    throw new InputError(l10n.t('"folder" must be an absolute path in the container.'));
  if (!env.every((entry) => /^[^=]+=/.test(entry)))
    throw new InputError(l10n.t('Each entry of "env" must have the form NAME=value.'));
  const command = commandOf(given.command);
  if ([...command, ...env, user, folder].some((text) => text?.includes('\0')))
    throw new InputError(l10n.t('The task contains a NUL character.'));
  return {
    target: targetOf(given),
    command,
    env,
    tty,
    mapPaths,
    ...(user !== undefined && { user }),
    ...(folder !== undefined && { folder }),
    ...(engine !== undefined && { engine }),
  };
}

interface GivenFields extends Partial<
  Omit<ExecTaskOptions, 'target' | 'command'> & Record<'project' | 'service' | 'container', string>
> {
  readonly command: string | readonly string[];
}

function isCommand(value: unknown): boolean {
  if (typeof value === 'string') return true;
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

/** A string is split into words, and no shell sees it. */
function commandOf(command: string | readonly string[]): readonly string[] {
  const words = typeof command === 'string' ? parseCommandLine(command) : command;
  if ((words[0] ?? '').trim() === '') throw new InputError(l10n.t('"command" names no program.'));
  return words;
}

function targetOf({ service, container, project }: GivenFields): ExecTarget {
  const isNamed = [service, container, project].every((name) => name?.trim() !== '');
  if ((service === undefined) === (container === undefined) || !isNamed)
    throw new InputError(l10n.t('Set either "service" or "container".'));
  if (container === undefined)
    return { service: service ?? '', ...(project !== undefined && { project }) };
  if (project !== undefined)
    throw new InputError(l10n.t('"project" is only for a service, not for a container.'));
  return { container };
}
