import { EngineError } from '../../engine/errors.ts';
import type { Connection } from '../../engine/http/connection.ts';
import { isPredefinedNetwork, type Network } from '../../engine/model.ts';
import { listUse, removeNetwork, keptMessage } from '../../engine/networks/networkOperations.ts';
import { joinParts } from '../../views/format.ts';
import type { PlainCommand } from '../command.ts';
import type { CommandContext } from '../commandContext.ts';
import { errorMessage } from '../errorMessage.ts';
import { formatLines, formatName, formatNames, formatReasons } from '../formatNames.ts';
import type { PickItem, Ui } from '../ui.ts';
import { removeNetworksQuestion } from './removeNetworkCommand.ts';

interface PruneArguments {
  /** Remove nothing; return what would be removed. */
  readonly dryRun?: boolean;
}

/** IDs. */
interface Pruned {
  readonly removed: readonly string[];
  /** Those that could not be removed. */
  readonly kept: readonly string[];
}

/** Removes networks that no container uses, running or not. */
export const pruneNetworksCommand = (ui: Ui): PlainCommand<PruneArguments, Pruned> => ({
  id: 'gantry.networks.prune',
  schema: { dryRun: { kind: 'boolean' } },
  failureTitle: ui.l10n.t('Could not prune networks'),
  run: async ({ dryRun }, context, signal) => {
    const connection = await context.engine.connect(signal);
    const { unused } = await findUnused(connection, ui, signal);
    if (dryRun === true) return { removed: unused.map(({ id }) => id), kept: [] };
    return pruned(await remove(context, connection, unused, signal));
  },
  runInteractive: pruneInteractively,
});

/** Lets the user select which of the unused networks to remove, and shows why the others are kept. */
async function pruneInteractively(context: CommandContext): Promise<Pruned | undefined> {
  const { ui } = context;
  const { l10n } = ui;
  const title = l10n.t('Looking for unused networks');
  const found = await ui.progress(title, 'late', async (signal) => {
    const connection = await context.engine.connect(signal);
    return { connection, ...(await findUnused(connection, ui, signal)) };
  });
  if (found.unused.length === 0) {
    ui.info(l10n.t('No unused networks found.'));
    return undefined;
  }
  const picked = await pickUnused(context, found.unused);
  if (!picked || picked.length === 0 || !(await isSure(ui, picked, found))) return undefined;
  const done = await ui.progress(l10n.t('Pruning networks'), 'late', (signal) =>
    remove(context, found.connection, picked, signal),
  );
  showPruned(ui, picked, done);
  return pruned(done);
}

interface Found {
  readonly unused: readonly Network[];
  readonly kept: readonly { readonly network: Network; readonly why: string }[];
}

async function findUnused(connection: Connection, ui: Ui, signal: AbortSignal): Promise<Found> {
  const { networks, containers } = await listUse(connection, signal);
  const all = networks.map((network) => ({
    network,
    why: keptMessage(network, containers, networks, ui.l10n),
  }));
  return {
    unused: all.filter(({ why }) => why === undefined).map(({ network }) => network),
    kept: all.flatMap(({ network, why }) => (why === undefined ? [] : [{ network, why }])),
  };
}

interface NetworkItem extends PickItem {
  readonly network: Network;
}

async function pickUnused(
  { ui, titleOf }: CommandContext,
  unused: readonly Network[],
): Promise<readonly Network[] | undefined> {
  const { l10n } = ui;
  const title = titleOf(l10n.t('Prune Networks'));
  const items = unused.map((network): NetworkItem => {
    const subnets = network.subnets.map(({ subnet }) => subnet).join(', ');
    return { label: network.name, description: joinParts(network.driver, subnets), network };
  });
  const checked = await ui.pickMany({
    title: (now) => l10n.t('{0}: {1} of {2}', title, now.length, unused.length),
    placeholder: l10n.t('Select networks to remove'),
    items,
    isChecked: () => true,
  });
  return checked?.map(({ network }) => network);
}

/** Also tells which networks of the user are kept, and why. */
function isSure(ui: Ui, networks: readonly Network[], { kept }: Found): Promise<boolean> {
  const { l10n } = ui;
  const names = networks.map(({ name }) => name);
  const reasons = kept
    .filter(({ network }) => !isPredefinedNetwork(network))
    .map(({ network, why }) => l10n.t('{0}: {1}', formatName(network.name), why));
  const detail = [
    formatNames(names, l10n),
    ...(reasons.length > 0 ? [l10n.t('Kept:'), formatLines(reasons, l10n, 5)] : []),
  ];
  const question = removeNetworksQuestion(names, l10n);
  return ui.confirm(question, detail.join('\n'), l10n.t('Remove'));
}

interface Done {
  readonly removed: readonly string[];
  /** By ID. */
  readonly kept: ReadonlyMap<string, EngineError>;
}

/** Each network is looked at again right before. */
async function remove(
  { activity, inventory, ui }: CommandContext,
  connection: Connection,
  networks: readonly Network[],
  signal: AbortSignal,
): Promise<Done> {
  const removed: string[] = [];
  const kept = new Map<string, EngineError>();
  try {
    for (const { id } of networks) {
      const busy = activity.begin(id, 'removing');
      try {
        await removeNetwork(connection, id, ui.l10n, signal);
        removed.push(id);
      } catch (error) {
        if (!(error instanceof EngineError) || !isOfNetwork(error)) throw error;
        kept.set(id, error);
      } finally {
        busy.dispose();
      }
    }
    return { removed, kept };
  } finally {
    inventory.networks.markStale();
  }
}

/** Whether the engine refused this network, so that others may still be removed. */
function isOfNetwork({ reason }: EngineError): boolean {
  return ['conflict', 'failed', 'badRequest', 'unauthorized'].includes(reason);
}

function pruned({ removed, kept }: Done): Pruned {
  return { removed, kept: [...kept.keys()] };
}

function showPruned(ui: Ui, networks: readonly Network[], { removed, kept }: Done): void {
  const { l10n } = ui;
  const done = l10n.t('Removed {0} of {1} networks.', removed.length, networks.length);
  if (kept.size === 0) {
    ui.info(done);
    return;
  }
  const why = networks.flatMap(({ id, name }) => {
    const error = kept.get(id);
    return error ? [l10n.t('{0}: {1}', formatName(name), errorMessage(error, l10n))] : [];
  });
  ui.warn([done, formatReasons(why, l10n)].join(' '));
}
