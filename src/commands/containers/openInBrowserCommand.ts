import * as vscode from 'vscode';
import type { Connection } from '../../engine/http/connection.ts';
import { listContainers } from '../../engine/containers/containers.ts';
import { InputError } from '../../engine/errors.ts';
import type { Container, Port } from '../../engine/model.ts';
import type { TargetCall, TargetCommand } from '../command.ts';
import type { CommandTarget } from '../targets.ts';

const { l10n } = vscode;

interface BrowserArguments {
  /** The published port; needed where there are several. */
  readonly port?: number;
}

/** Opens a published TCP port of a container in the browser. */
export const openInBrowserCommand: TargetCommand<BrowserArguments, { readonly outcome: 'opened' }> =
  {
    id: 'gantry.containers.openInBrowser',
    kind: 'container',
    schema: { port: { kind: 'wholeNumber' } },
    fits: (container) => publishedPorts(container).length > 0,
    isForOne: true,
    progress: 'never',
    progressTitle: (name) => l10n.t('Opening {0}', name),
    failureTitle: (name) => l10n.t('Could not open {0} in the browser', name),
    ask: async ([target]) => askPort(target),
    run: async (call) => {
      const port = call.args.port ?? (await onlyPort(call));
      // In a remote window the editor forwards the port and says where it is then.
      const published = vscode.Uri.parse(`http://${hostOf(await call.connect())}:${port}`);
      await vscode.env.openExternal(await vscode.env.asExternalUri(published));
      return { outcome: 'opened' };
    },
  };

/** Where the engine publishes ports: on its own machine. */
function hostOf({ endpoint }: Connection): string {
  const { transport } = endpoint;
  if (transport.kind === 'socket') return 'localhost';
  return transport.host.includes(':') ? `[${transport.host}]` : transport.host;
}

async function onlyPort(call: TargetCall<BrowserArguments>): Promise<number> {
  const { id } = await call.target();
  const options = { all: true, ids: [id] };
  const [container] = await listContainers(await call.connect(), options, call.signal);
  const ports = container ? publishedPorts(container) : [];
  if (ports.length === 1 && ports[0] !== undefined) return ports[0];
  throw new InputError(
    ports.length === 0
      ? l10n.t('{0} publishes no TCP port.', call.text)
      : l10n.t('{0} publishes several ports: {1}. Say which.', call.text, ports.join(', ')),
  );
}

async function askPort(target: CommandTarget | undefined): Promise<BrowserArguments | undefined> {
  const known = target?.context.inventory.containers.get(target.id);
  const container = known ?? target?.container;
  const ports = container ? publishedPorts(container) : [];
  if (ports.length < 2) return {};
  const picked = await vscode.window.showQuickPick(ports.map(String), {
    placeHolder: l10n.t('Choose a port'),
  });
  return picked === undefined ? undefined : { port: Number(picked) };
}

function publishedPorts(container: Container): readonly number[] {
  const published = container.ports.filter((port: Port) => port.protocol === 'tcp');
  return [...new Set(published.flatMap(({ publicPort }) => publicPort ?? []))];
}
