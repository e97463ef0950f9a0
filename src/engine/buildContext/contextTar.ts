import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { NewEntry } from '../archive/writeTar.ts';
import type { BuildRequest } from '../builds/model.ts';
import { readIgnoreFile } from './ignoreFile.ts';
import { walkContext, type ContextEntry } from './walkContext.ts';

/**
 * Returns the files of a build that are not ignored, for engines that take them as a tar. The ignore file beside the
 * Dockerfile takes the place of that of the context.
 *
 * @throws ContextError.
 */
export async function* tarContext(
  { context, dockerfile }: Pick<BuildRequest, 'context' | 'dockerfile'>,
  signal: AbortSignal,
): AsyncGenerator<NewEntry> {
  const own = await textOf(`${dockerfile}.dockerignore`);
  const text = own ?? (await textOf(join(context, '.dockerignore'))) ?? '';
  for await (const entry of walkContext(context, { excludes: readIgnoreFile(text) }, signal)) {
    if (entry.kind !== 'pipe') yield entryOf(context, entry, entry.kind);
  }
}

function entryOf(
  context: string,
  { path, mode, size, modifiedAt, target }: ContextEntry,
  kind: NewEntry['kind'],
): NewEntry {
  const entry = {
    name: path,
    kind,
    permissions: mode & 0o7777,
    uid: 0,
    gid: 0,
    modifiedAt: Number(modifiedAt / 1_000_000n),
  };
  if (kind === 'link') return { ...entry, ...(target !== undefined && { linkTarget: target }) };
  if (kind === 'folder') return entry;
  // Exactly as many bytes as were announced, should the file grow.
  const open = () => createReadStream(join(context, path), size > 0 ? { end: size - 1 } : {});
  return { ...entry, size, ...(size > 0 && { open }) };
}

async function textOf(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined);
}
