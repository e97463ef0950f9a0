import * as vscode from 'vscode';
import { InputError } from '../../engine/errors.ts';
import { NoInputError } from '../../terminal/attachTerminal.ts';
import type { TerminalOwner } from '../../terminal/pty.ts';
import type { TargetCall, TargetCommand } from '../command.ts';
import { showLog } from '../logs/logsCommand.ts';
import type { CommandContext } from '../context.ts';
import { showError } from '../notifications.ts';
import { failureMessage } from '../errorMessages.ts';
import { targetName } from '../targets.ts';

const { l10n } = vscode;

interface ShellArguments {
  readonly shell?: string;
}

interface Opened {
  readonly terminal: string;
}

/** Opens a shell in a running container, in a terminal of the editor. */
export const openShellCommand: TargetCommand<ShellArguments, Opened> = {
  id: 'gantry.containers.openShell',
  kind: 'container',
  schema: { shell: { kind: 'text' } },
  fits: ({ state }) => state === 'running',
  progress: 'late',
  progressTitle: (name) => l10n.t('Opening a shell in {0}', name),
  failureTitle: (name) => l10n.t('Could not open a shell in {0}', name),
  run: async (call, { terminals }) => {
    const { shell } = call.args;
    if (shell?.trim() === '' || shell?.includes('\0') === true) {
      throw new InputError(l10n.t('The shell is empty, or no name of a program.'));
    }
    return terminals.openShell(await ownerOf(call), shell, call.signal);
  },
};

/** A user may click it on any row, for a list does not tell which containers take input. */
interface Attached extends Partial<Opened> {
  /** Why there is no terminal; only for a user, who is offered others. */
  readonly refusal?: string;
}

/** Attaches to what a running container was started for. */
export const attachCommand: TargetCommand<object, Attached> = {
  id: 'gantry.containers.attach',
  kind: 'container',
  schema: {},
  fits: ({ state }) => state === 'running',
  progress: 'late',
  progressTitle: (name) => l10n.t('Attaching to {0}', name),
  failureTitle: (name) => l10n.t('Could not attach to {0}', name),
  run: async (call, { terminals }) => {
    try {
      return await terminals.attach(await ownerOf(call), call.signal);
    } catch (error) {
      if (call.isInteractive && error instanceof NoInputError) return { refusal: error.message };
      throw error;
    }
  },
  say: ({ refusal }) => refusal,
  offers: (_attached, { id, name, context }) => [
    { title: l10n.t('Open Shell'), run: () => openShell({ id, name }, context) },
    { title: l10n.t('Show Logs'), run: () => showLog({ id, name }, context) },
  ],
};

async function openShell(owner: TerminalOwner, { terminals }: CommandContext): Promise<void> {
  try {
    await terminals.openShell(owner, undefined);
  } catch (error) {
    showError(failureMessage(openShellCommand.failureTitle(owner.name), error, l10n));
  }
}

async function ownerOf(call: TargetCall<object>): Promise<{ id: string; name: string }> {
  const target = await call.target();
  return { id: target.id, name: await targetName(target, await call.connect(), call.signal) };
}
