import { oneLine } from '../../base/plainText.ts';
import { openArchive, readArchive, writeArchive, type ArchiveRoot } from '../archive/archive.ts';
import { PathKindError } from '../archive/pathStat.ts';
import { readFirstEntry } from '../archive/readTar.ts';
import { writeTar, type NewEntry } from '../archive/writeTar.ts';
import { InputError, unlessNotFound } from '../errors.ts';
import type { Connection } from '../http/connection.ts';
import { checkNoMount } from './checkNoMount.ts';
import { FileReadOnlyError, PathExistsError } from './fileErrors.ts';
import type { ContainerOrVolume } from './fileTools.ts';
import { judgeWrite } from './judgeWrite.ts';
import { resolveParents, splitLast } from './resolveParents.ts';

/**
 * Copies a file, a link itself, or a folder by the archive of an engine that keeps owners there. Never replaces anything.
 *
 * @param to a path in the same folder.
 * @throws PathExistsError, FileReadOnlyError, PathKindError; InputError; EngineError, also after a part was copied.
 */
export async function copyByArchive(
  connection: Connection,
  root: ArchiveRoot,
  owner: ContainerOrVolume,
  { path, to }: { readonly path: string; readonly to: string },
  signal?: AbortSignal,
): Promise<{ readonly path: string; readonly to: string }> {
  const source = await resolveParents(connection, root, path, signal);
  const target = await resolveParents(connection, root, to, signal);
  if (target.stat) throw new PathExistsError(to);
  if (target.path.startsWith(`${source.path}/`))
    throw InputError.of('{0} cannot be copied into itself.', oneLine(source.path, 200));
  await checkNoMount(connection, owner, source.path, signal);
  const { reason, mount } = await judgeWrite(connection, root, target.path, {}, signal);
  if (reason) throw new FileReadOnlyError(to, reason, mount?.target);
  const { folder, name } = splitLast(target.path);
  const first = readArchive(connection, root, source.path, signal, readFirstEntry);
  for await (const { kind, size, contents, linkTarget, modifiedAt, owner: own } of first) {
    if (kind === 'other' || kind === 'hardLink') throw new PathKindError(path, 'other');
    const entry: NewEntry = {
      name,
      kind,
      permissions: own?.mode ?? 0o644,
      uid: own?.uid ?? 0,
      gid: own?.gid ?? 0,
      modifiedAt,
      ...(kind === 'file' && { size, open: () => contents }),
      ...(kind === 'link' && { linkTarget }),
    };
    await writeArchive(connection, root, folder, () => writeTar([entry]), signal);
    if (kind === 'folder') {
      const tar = await openArchive(connection, root, `${source.path}/.`, signal);
      await writeArchive(connection, root, target.path, () => tar, signal);
    }
    break;
  }
  const now = await unlessNotFound(resolveParents(connection, root, to, signal));
  if (now?.path === target.path && now.stat) return { path: source.path, to: target.path };
  throw InputError.of('{0} is not where it was created.', oneLine(target.path, 200));
}
