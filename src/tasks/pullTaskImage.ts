import type { CommandContext } from '../commands/context.ts';
import { imageToPull } from '../commands/create/createAndStart.ts';
import { startPull } from '../commands/registries/pullCommand.ts';
import type { CreateArguments } from '../engine/options/options.ts';

/**
 * Pulls the image of a task with the credentials that are found; asks for none. Joins a pull of the same image that
 * runs already.
 *
 * @param say shows what the engine says from now on.
 * @param signal stops the waiting, and with the last who waits the pull.
 */
export async function pullTaskImage(
  context: CommandContext,
  args: CreateArguments,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const pull = startPull(context, imageToPull(args), false);
  const lines = context.transfers.onDidReport(({ transfer, news }) => {
    if (transfer === pull && news.kind === 'line') say(news.line);
  });
  try {
    await pull.join(signal);
  } finally {
    lines.dispose();
  }
}
