import * as l10n from '@vscode/l10n';
import { mapConcurrently } from '../../base/mapConcurrently.ts';
import { ProjectNode, ServiceNode } from '../../views/containers/containerNode.ts';
import type { TreeNode } from '../../views/treeNode.ts';
import type { TargetCommand } from './command.ts';
import type { CommandContext } from './commandContext.ts';
import type { Frame } from './commandDependencies.ts';
import { pickTarget } from './pickTarget.ts';
import { runOnTarget } from './runOnTarget.ts';
import {
  acceptTargets,
  selectedTargets,
  targetsOfMenu,
  targetsOfSelection,
} from './selectedTargets.ts';
import { showOutcomes, targetOutcome, type TargetOutcome } from './showOutcomes.ts';
import { targetsOf, type CommandTarget } from './targets.ts';

/** Maximum number of targets that a command works on concurrently. */
const AT_ONCE = 6;

/**
 * Runs a command for the user on these targets: asks for the remaining arguments and shows the outcome. Resolves to the
 * result, to an array of results for several targets, or to undefined if there are none or the user cancels.
 *
 * @param before the previous arguments, to be edited.
 */
export async function runOnTargets(
  command: TargetCommand,
  targets: readonly CommandTarget[],
  { ui }: Pick<Frame, 'ui'>,
  before?: object,
): Promise<unknown> {
  const [first] = targets;
  if (!first) return undefined;
  const args = command.ask ? await command.ask(targets, before) : {};
  if (args === undefined) return undefined;
  const name = targets.length === 1 ? first.name : l10n.t('{0} items', targets.length);
  const work = (signal: AbortSignal): Promise<readonly TargetOutcome[]> =>
    // Commands that wait for something else to happen are never queued behind others of their kind.
    mapConcurrently(command.progress === 'atOnce' ? targets.length : AT_ONCE, targets, (target) =>
      targetOutcome(
        target,
        runOnTarget(command, target.context, {
          args,
          signal,
          text: target.id,
          isInteractive: true,
          find: () => Promise.resolve(target),
        }),
      ),
    );
  const { progress = 'late' } = command;
  const outcomes =
    progress === 'never'
      ? await work(new AbortController().signal)
      : await ui.progress(command.progressTitle(name), progress, work);
  const edit = {
    title: l10n.t('Edit...'),
    run: () => runOnTargets(command, targets, { ui }, args),
  };
  await showOutcomes(ui, command, outcomes, command.canEdit ? [edit] : []);
  const results = outcomes.flatMap((one) => ('result' in one ? [one.result] : []));
  return targets.length === 1 ? results[0] : results;
}

/** Runs a command on the targets of rows, else of the selection, else on one that the user picks. */
export async function runForRows(
  command: TargetCommand,
  rows: readonly TreeNode[],
  frame: Frame,
): Promise<unknown> {
  const { ui, choice } = frame;
  const given = command.isForOne ? rows.slice(0, 1) : rows;
  const contextOf = contextIn(frame);
  const [group] = given;
  if (command.within && (group instanceof ProjectNode || group instanceof ServiceNode)) {
    const chosen = await command.within(group);
    const ask = (): Promise<object | undefined> => Promise.resolve(chosen?.args);
    const found = chosen ? targetsOf([chosen.row], command.on, undefined, contextOf) : [];
    return runOnTargets({ ...command, ask }, found, frame);
  }
  const targets =
    given.length > 0
      ? targetsOfMenu(ui, command, given, contextOf)
      : targetsOfSelection(ui, command, frame.selection(command.on, false), contextOf);
  if (targets) return runOnTargets(command, targets, frame);
  const contexts = choice.contextsFor(given);
  const picked = await pickTarget(contexts, command.id, command.on, command.fits);
  return picked && runOnTargets(command, [picked], frame);
}

/** Runs a command, or what its key does instead, on the selected rows of the focused view. */
export async function runForKey(command: TargetCommand, frame: Frame): Promise<unknown> {
  const rows = frame.selection(command.on, true);
  const selected = selectedTargets(rows, command, contextIn(frame));
  const act = selected.others.length > 0 ? command.ofOthers?.(rows) : undefined;
  if (typeof act === 'string') return (await frame.handlerOf(act))(rows[0], rows);
  if (act) return act();
  return runOnTargets(command, acceptTargets(frame.ui, command, selected), frame);
}

function contextIn({ choice }: Frame) {
  return ({ engine }: TreeNode): CommandContext | undefined => choice.ofEngine(engine);
}
