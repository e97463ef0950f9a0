import { isPassing } from '../engine/model.ts';
import { DisposableStore, once } from '../lifetime.ts';
import type { TargetKind } from '../views/treeNode.ts';
import type { TargetCall, TargetCommand } from './command.ts';
import type { CommandContext } from './commandContext.ts';
import type { CommandTarget } from './targets.ts';

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
    if (context.inventory.phase.kind === 'lost') context.unit.renew();
    else if (id !== undefined) recheck(command.kind, id, isDone, context);
  }
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
  if (row && (!isDone || isPassing(row))) unit.recheck(id);
}
