import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { NewEntry } from '../archive/writeTar.ts';
import type { BuildRequest } from '../builds/model.ts';
import { ContextError } from './contextError.ts';
import { readIgnoreFile } from './readIgnoreFile.ts';
import { readContextFile } from './readContextFile.ts';
import { walkContext } from './walkContext.ts';

/**
 * Yields the files of a context that are not ignored, for a tar. A file with several names is packed once for each.
 *
 * @throws ContextError for what cannot be packed; the reason of the signal.
 */
export async function* packContext(
  { context, dockerfile }: Pick<BuildRequest, 'context' | 'dockerfile'>,
  signal: AbortSignal,
): AsyncGenerator<NewEntry> {
  const text =
    (await textOf(`${dockerfile}.dockerignore`)) ?? (await textOf(join(context, '.dockerignore')));
  const excludes = text === undefined ? [] : readIgnoreFile(text);
  for await (const entry of walkContext(context, { excludes }, signal)) {
    const { path, kind, mode, size, modifiedAt, target } = entry;
    const own = { name: path, permissions: mode, modifiedAt: Number(modifiedAt / 1_000_000n) };
    if (kind === 'file')
      yield { ...own, kind, size, open: () => readContextFile(context, path, size) };
    else if (kind === 'link') yield { ...own, kind, linkTarget: target ?? '' };
    else if (kind === 'folder') yield { ...own, kind };
  }
}

/** An ignore file is read as a whole. In bytes. */
const IGNORE_LIMIT = 1024 * 1024;

/** Returns the text of an ignore file; undefined if there is none. @throws ContextError. */
export async function textOf(path: string): Promise<string | undefined> {
  try {
    const text = await readFile(path, 'utf8');
    if (text.length > IGNORE_LIMIT) throw new ContextError('tooMany', path);
    return text;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error instanceof ContextError ? error : new ContextError('unreadable', path, error);
  }
}
