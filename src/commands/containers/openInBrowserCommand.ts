import * as l10n from '@vscode/l10n';
import { listContainers } from '../../engine/containers/containers.ts';
import {
  publicPortsOf,
  publishedTcpPorts,
  urlOfPort,
} from '../../engine/facts/publishedTcpPorts.ts';
import { InputError } from '../../engine/errors.ts';
import type { Port } from '../../engine/model.ts';
import type { ContainerNode } from '../../views/containers/containerNode.ts';
import type { ContainerGroup, TargetCommand } from '../frame/command.ts';
import type { CommandTarget } from '../frame/targets.ts';
import { formatItemText, formatName } from '../ui/formatNames.ts';
import type { PickItem, Ui } from '../ui/ui.ts';

interface BrowserArguments {
  /** The published port. Required if there are several. */
  readonly port?: number;
}

/** Opens a published TCP port of a container in the browser. */
export const openInBrowserCommand = (
  ui: Ui,
): TargetCommand<BrowserArguments, { readonly outcome: 'opened' }> => ({
  id: 'gantry.containers.openInBrowser',
  on: 'container',
  schema: { port: { kind: 'wholeNumber' } },
  fits: (container) => publishedTcpPorts(container).length > 0,
  isForOne: true,
  progress: 'never',
  progressTitle: (name) => l10n.t('Opening {0}', name),
  failureTitle: (name) => l10n.t('Could not open {0} in the browser', name),
  ask: async ([target]) => askPort(ui, target),
  within: async (group) => {
    const items = portsIn(group);
    if (items.length === 0) ui.info(l10n.t('{0} publishes no TCP port.', formatName(group.title)));
    const question = {
      title: ui.commandTitle('gantry.containers.openInBrowser'),
      placeholder: l10n.t('Select a port'),
      items,
    };
    const picked = items.length > 1 ? await ui.pick(question) : items[0];
    return picked && { row: picked.row, args: { port: picked.port } };
  },
  run: async (call) => {
    const { id } = await call.target();
    const connection = await call.connect();
    const [container] = await listContainers(connection, { all: true, ids: [id] }, call.signal);
    const ports = container ? publishedTcpPorts(container) : [];
    const port = call.args.port ?? onlyPort(ports, call.text);
    await ui.openExternal(urlOfPort(ports, port, connection.endpoint));
    return { outcome: 'opened' };
  },
});

/** Returns the published ports of the containers in a group, once each. */
function portsIn({ containers }: ContainerGroup): readonly ContainerPort[] {
  return containers.flatMap((row) => {
    const ports = publishedTcpPorts(row.container);
    return publicPortsOf(ports).map((port) => {
      const { privatePort } = ports.find(({ publicPort }) => publicPort === port) ?? {};
      return { label: `${formatItemText(row.title)} ${privatePort} → ${port}`, row, port };
    });
  });
}

interface ContainerPort extends PickItem {
  readonly row: ContainerNode;
  readonly port: number;
}

function onlyPort(ports: readonly Port[], name: string): number {
  const numbers = publicPortsOf(ports);
  const [first] = numbers;
  if (first === undefined) throw new InputError(l10n.t('{0} publishes no TCP port.', name));
  if (numbers.length === 1) return first;
  throw new InputError(
    l10n.t('{0} publishes several ports: {1}. Set "port".', name, numbers.join(', ')),
  );
}

async function askPort(
  ui: Ui,
  target: CommandTarget | undefined,
): Promise<BrowserArguments | undefined> {
  const known = target?.context.inventory.containers.get(target.id);
  const container = known ?? target?.container;
  const ports = container ? publicPortsOf(publishedTcpPorts(container)) : [];
  if (ports.length < 2) return {};
  const picked = await ui.pick({
    title: ui.commandTitle('gantry.containers.openInBrowser'),
    placeholder: l10n.t('Select a port'),
    items: ports.map((port) => ({ label: String(port), port })),
  });
  return picked && { port: picked.port };
}
