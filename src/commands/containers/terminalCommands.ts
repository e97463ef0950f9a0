import * as l10n from '@vscode/l10n';
import { NoInputError, type TerminalOwner } from '../../output/terminal/pty.ts';
import type { TargetCall, TargetCommand } from '../frame/command.ts';
import { showLog } from '../logs/logsCommand.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { failureMessage } from '../ui/errorMessage.ts';
import { targetName } from '../frame/targets.ts';
import { openNotedShell } from './openNotedShell.ts';
import { checkShellOptions, SHELL_SCHEMA, type OpenShellOptions } from './openShellOptions.ts';
import { findShellOwner, isShellService, type ShellService } from './findShellOwner.ts';

interface OpenShellArguments extends OpenShellOptions {
  /** The service of the container, in case that it was replaced. */
  readonly service?: ShellService;
}

interface Opened {
  readonly terminal: string;
}

/** Opens a shell in a running container, in a VS Code terminal. */
export const openShellCommand = (): TargetCommand<OpenShellArguments, Opened> => ({
  id: 'gantry.containers.openShell',
  on: 'container',
  schema: {
    ...SHELL_SCHEMA,
    service: { kind: { check: isShellService, expected: l10n.t('a service') } },
  },
  fits: ({ state }) => state === 'running',
  progress: 'late',
  progressTitle: (name) => l10n.t('Opening a shell in {0}', name),
  failureTitle: (name) => l10n.t('Could not open a shell in {0}', name),
  run: async (call, context) => {
    const { service, ...options } = call.args;
    checkShellOptions(options);
    const owner = service
      ? await findShellOwner(await call.connect(), call.text, service, call.signal)
      : await ownerOf(call);
    return openNotedShell(owner, options, context, call.signal);
  },
});

/**
 * The result of Attach. The command is offered on any row, because a container list does not show which
 * containers have STDIN open.
 */
interface Attached extends Partial<Opened> {
  /** Why there is no terminal. Only if the user ran the command, who is offered alternatives. */
  readonly refusal?: string;
}

/** Attaches to the main process of a running container. */
export const attachCommand = (): TargetCommand<object, Attached> => ({
  id: 'gantry.containers.attach',
  on: 'container',
  fits: ({ state }) => state === 'running',
  progress: 'late',
  progressTitle: (name) => l10n.t('Attaching to {0}', name),
  failureTitle: (name) => l10n.t('Could not attach to {0}', name),
  run: async (call, { terminals }) => {
    try {
      const owner = await ownerOf(call);
      return await (await terminals()).attach(owner, call.signal);
    } catch (error) {
      if (call.isInteractive && error instanceof NoInputError) return { refusal: error.message };
      throw error;
    }
  },
  message: ({ refusal }) => refusal,
  offers: (_attached, { id, name, context }) => [
    { title: l10n.t('Open Shell'), run: () => openShell({ id, name }, context) },
    { title: l10n.t('Show Logs'), run: () => showLog({ id, name }, context) },
  ],
});

async function openShell(owner: TerminalOwner, context: CommandContext): Promise<void> {
  try {
    await openNotedShell(owner, {}, context);
  } catch (error) {
    context.ui.error(failureMessage(openShellCommand().failureTitle(owner.name), error));
  }
}

async function ownerOf(call: TargetCall<object>): Promise<{ id: string; name: string }> {
  const target = await call.target();
  return { id: target.id, name: await targetName(target, await call.connect(), call.signal) };
}
