import * as l10n from '@vscode/l10n';
import { connectNetwork, disconnectNetwork } from '../../engine/networks/networkOperations.ts';
import { checkAlias, checkFixedIp, type ConnectSpec } from '../../engine/networks/networkSpec.ts';
import type { TreeNode } from '../../views/treeNode.ts';
import type { PlainCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { formatNames } from '../ui/formatNames.ts';
import { showForm } from '../ui/form.ts';
import { listRow, textRow } from '../ui/formRows.ts';
import { mapConcurrently } from '../../base/mapConcurrently.ts';
import { pickRow, pickTarget } from '../frame/pickTarget.ts';
import { showFailures, targetOutcome } from '../frame/showOutcomes.ts';
import type { CommandTarget } from '../frame/targets.ts';
import type { CommandId, Ui } from '../ui/ui.ts';
import {
  askConnectedPairs,
  findPair,
  knownConnection,
  PAIR_SCHEMA,
  targetsOfRows,
  type NetworkPair,
  type PairArguments,
} from './networkPair.ts';

const CONNECT: CommandId = 'gantry.networks.connect';

type ConnectArguments = PairArguments & ConnectSpec;

interface Connected {
  readonly outcome: 'connected' | 'alreadyConnected';
}

interface Disconnected {
  readonly outcome: 'disconnected' | 'alreadyDisconnected';
}

/** Connects a container to a network. */
export const connectCommand = (): PlainCommand<ConnectArguments, Connected> => {
  const failureTitle = l10n.t('Could not connect the container');
  return {
    id: 'gantry.networks.connect',
    schema: { ...PAIR_SCHEMA, aliases: { kind: 'texts' }, ip: { kind: 'text' } },
    selects: 'network',
    pick: pickRow(CONNECT, 'network'),
    failureTitle,
    run: async ({ id, container, ...spec }, context, signal) =>
      connect(await findPair({ id, container }, context, signal), spec, context, signal),
    runInteractive: (context, nodes) => connectInteractively(context, nodes, failureTitle),
  };
};

/** Disconnects a container from a network. */
export const disconnectCommand = (): PlainCommand<PairArguments, Disconnected> => {
  const failureTitle = l10n.t('Could not disconnect the container');
  return {
    id: 'gantry.networks.disconnect',
    schema: PAIR_SCHEMA,
    selects: 'network',
    pick: pickRow('gantry.networks.disconnect', 'network'),
    failureTitle,
    run: async (args, context, signal) => disconnect(await findPair(args, context, signal), signal),
    runInteractive: async (context, nodes) => {
      const pairs = (await askConnectedPairs(nodes, context, 'gantry.networks.disconnect')) ?? [];
      return runOnPairs<Disconnected>(context.ui, pairs, {
        run: disconnect,
        progressTitle: (names) => l10n.t('Disconnecting {0}', names),
        failureTitle,
        message: (results, names, network) =>
          results.some(({ outcome }) => outcome === 'disconnected')
            ? l10n.t('Disconnected {0} from {1}.', names, network)
            : l10n.t('{0} is not connected to {1}.', names, network),
      });
    },
  };
};

/** With rows of both kinds, as after a drop, asks nothing. */
async function connectInteractively(
  context: CommandContext,
  nodes: readonly TreeNode[],
  failureTitle: string,
): Promise<Connected | undefined> {
  const { ui } = context;
  const rows = targetsOfRows(nodes, context);
  const network = rows.networks[0] ?? (await pickTarget([context], CONNECT, 'network'));
  if (!network) return undefined;
  const containers = await containersFor(network, rows.containers, context);
  const [first] = containers;
  if (!first) return undefined;
  const isDrop = rows.networks.length > 0 && rows.containers.length > 0;
  const isComplete = containers.length > 1 || isDrop;
  const spec = isComplete ? {} : await askSpec(context, network, first);
  if (!spec) return undefined;
  const pairs = containers.map((container) => ({ network, container }));
  return runOnPairs<Connected>(ui, pairs, {
    run: (pair, signal) => connect(pair, spec, context, signal),
    progressTitle: (names) => l10n.t('Connecting {0}', names),
    failureTitle,
    message: (results, names, name) => {
      if (results.some(({ outcome }) => outcome === 'connected'))
        return l10n.t('Connected {0} to {1}.', names, name);
      if (isDrop) return undefined;
      return l10n.t(
        '{0} is already connected to {1}. Disconnect it first to change its address.',
        names,
        name,
      );
    },
  });
}

/** Work on pairs, and what is shown of it. `names` are those of the containers. */
interface PairWork<Result> {
  readonly run: (pair: NetworkPair, signal: AbortSignal) => Promise<Result>;
  readonly progressTitle: (names: string) => string;
  readonly failureTitle: string;
  /** Undefined: nothing is shown. */
  readonly message: (
    results: readonly Result[],
    names: string,
    networks: string,
  ) => string | undefined;
}

/**
 * Runs work on one pair after the other, even if it fails on some, and shows what was done or what failed. Resolves
 * to the first result; to undefined if something failed or nothing was done.
 */
async function runOnPairs<Result>(
  ui: Ui,
  pairs: readonly NetworkPair[],
  { run, progressTitle, failureTitle, message }: PairWork<Result>,
): Promise<Result | undefined> {
  if (pairs.length === 0) return undefined;
  const targets = pairs.map(({ container }) => container);
  const title = progressTitle(namesOf(targets));
  const outcomes = await ui.progress(title, 'late', (signal) =>
    mapConcurrently(1, pairs, (pair) => targetOutcome(pair.container, run(pair, signal))),
  );
  if (showFailures(ui, () => failureTitle, outcomes)) return undefined;
  const done = outcomes.flatMap((one) => ('result' in one ? [one] : []));
  if (done.length === 0) return undefined;
  const results = done.map(({ result }) => result);
  const reached = done.map(({ target }) => target);
  // One after the other: what was done comes first.
  const networks = pairs.slice(0, done.length).map(({ network }) => network);
  const text = message(results, namesOf(reached), namesOf(networks));
  if (text !== undefined) ui.info(text);
  return results[0];
}

/** Returns the containers of the rows; otherwise one that the user picks, which is not on the network yet. */
async function containersFor(
  network: CommandTarget,
  given: readonly CommandTarget[],
  context: CommandContext,
): Promise<readonly CommandTarget[]> {
  if (given.length > 0) return given;
  const picked = await pickTarget(
    [context],
    CONNECT,
    'container',
    (one) => one.state !== 'removing' && knownConnection(network, one, context) === undefined,
  );
  return picked ? [picked] : [];
}

/** Shows the form with the optional settings. Resolves to undefined if the user cancels. */
async function askSpec(
  { ui, titleOf }: CommandContext,
  { name, network }: CommandTarget,
  container: CommandTarget,
): Promise<ConnectSpec | undefined> {
  const draft: ConnectSpec = {};
  const done = await showForm(ui, {
    title: { title: titleOf(l10n.t('Connect {0} to {1}', container.name, name)) },
    draft,
    actions: [{ action: 'connect', label: l10n.t('Connect'), icon: 'check' }],
    overview: () => ({
      rows: [
        listRow('aliases', l10n.t('Aliases'), l10n.t('alias'), 'db', { check: checkAlias }),
        textRow('ip', l10n.t('Static IP address'), '10.20.0.5', {
          otherwise: l10n.t('assigned by the engine'),
          check: (ip) => network && checkFixedIp(ip, network),
        }),
      ],
    }),
  });
  return done?.draft;
}

async function connect(
  { network, container }: NetworkPair,
  spec: ConnectSpec,
  { engine, unit }: CommandContext,
  signal: AbortSignal,
): Promise<Connected> {
  try {
    const connection = await engine.connect(signal);
    return await connectNetwork(connection, network.id, container.id, spec, signal);
  } finally {
    // Not every engine sends an event in time.
    unit.requests.recheck(container.id);
  }
}

async function disconnect(
  { network, container }: NetworkPair,
  signal: AbortSignal,
): Promise<Disconnected> {
  const { engine, unit } = network.context;
  try {
    const connection = await engine.connect(signal);
    return await disconnectNetwork(connection, network.id, container.id, signal);
  } finally {
    unit.requests.recheck(container.id);
  }
}

function namesOf(targets: readonly CommandTarget[]): string {
  const names = targets.map(({ name }) => name);
  return formatNames([...new Set(names)], 3);
}
