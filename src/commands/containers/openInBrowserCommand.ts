import * as l10n from '@vscode/l10n';
import { listContainers } from '../../engine/containers/containers.ts';
import {
  publicPortsOf,
  publishedTcpPorts,
  urlOfPort,
} from '../../engine/facts/publishedTcpPorts.ts';
import { InputError } from '../../engine/errors.ts';
import type { Port } from '../../engine/model.ts';
import type { TargetCommand } from '../frame/command.ts';
import type { CommandTarget } from '../frame/targets.ts';
import type { Ui } from '../ui/ui.ts';

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
