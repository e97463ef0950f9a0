/** What a task of tasks.json says: which container, and what becomes of it and of its image. */

import {
  describeCommandLineProblem,
  parseCommandLine,
} from '../engine/options/parseCommandLine.ts';
import type { CreateArguments } from '../engine/options/options.ts';
import { InputError } from '../engine/errors.ts';
import type { L10n } from '../l10n.ts';

/** A task as it is run. */
export interface TaskOptions {
  readonly recipe?: string;
  readonly engine?: string;
  /** Fields beside the recipe, which go before its own; all of them where there is none. */
  readonly fields: Partial<CreateArguments>;
  readonly remove: RemovePolicy;
  readonly pull: PullPolicy;
}

/** Whether the container is removed at its end. */
export type RemovePolicy = boolean | 'onSuccess';
/** When the image is pulled. */
export type PullPolicy = 'missing' | 'always' | 'never';

const PULLS: readonly unknown[] = ['missing', 'always', 'never'];
const REMOVALS: readonly unknown[] = [true, false, 'onSuccess'];

/**
 * Reads a definition whose variables are replaced.
 *
 * @param checkFields checks the kinds of the create's fields. @throws InputError.
 * @throws InputError that names the first field that is wrong.
 */
export function readTaskOptions(
  definition: Readonly<Record<string, unknown>>,
  checkFields: (fields: object) => void,
  l10n: L10n,
): TaskOptions {
  const { recipe, engine, remove, pull, command } = definition;
  const fields = without(definition, 'type', 'recipe', 'engine', 'remove', 'pull', 'command');
  checkFields(fields);
  const cmd = commandOf(command, fields['cmd'], l10n);
  if (recipe === undefined && fields['image'] === undefined) {
    throw new InputError(l10n.t('The task needs a "recipe" or an "image".'));
  }
  return {
    ...textField('recipe', recipe, l10n),
    ...textField('engine', engine, l10n),
    fields: { ...fields, ...(cmd && { cmd }) },
    remove: oneOf('remove', remove ?? false, REMOVALS, l10n) as RemovePolicy,
    pull: oneOf('pull', pull ?? 'missing', PULLS, l10n) as PullPolicy,
  };
}

/**
 * What is created for a task. The task ends with its container, which therefore may not come back; and it removes it
 * itself, for the engine would take along what there is to tell of its end.
 *
 * @throws InputError for a restart policy.
 */
export function taskArguments(
  args: CreateArguments,
  l10n: L10n,
): { readonly args: CreateArguments; readonly isRemoved: boolean } {
  const { autoRemove, restart } = args;
  if (restart !== undefined && restart !== 'no') {
    throw new InputError(
      l10n.t('A task ends with its container, so "restart" cannot be {0}.', restart),
    );
  }
  const rest = without({ ...args }, 'autoRemove', 'start', 'restart');
  return { args: { ...rest, image: args.image }, isRemoved: autoRemove === true };
}

/** What makes the end of the input that of the program: without it, whoever ends his own only leaves. */
export function inputEnd({ openStdin, tty }: CreateArguments): object {
  return openStdin === true && tty !== true ? { StdinOnce: true } : {};
}

function without(
  record: Readonly<Record<string, unknown>>,
  ...names: readonly string[]
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));
}

function commandOf(command: unknown, cmd: unknown, l10n: L10n): readonly string[] | undefined {
  if (command === undefined) return undefined;
  if (cmd !== undefined) throw new InputError(l10n.t('The task has both "command" and "cmd".'));
  if (typeof command !== 'string') throw new InputError(l10n.t('"{0}" must be a text.', 'command'));
  const words = parseCommandLine(command);
  if (!words.ok) throw new InputError(describeCommandLineProblem(words.problem, l10n));
  return words.value;
}

function textField(name: 'recipe' | 'engine', value: unknown, l10n: L10n): Partial<TaskOptions> {
  if (value === undefined) return {};
  if (typeof value === 'string') return { [name]: value };
  throw new InputError(l10n.t('"{0}" must be a text.', name));
}

function oneOf(name: string, value: unknown, choice: readonly unknown[], l10n: L10n): unknown {
  if (choice.includes(value)) return value;
  const words = choice.map((one) => JSON.stringify(one)).join(', ');
  throw new InputError(l10n.t('"{0}" must be one of {1}.', name, words));
}
