import { createHash } from 'node:crypto';
import { readArchive, type ArchiveRoot } from '../archive/archive.ts';
import { PathKindError } from '../archive/pathStat.ts';
import { readFirstEntry, type TarOwner } from '../archive/readTar.ts';
import { EngineError } from '../errors.ts';
import type { Connection } from '../http/connection.ts';
import type { ByteStore } from '../wire/byteStore.ts';

/**
 * Returns the hash and the owner of a file.
 *
 * @param store gets the contents.
 * @throws PathKindError; EngineError.
 */
export async function readHash(
  connection: Connection,
  root: ArchiveRoot,
  path: string,
  signal?: AbortSignal,
  store?: ByteStore,
): Promise<HashedFile> {
  for await (const { kind, size, owner, contents } of readArchive(
    connection,
    root,
    path,
    signal,
    readFirstEntry,
  )) {
    if (kind !== 'file') throw new PathKindError(path, kind === 'hardLink' ? 'other' : kind);
    const hash = createHash('sha256');
    for await (const piece of contents) {
      hash.update(piece);
      store?.add(piece);
    }
    return { hash: hash.digest('hex'), size, owner };
  }
  throw new EngineError('badAnswer', { endpoint: connection.endpoint.url });
}

/** What a file is known by. */
export interface HashedFile {
  readonly hash: string;
  readonly size: number;
  readonly owner: TarOwner | undefined;
}

/** Returns the hash that a file is known by: SHA-256, in hexadecimal. */
export function hashOf(contents: Uint8Array): string {
  return createHash('sha256').update(contents).digest('hex');
}
