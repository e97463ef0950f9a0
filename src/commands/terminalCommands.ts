import * as vscode from 'vscode';
import { InputError } from '../engine/errors.ts';
import type { TargetCall, TargetCommand } from './command.ts';
import { nameOf } from './targets.ts';

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
  shape: { shell: { kind: 'text' } },
  fits: ({ state }) => state === 'running',
  progress: 'late',
  doing: (name) => l10n.t('Opening a shell in {0}', name),
  failing: (name) => l10n.t('Could not open a shell in {0}', name),
  run: async (call, { terminals }) => {
    const { shell } = call.args;
    if (shell?.trim() === '' || shell?.includes('\0') === true) {
      throw new InputError(l10n.t('The shell is empty, or no name of a program.'));
    }
    return terminals.openShell(await ownerOf(call), shell, call.signal);
  },
};

/** Attaches to what a running container was started for. */
export const attachCommand: TargetCommand<object, Opened> = {
  id: 'gantry.containers.attach',
  kind: 'container',
  shape: {},
  fits: ({ state }) => state === 'running',
  progress: 'late',
  doing: (name) => l10n.t('Attaching to {0}', name),
  failing: (name) => l10n.t('Could not attach to {0}', name),
  run: async (call, { terminals }) => terminals.attach(await ownerOf(call), call.signal),
};

async function ownerOf(call: TargetCall<object>): Promise<{ id: string; name: string }> {
  const target = await call.target();
  return { id: target.id, name: await nameOf(target, await call.connect(), call.signal) };
}
