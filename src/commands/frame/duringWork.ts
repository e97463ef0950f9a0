import type { WorkNote } from '../../files/unfinishedWork.ts';
import type { CommandContext } from './commandContext.ts';

/** Runs long work, and remembers it meanwhile in case that the window ends first. */
export function duringWork<T>(
  { work }: Pick<CommandContext, 'work'>,
  note: WorkNote,
  run: () => Promise<T>,
): Promise<T> {
  return work ? work.during(note, run) : run();
}
