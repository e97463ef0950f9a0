import * as l10n from '@vscode/l10n';
import { InputError } from '../../engine/errors.ts';
import type { Connection } from '../../engine/http/connection.ts';
import { isPassing } from '../../engine/model.ts';
import { DisposableStore, once } from '../../base/lifetime.ts';
import type { TargetKind } from '../../views/treeNode.ts';
import type { TargetCall, TargetCommand } from './command.ts';
import type { CommandContext } from './commandContext.ts';
import type { EngineChoice } from './engineChoice.ts';
import { checkArguments, type ArgumentSchema } from '../ui/checkArguments.ts';
import { findTarget, type CommandTarget } from './targets.ts';

/** Runs the command on one target. The row shows the activity in the meantime. */
export async function runOnTarget(
  command: TargetCommand,
  context: CommandContext,
  { find, ...call }: TargetRun,
): Promise<unknown> {
  const busy = new DisposableStore();
  const { verb } = command;
  let id: string | undefined;
  const target = once(async () => {
    const found = await find();
    ({ id } = found);
    if (verb !== undefined) busy.add(context.activity.begin(id, verb));
    return found;
  });
  const connect = (): Promise<Connection> => context.engine.connect(call.signal);
  let isDone = false;
  try {
    const result = await command.run({ ...call, connect, target }, context);
    isDone = true;
    return result;
  } finally {
    busy.dispose();
    if (context.inventory.phase.kind === 'lost') context.unit.requests.renew();
    else if (id !== undefined) recheck(command.on, id, isDone, context);
  }
}

/** One run of a command on one target. */
interface TargetRun extends Omit<TargetCall<object>, 'connect' | 'target'> {
  /** Finds the target, which an argument only names. */
  readonly find: () => Promise<CommandTarget>;
}

/** The field that selects the target. A volume has no ID. */
const FIELDS = { container: 'id', image: 'id', volume: 'name', network: 'id' } as const;

/** Returns the schema of the argument of a command on a target. */
export function targetSchema({ on, schema }: TargetCommand): ArgumentSchema {
  return { [FIELDS[on]]: { kind: 'text', required: true }, ...schema };
}

/** Returns the name or ID of the target in an argument that is not checked yet; empty if it is not a string. */
export function namedTarget(
  { on }: TargetCommand,
  argument: Readonly<Record<string, unknown>>,
): string {
  const value = argument[FIELDS[on]];
  return typeof value === 'string' ? value : '';
}

/**
 * Runs the command on the target that an argument names. Shows nothing.
 *
 * @throws InputError if the argument is not valid, and what the command throws.
 */
export function runOnNamed(
  command: TargetCommand,
  argument: Readonly<Record<string, unknown>>,
  choice: EngineChoice,
): Promise<unknown> {
  const field = FIELDS[command.on];
  const text = namedTarget(command, argument);
  const { engine, ...given } = argument;
  checkArguments(given, targetSchema(command), command.id);
  if (text.trim() === '')
    throw new InputError(
      field === 'id'
        ? l10n.t('{0}: the ID is empty.', command.id)
        : l10n.t('{0}: the name is empty.', command.id),
    );
  const context = choice.forArgument(engine, text);
  const { signal } = new AbortController();
  const find = async (): Promise<CommandTarget> =>
    findTarget(command.on, context, await context.engine.connect(signal), text, signal);
  const args = Object.fromEntries(Object.entries(given).filter(([key]) => key !== field));
  return runOnTarget(command, context, { args, text, signal, isInteractive: false, find });
}

/**
 * Lists a target again after a command. A failed command may have changed it anyway, a command that ends a
 * transitional state may be the only sign of it, and not every engine sends events of volumes and networks.
 */
function recheck(
  kind: TargetKind,
  id: string,
  isDone: boolean,
  { inventory, unit }: CommandContext,
): void {
  if (kind === 'volume') inventory.volumes.markStale();
  if (kind === 'network') inventory.networks.markStale();
  const row = inventory.containers.get(id);
  if (row && (!isDone || isPassing(row))) unit.requests.recheck(id);
}
