import * as l10n from '@vscode/l10n';
import type { Connection } from '../../engine/http/connection.ts';
import { listContainers } from '../../engine/containers/containers.ts';
import { InputError } from '../../engine/errors.ts';
import type { Container, Port } from '../../engine/model.ts';
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
  fits: (container) => publishedPorts(container).length > 0,
  isForOne: true,
  progress: 'never',
  progressTitle: (name) => l10n.t('Opening {0}', name),
  failureTitle: (name) => l10n.t('Could not open {0} in the browser', name),
  ask: async ([target]) => askPort(ui, target),
  run: async (call) => {
    const { id } = await call.target();
    const connection = await call.connect();
    const [container] = await listContainers(connection, { all: true, ids: [id] }, call.signal);
    const ports = container ? publishedPorts(container) : [];
    const port = call.args.port ?? onlyPort(ports, call.text);
    await ui.openExternal(`http://${hostOf(ports, port, connection)}:${port}`);
    return { outcome: 'opened' };
  },
});

/** Returns the host of a URL: the address that a port is bound to, or else the host that the engine runs on. */
function hostOf(ports: readonly Port[], port: number, { endpoint }: Connection): string {
  const { transport } = endpoint;
  const engine = transport.kind === 'socket' ? 'localhost' : transport.host;
  const host = boundAddress(ports, port) ?? engine;
  return host.includes(':') ? `[${host}]` : host;
}

/** Returns the address that a port is bound to; undefined if it is bound to all addresses, or to `localhost`. */
function boundAddress(ports: readonly Port[], port: number): string | undefined {
  const bound = ports.filter(({ publicPort }) => publicPort === port).map(({ ip = '' }) => ip);
  return bound.some((ip) => ALL_OR_LOCAL.has(ip)) ? undefined : bound[0];
}

const ALL_OR_LOCAL: ReadonlySet<string> = new Set(['', '0.0.0.0', '::', '127.0.0.1', '::1']);

function onlyPort(ports: readonly Port[], name: string): number {
  const numbers = numbersOf(ports);
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
  const ports = container ? numbersOf(publishedPorts(container)) : [];
  if (ports.length < 2) return {};
  const picked = await ui.pick({
    title: ui.commandTitle('gantry.containers.openInBrowser'),
    placeholder: l10n.t('Select a port'),
    items: ports.map((port) => ({ label: String(port), port })),
  });
  return picked && { port: picked.port };
}

function publishedPorts({ ports }: Container): readonly Port[] {
  return ports.filter(({ protocol, publicPort }) => protocol === 'tcp' && publicPort !== undefined);
}

function numbersOf(ports: readonly Port[]): readonly number[] {
  return [...new Set(ports.flatMap(({ publicPort }) => publicPort ?? []))];
}
