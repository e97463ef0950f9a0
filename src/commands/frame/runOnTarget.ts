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
  call: TargetCall<object>,
  context: CommandContext,
): Promise<unknown> {
  const busy = new DisposableStore();
  const { verb } = command;
  let id: string | undefined;
  const target = async (): Promise<CommandTarget> => {
    const found = await call.target();
    ({ id } = found);
    if (verb !== undefined) busy.add(context.activity.begin(id, verb));
    return found;
  };
  let isDone = false;
  try {
    const result = await command.run({ ...call, target: once(target) }, context);
    isDone = true;
    return result;
  } finally {
    busy.dispose();
    if (context.inventory.phase.kind === 'lost') context.unit.requests.renew();
    else if (id !== undefined) recheck(command.kind, id, isDone, context);
  }
}

/** The field that selects the target. A volume has no ID. */
const FIELDS = { container: 'id', image: 'id', volume: 'name', network: 'id' } as const;

/** Returns the schema of the argument of a command on a target. */
export function targetSchema({ kind, schema }: TargetCommand): ArgumentSchema {
  return { [FIELDS[kind]]: { kind: 'text', required: true }, ...schema };
}

/** Returns the name or ID of the target in an argument that is not checked yet; empty if it is not a string. */
export function namedTarget({ kind }: TargetCommand, argument: Record<string, unknown>): string {
  const value = argument[FIELDS[kind]];
  return typeof value === 'string' ? value : '';
}

/**
 * Runs the command on the target that an argument names. Shows nothing.
 *
 * @throws InputError if the argument is not valid, and what the command throws.
 */
export function runOnNamed(
  command: TargetCommand,
  argument: Record<string, unknown>,
  choice: EngineChoice,
): Promise<unknown> {
  const field = FIELDS[command.kind];
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
  const connect = (): Promise<Connection> => context.engine.connect(signal);
  const find = async (): Promise<CommandTarget> =>
    findTarget(command.kind, context, await connect(), text, signal);
  const args = Object.fromEntries(Object.entries(given).filter(([key]) => key !== field));
  const call = { args, text, signal, isInteractive: false, connect, target: once(find) };
  return runOnTarget(command, call, context);
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
