import { newPartToken, sightOf } from '../../base/writeAtomically.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import type { CommandId } from '../ui/ui.ts';
import { withFileErrors } from './archiveFiles.ts';

/**
 * Writes a file, and notes meanwhile how to run the command again and what is left of the file if the window ends first.
 *
 * @param write gets the token of its unfinished file.
 * @throws MessageError for an error of the file system; errors of `write`.
 */
export async function writeNoted<T>(
  { window, unit }: CommandContext,
  { kind, name, path, overwrite, command, argument }: NotedFile,
  write: (token: string) => Promise<T>,
): Promise<T> {
  const token = newPartToken();
  const replaces = overwrite ? await sightOf(path) : undefined;
  using _note = window.work?.begin({
    kind,
    name,
    file: { path, token, ...(replaces !== undefined && { replaces }) },
    again: { command, argument: { ...argument, path, overwrite, engine: unit.name } },
  });
  return await withFileErrors(path, () => write(token));
}

interface NotedFile {
  readonly kind: 'export' | 'save';
  /** What is written. */
  readonly name: string;
  readonly path: string;
  readonly overwrite: boolean;
  readonly command: CommandId;
  /** What the command is called with besides the file and the engine. */
  readonly argument: object;
}
