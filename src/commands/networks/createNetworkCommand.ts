import * as l10n from '@vscode/l10n';
import { createNetwork } from '../../engine/networks/networkOperations.ts';
import type { NetworkSpec } from '../../engine/networks/networkSpec.ts';
import type { PlainCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { failureMessage } from '../ui/errorMessage.ts';
import { errorActions } from '../ui/withErrorMessage.ts';
import { isCancellation } from '../../base/lifetime.ts';
import { formatName } from '../ui/formatNames.ts';
import { showNetworkForm } from './showNetworkForm.ts';

interface Created {
  readonly id: string;
}

/** Creates a network. */
export const createNetworkCommand = (): PlainCommand<NetworkSpec, Created> => ({
  id: 'gantry.networks.create',
  schema: {
    name: { kind: 'text', required: true },
    driver: { kind: 'text' },
    subnet: { kind: 'text' },
    gateway: { kind: 'text' },
    internal: { kind: 'boolean' },
    attachable: { kind: 'boolean' },
    ipv6: { kind: 'boolean' },
    labels: { kind: 'textMap' },
  },
  failureTitle: l10n.t('Could not create the network'),
  run: create,
  runInteractive: (context) => createInteractively(context),
});

/** Shows the form, and shows it again if the engine refuses and the user wants to edit it. */
async function createInteractively(
  context: CommandContext,
  before?: NetworkSpec,
): Promise<Created | undefined> {
  const { ui } = context;
  const known = new Set([...context.inventory.networks.entries.values()].map(({ name }) => name));
  const spec = await showNetworkForm(ui, context.titleOf(l10n.t('Create Network')), before, known);
  if (!spec) return undefined;
  const name = formatName(spec.name);
  try {
    return await ui.progress(l10n.t('Creating the network {0}', name), 'late', (signal) =>
      create(spec, context, signal),
    );
  } catch (error) {
    if (isCancellation(error)) return undefined;
    const edit = { title: l10n.t('Edit...'), run: () => createInteractively(context, spec) };
    const message = failureMessage(l10n.t('Could not create the network {0}', name), error);
    ui.error(message, ...errorActions(error, context), edit);
    return undefined;
  }
}

async function create(
  spec: NetworkSpec,
  { engine, inventory }: CommandContext,
  signal: AbortSignal,
): Promise<Created> {
  try {
    return await createNetwork(await engine.connect(signal), spec, signal);
  } finally {
    // Podman 4 sends no event.
    inventory.networks.markStale();
  }
}
