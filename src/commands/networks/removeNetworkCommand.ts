import * as l10n from '@vscode/l10n';
import { keptMessage, listUse, removeNetwork } from '../../engine/networks/networkOperations.ts';
import { formatLines, formatName, formatNames } from '../ui/formatNames.ts';
import type { TargetCommand } from '../frame/command.ts';
import { nameAmong, uiOf, type CommandTarget } from '../frame/targets.ts';
import type { Ui } from '../ui/ui.ts';
import { translate } from '../../base/translate.ts';

interface RemoveArguments {
  /** The networks that the user confirmed. Not part of the argument. */
  readonly agreed?: ReadonlySet<CommandTarget>;
}

interface Removed {
  readonly outcome: 'removed' | 'alreadyGone' | 'kept';
}

/** Removes a network that no container uses. */
export const removeNetworkCommand = (ui: Ui): TargetCommand<RemoveArguments, Removed> => ({
  id: 'gantry.networks.remove',
  on: 'network',
  verb: 'removing',
  progressTitle: (name) => l10n.t('Removing {0}', name),
  failureTitle: (name) => l10n.t('Could not remove {0}', name),
  ask: (targets) => ask(ui, targets),
  run: async ({ args, target, connect, signal }) => {
    const wanted = await target();
    // The question announced that it is kept.
    if (args.agreed && !args.agreed.has(wanted)) return { outcome: 'kept' };
    return removeNetwork(await connect(), wanted.id, signal);
  },
});

/** Shows what cannot be removed and why, and asks for the rest. */
async function ask(
  ui: Ui,
  targets: readonly CommandTarget[],
): Promise<RemoveArguments | undefined> {
  const [first] = targets;
  if (!first) return undefined;
  const all = formatNames(
    targets.map(({ name }) => name),
    3,
  );
  const kept = await ui.progress(l10n.t('Inspecting {0}', all), 'late', (signal) =>
    keptOf(targets, signal),
  );
  const reasons = [...kept].map(([{ name }, why]) => l10n.t('{0}: {1}', formatName(name), why));
  if (kept.size === targets.length) {
    const what =
      targets.length === 1
        ? l10n.t('{0} cannot be removed', formatName(first.name))
        : l10n.t('{0} networks cannot be removed', targets.length);
    await ui.message(what, formatLines(reasons), []);
    return undefined;
  }
  const agreed = new Set(targets.filter((target) => !kept.has(target)));
  const names = [...agreed].map((one) => nameAmong(one, targets));
  const detail = [
    names.length === 1 ? l10n.t('No container uses it.') : formatNames(names),
    ...(reasons.length > 0 ? [l10n.t('Kept:'), formatLines(reasons)] : []),
  ];
  const question = removeNetworksQuestion(names);
  const isSure = await uiOf(targets, ui).confirm(question, detail.join('\n'), l10n.t('Remove'));
  return isSure ? { agreed } : undefined;
}

/** Returns the question before networks are removed. */
function removeNetworksQuestion(names: readonly string[]): string {
  const [first = ''] = names;
  return names.length === 1
    ? l10n.t('Remove the network {0}?', formatName(first))
    : l10n.t('Remove {0} networks?', names.length);
}

/** Asks each engine once why networks cannot be removed. */
async function keptOf(
  targets: readonly CommandTarget[],
  signal: AbortSignal,
): Promise<ReadonlyMap<CommandTarget, string>> {
  const kept = new Map<CommandTarget, string>();
  for (const [context, those] of Map.groupBy(targets, (target) => target.context)) {
    const { networks, containers } = await listUse(await context.engine.connect(signal), signal);
    for (const target of those) {
      const network = networks.find(({ id }) => id === target.id);
      const why = network && keptMessage(network, containers, networks);
      if (why) kept.set(target, translate(why));
    }
  }
  return kept;
}
