import * as l10n from '@vscode/l10n';
import type { CommandHandler } from '../commands/frame/command.ts';
import { failureMessage } from '../commands/ui/errorMessage.ts';
import { formatName, formatNames } from '../commands/ui/formatNames.ts';
import type { CommandId, Ui } from '../commands/ui/ui.ts';
import type { LeftWork } from '../files/unfinishedWork.ts';
import type { Disposable } from '../base/lifetime.ts';

/** Says that shells in containers ended with an earlier window, in their terminals and in one message. */
export async function reportEndedShells(
  ended: readonly LeftWork[],
  ui: Pick<Ui, 'info' | 'error'>,
  parts: EndedShellParts,
): Promise<void> {
  const shells = await Promise.all(ended.map((one) => endedOne(one, ui, parts)));
  const [only] = ended;
  const names = formatNames(ended.map(({ name }) => name));
  const message =
    ended.length === 1 && only
      ? endedShell(only.name)
      : l10n.t('{0} shells ended with the window: {1}.', ended.length, names);
  const title = ended.length === 1 ? l10n.t('Reopen') : l10n.t('Reopen ({0})', ended.length);
  const run = async (): Promise<void> => {
    for (const { reopen } of shells) await reopen();
  };
  ui.info(message, { title, run });
}

/** Returns the sentence for one shell. */
export function endedShell(name: string): string {
  return l10n.t('The shell in {0} ended with the window.', formatName(name));
}

export interface EndedShellParts {
  /** Loads a command of ours. */
  readonly handlerOf: (id: CommandId) => Promise<CommandHandler>;
  /** Shows a terminal with the sentence that calls `reopen` on Enter. Returns what closes it, if it could be shown. */
  readonly showEnded?: (
    name: string,
    sentence: string,
    reopen: () => unknown,
  ) => Promise<Disposable | undefined>;
}

async function endedOne(
  { name, again }: LeftWork,
  ui: Pick<Ui, 'error'>,
  { handlerOf, showEnded }: EndedShellParts,
): Promise<{ readonly reopen: () => Promise<void> }> {
  let isOpen = false;
  const reopen = async (): Promise<void> => {
    // The message stays when the shell was opened from its terminal.
    if (isOpen) return;
    isOpen = true;
    try {
      const handler = await handlerOf('gantry.containers.openShell');
      await handler(again?.argument);
      // Only now: otherwise another terminal would come to the front in between.
      terminal?.dispose();
    } catch (error) {
      isOpen = false;
      // The message of the command has the ID of the container.
      const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
      ui.error(failureMessage(l10n.t('Could not open a shell in {0}', formatName(name)), cause));
    }
  };
  const terminal = await showEnded?.(formatName(name), endedShell(name), reopen);
  return { reopen };
}
