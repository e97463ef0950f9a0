/** Reads the definition of a task in tasks.json: the container, when to remove it, and when to pull its image. */

import * as l10n from '@vscode/l10n';
import { parseCommandLine } from '../engine/options/parseCommandLine.ts';
import type { CreateArguments } from '../engine/options/options.ts';
import { InputError } from '../engine/errors.ts';

export interface TaskOptions {
  readonly recipe?: string;
  readonly engine?: string;
  /** Fields that override those of the recipe; all fields if there is no recipe. */
  readonly fields: Partial<CreateArguments>;
  readonly remove: RemovePolicy;
  readonly pull: PullPolicy;
}

/** Whether to remove the container when the task ends. */
export type RemovePolicy = boolean | 'onSuccess';
/** When to pull the image. */
export type PullPolicy = 'missing' | 'always' | 'never';

const PULLS: readonly unknown[] = ['missing', 'always', 'never'];
const REMOVALS: readonly unknown[] = [true, false, 'onSuccess'];

/**
 * Reads a definition whose variables are already replaced.
 *
 * @param checkFields checks the kinds of the create fields. @throws InputError.
 * @throws InputError that names the first invalid field.
 */
export function readTaskOptions(
  definition: Readonly<Record<string, unknown>>,
  checkFields: (fields: object) => void,
): TaskOptions {
  const { recipe, engine, remove, pull, command } = definition;
  const fields = without(definition, 'type', 'recipe', 'engine', 'remove', 'pull', 'command');
  checkFields(fields);
  const cmd = commandOf(command, fields['cmd']);
  if (recipe === undefined && fields['image'] === undefined) {
    throw new InputError(l10n.t('The task needs a "recipe" or an "image".'));
  }
  return {
    ...textField('recipe', recipe),
    ...textField('engine', engine),
    fields: { ...fields, ...(cmd && { cmd }) },
    remove: oneOf('remove', remove ?? false, REMOVALS) as RemovePolicy,
    pull: oneOf('pull', pull ?? 'missing', PULLS) as PullPolicy,
  };
}

/**
 * Returns the options for the container of a task. The task ends when the container exits, so the container must not be
 * restarted. The task removes the container itself, because `autoRemove` would lose its exit details.
 *
 * @throws InputError for a restart policy.
 */
export function taskArguments(args: CreateArguments): {
  readonly args: CreateArguments;
  readonly isRemoved: boolean;
} {
  const { autoRemove, restart } = args;
  if (restart !== undefined && restart !== 'no') {
    throw new InputError(
      l10n.t('A task ends with its container. "restart" cannot be {0}.', restart),
    );
  }
  const rest = without({ ...args }, 'autoRemove', 'start', 'restart');
  return { args: { ...rest, image: args.image }, isRemoved: autoRemove === true };
}

/**
 * Returns the option that closes the program's stdin when the client closes its end. Without it, the client
 * would only detach.
 */
export function inputEnd({ openStdin, tty }: CreateArguments): object {
  return openStdin === true && tty !== true ? { StdinOnce: true } : {};
}

function without(
  record: Readonly<Record<string, unknown>>,
  ...names: readonly string[]
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));
}

function commandOf(command: unknown, cmd: unknown): readonly string[] | undefined {
  if (command === undefined) return undefined;
  if (cmd !== undefined) throw new InputError(l10n.t('The task has both "command" and "cmd".'));
  if (typeof command !== 'string')
    throw new InputError(l10n.t('"{0}" must be a string.', 'command'));
  return parseCommandLine(command);
}

function textField(name: 'recipe' | 'engine', value: unknown): Partial<TaskOptions> {
  if (value === undefined) return {};
  if (typeof value === 'string') return { [name]: value };
  throw new InputError(l10n.t('"{0}" must be a string.', name));
}

function oneOf(name: string, value: unknown, choice: readonly unknown[]): unknown {
  if (choice.includes(value)) return value;
  const words = choice.map((one) => JSON.stringify(one)).join(', ');
  throw new InputError(l10n.t('"{0}" must be one of {1}.', name, words));
}
