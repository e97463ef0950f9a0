import type { CommandContext } from '../commands/context.ts';
import { imageToPull } from '../commands/create/createAndStart.ts';
import { MessageError } from '../commands/errorMessages.ts';
import { startPull } from '../commands/registries/pullCommand.ts';
import type { Connection } from '../engine/http/connection.ts';
import type { CreateArguments } from '../engine/options/options.ts';
import type { L10n } from '../l10n.ts';
import { isCancellation } from '../lifetime.ts';

/**
 * Pulls the image of a task with the credentials that are found; asks for none. Joins a pull of the same image that
 * runs already.
 *
 * @param say shows what the engine says from now on.
 * @param signal stops the waiting, and with the last who waits the pull.
 * @throws MessageError if the pull is canceled elsewhere; else as `pullImage`.
 */
export async function pullTaskImage(
  { context, connect, args }: TaskImage,
  say: (line: string) => void,
  signal: AbortSignal,
  l10n: L10n,
): Promise<void> {
  const pull = startPull(context, imageToPull(args), false, connect);
  const lines = context.transfers.onDidReport(({ transfer, news }) => {
    if (transfer === pull && news.kind === 'line') say(news.line);
  });
  try {
    await pull.join(signal);
  } catch (error) {
    if (isCancellation(error) && !signal.aborted)
      throw new MessageError(l10n.t('The pull of {0} was canceled.', args.image));
    throw error;
  } finally {
    lines.dispose();
  }
}

/** Whose image a task needs, and how the task's own engine is reached: never another one at its address. */
export interface TaskImage {
  readonly context: CommandContext;
  readonly connect: (signal: AbortSignal) => Promise<Connection>;
  readonly args: CreateArguments;
}
