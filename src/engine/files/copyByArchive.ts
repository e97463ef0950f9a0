import { oneLine } from '../../base/plainText.ts';
import { openArchive, readArchive, writeArchive, type ArchiveRoot } from '../archive/archive.ts';
import { PathKindError } from '../archive/pathStat.ts';
import { readFirstEntry } from '../archive/readTar.ts';
import { spooled } from '../archive/spooled.ts';
import { writeTar, type NewEntry } from '../archive/writeTar.ts';
import { InputError, unlessNotFound } from '../errors.ts';
import type { Connection } from '../http/connection.ts';
import { missing } from './actInside.ts';
import { checkNoMount, type ContainerOrVolume } from './checkNoMount.ts';
import { FileReadOnlyError, PathExistsError } from './fileErrors.ts';
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
  await using first = await readFirst(connection, root, source.path, name, signal);
  await writeArchive(connection, root, folder, () => writeTar([first.entry]), signal);
  if (first.entry.kind === 'folder') {
    const tar = await openArchive(connection, root, `${source.path}/.`, signal);
    await using inside = await spooled(tar);
    await writeArchive(connection, root, target.path, inside.read, signal);
  }
  const now = await unlessNotFound(resolveParents(connection, root, to, signal));
  if (now?.path === target.path && now.stat) return { path: source.path, to: target.path };
  throw InputError.of('{0} is not where it was created.', oneLine(target.path, 200));
}

interface First extends AsyncDisposable {
  readonly entry: NewEntry;
}

/** Reads a file, a link or a folder itself. The archive is closed before the engine gets another one. */
async function readFirst(
  connection: Connection,
  root: ArchiveRoot,
  path: string,
  name: string,
  signal: AbortSignal | undefined,
): Promise<First> {
  for await (const one of readArchive(connection, root, path, signal, readFirstEntry)) {
    const { kind, size, linkTarget, modifiedAt, owner, contents } = one;
    if (kind === 'other' || kind === 'hardLink') throw new PathKindError(path, 'other');
    const kept = kind === 'file' ? await spooled(contents) : undefined;
    const entry: NewEntry = {
      name,
      kind,
      permissions: owner?.mode ?? 0o644,
      uid: owner?.uid ?? 0,
      gid: owner?.gid ?? 0,
      modifiedAt,
      ...(kept && { size, open: kept.read }),
      ...(kind === 'link' && { linkTarget }),
    };
    return { entry, [Symbol.asyncDispose]: async () => kept?.[Symbol.asyncDispose]() };
  }
  throw missing(connection, path);
}
