import { readArchive, type ArchiveRoot } from '../archive/archive.ts';
import { unlessNotFound } from '../errors.ts';
import type { Connection } from '../http/connection.ts';

/** Counts what is in a folder, without the folder itself, for a few seconds at most. @throws EngineError. */
export async function measureFolder(
  connection: Connection,
  root: ArchiveRoot,
  path: string,
  signal?: AbortSignal,
): Promise<FolderSize> {
  const late = AbortSignal.timeout(LIMIT_MS);
  const either = signal ? AbortSignal.any([signal, late]) : late;
  let files = 0;
  let folders = 0;
  let bytes = 0;
  const count = async (): Promise<boolean> => {
    for await (const { name, kind, size } of readArchive(connection, root, `${path}/.`, either)) {
      const isInside = name.split('/').some((part) => part !== '' && part !== '.');
      if (isInside && kind === 'folder') folders += 1;
      else if (isInside) files += 1;
      bytes += size;
      if (files + folders >= MOST_ENTRIES) return false;
    }
    return true;
  };
  try {
    // What is in a mount in memory is not in every archive.
    const isWhole = (await unlessNotFound(count())) ?? false;
    return { files, folders, bytes, isWhole };
  } catch (error) {
    if (!late.aborted || signal?.aborted) throw error;
    return { files, folders, bytes, isWhole: false };
  }
}

/** What is in a folder. */
export interface FolderSize {
  readonly files: number;
  readonly folders: number;
  readonly bytes: number;
  /** False if there is more: reading stopped. */
  readonly isWhole: boolean;
}

/** A count that takes longer is not worth the wait. */
const LIMIT_MS = 4000;
const MOST_ENTRIES = 50_000;
