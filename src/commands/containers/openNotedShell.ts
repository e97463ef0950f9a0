import * as l10n from '@vscode/l10n';
import type { ContainerDetails } from '../../engine/containers/containerDetails.ts';
import type { Connection } from '../../engine/http/connection.ts';
import { sameEngineOnly } from '../../engine/http/sameEngineOnly.ts';
import type { TerminalOwner } from '../../output/terminal/pty.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { failureMessage } from '../ui/errorMessage.ts';
import { formatName } from '../ui/formatNames.ts';
import type { OpenShellOptions } from './openShellOptions.ts';
import { findShellOwner, shellServiceOf, type ShellOwner } from './findShellOwner.ts';

interface Opened {
  readonly terminal: string;
}

/**
 * Opens a shell, and remembers it until it ends: it ends with the window, too. Once it has ended with its container, the
 * user can open one in what is in the place of the container then.
 */
export async function openNotedShell(
  owner: TerminalOwner & Partial<ShellOwner>,
  options: OpenShellOptions,
  context: CommandContext,
  signal?: AbortSignal,
): Promise<Opened> {
  const note = await beginNote(owner, options, context, signal);
  const whenOver = (): Promise<void> => {
    note?.[Symbol.dispose]();
    return Promise.resolve();
  };
  const { shell, ...others } = options;
  try {
    const terminals = await context.terminals();
    return await terminals.openShell(owner, shell, signal, {
      ...others,
      whenOver,
      greeting: owner.isReplacement ? replacementMessage(owner) : undefined,
      reopen: (container, connection) => reopen({ owner, options, context }, container, connection),
    });
  } catch (error) {
    await whenOver();
    throw error;
  }
}

/** Remembers a shell until the result is disposed. */
async function beginNote(
  { id, name }: TerminalOwner,
  { shell, user, workingDir }: OpenShellOptions,
  { window, titleOf, unit, engine, inventory }: CommandContext,
  signal: AbortSignal | undefined,
): Promise<Disposable | undefined> {
  const { endpoint } = await engine.connect(signal);
  const known = inventory.containers.get(id);
  const service = known && shellServiceOf(known, endpoint.url);
  // Without the variables: this is stored unencrypted, and they can be secrets.
  const argument = {
    id,
    engine: unit.name,
    ...(shell !== undefined && { shell }),
    ...(user !== undefined && { user }),
    ...(workingDir !== undefined && { workingDir }),
    ...(service && { service }),
  };
  const again = { command: 'gantry.containers.openShell', argument };
  return window.work?.begin({ kind: 'shell', name: titleOf(name), again });
}

interface EndedShell {
  readonly owner: TerminalOwner;
  readonly options: OpenShellOptions;
  readonly context: CommandContext;
}

/**
 * Opens a shell again.
 *
 * @param container as it was.
 * @param connection the engine that it was on.
 * @returns why that is not possible.
 */
async function reopen(
  { owner, options, context }: EndedShell,
  container: ContainerDetails,
  connection: Connection,
): Promise<string | undefined> {
  try {
    const connect = sameEngineOnly(connection, (signal) => context.engine.connect(signal));
    const was = shellServiceOf(container, connection.endpoint.url);
    const now = await findShellOwner(await connect(), owner.id, was);
    await openNotedShell(now, options, context);
    return undefined;
  } catch (error) {
    const title = l10n.t('Could not open a shell in {0}', formatName(owner.name));
    return failureMessage(title, error);
  }
}

function replacementMessage({ id, name }: TerminalOwner): string {
  return l10n.t(
    'This shell is in {0} ({1}), which has replaced the earlier container.',
    formatName(name),
    id.slice(0, 12),
  );
}
