import type { Connection } from '../../engine/http/connection.ts';
import { listContainers } from '../../engine/containers/containers.ts';
import { InputError } from '../../engine/errors.ts';
import type { Container, Port } from '../../engine/model.ts';
import type { TargetCall, TargetCommand } from '../command.ts';
import type { CommandTarget } from '../targets.ts';
import type { Ui } from '../ui.ts';
import type { L10n } from '../../l10n.ts';

interface BrowserArguments {
  /** The published port. Required if there are several. */
  readonly port?: number;
}

/** Opens a published TCP port of a container in the browser. */
export const openInBrowserCommand = (
  ui: Ui,
): TargetCommand<BrowserArguments, { readonly outcome: 'opened' }> => ({
  id: 'gantry.containers.openInBrowser',
  kind: 'container',
  schema: { port: { kind: 'wholeNumber' } },
  fits: (container) => publishedPorts(container).length > 0,
  isForOne: true,
  progress: 'never',
  progressTitle: (name) => ui.l10n.t('Opening {0}', name),
  failureTitle: (name) => ui.l10n.t('Could not open {0} in the browser', name),
  ask: async ([target]) => askPort(ui, target),
  run: async (call) => {
    const port = call.args.port ?? (await onlyPort(call, ui.l10n));
    await ui.openExternal(`http://${hostOf(await call.connect())}:${port}`);
    return { outcome: 'opened' };
  },
});

/** Returns the host that the engine publishes ports on: the one it runs on. */
function hostOf({ endpoint }: Connection): string {
  const { transport } = endpoint;
  if (transport.kind === 'socket') return 'localhost';
  return transport.host.includes(':') ? `[${transport.host}]` : transport.host;
}

async function onlyPort(call: TargetCall<BrowserArguments>, l10n: L10n): Promise<number> {
  const { id } = await call.target();
  const options = { all: true, ids: [id] };
  const [container] = await listContainers(await call.connect(), options, call.signal);
  const ports = container ? publishedPorts(container) : [];
  if (ports.length === 1 && ports[0] !== undefined) return ports[0];
  throw new InputError(
    ports.length === 0
      ? l10n.t('{0} publishes no TCP port.', call.text)
      : l10n.t('{0} publishes several ports: {1}. Set "port".', call.text, ports.join(', ')),
  );
}

async function askPort(
  ui: Ui,
  target: CommandTarget | undefined,
): Promise<BrowserArguments | undefined> {
  const known = target?.context.inventory.containers.get(target.id);
  const container = known ?? target?.container;
  const ports = container ? publishedPorts(container) : [];
  if (ports.length < 2) return {};
  const picked = await ui.pick({
    placeholder: ui.l10n.t('Select a port'),
    items: ports.map((port) => ({ label: String(port), port })),
  });
  return picked && { port: picked.port };
}

function publishedPorts(container: Container): readonly number[] {
  const published = container.ports.filter((port: Port) => port.protocol === 'tcp');
  return [...new Set(published.flatMap(({ publicPort }) => publicPort ?? []))];
}
