import * as vscode from 'vscode';
import type { TargetCall, TargetCommand } from './command.ts';
import { nameOf } from './targets.ts';

const { l10n } = vscode;

interface Copied {
  readonly outcome: 'copied';
}
type TextOf = (call: TargetCall<object>) => Promise<string>;

const idOf: TextOf = async (call) => (await call.target()).id;

/** The commands that put something of a container or an image on the clipboard. */
export const clipboardCommands: readonly TargetCommand<object, Copied>[] = [
  copyCommand('gantry.containers.copyId', 'container', idOf),
  copyCommand('gantry.containers.copyName', 'container', async (call) =>
    nameOf(await call.target(), await call.connect(), call.signal),
  ),
  // Of an image without a name, its id is the reference.
  copyCommand('gantry.images.copyReference', 'image', idOf),
];

function copyCommand(
  id: string,
  kind: 'container' | 'image',
  textOf: TextOf,
): TargetCommand<object, Copied> {
  return {
    id,
    kind,
    shape: {},
    isForOne: true,
    progress: 'never',
    doing: (name) => l10n.t('Copying {0}', name),
    failing: (name) => l10n.t('Could not copy {0}', name),
    run: async (call) => {
      await vscode.env.clipboard.writeText(await textOf(call));
      return { outcome: 'copied' };
    },
  };
}
