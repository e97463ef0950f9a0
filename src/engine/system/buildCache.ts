import type { Connection } from '../http/connection.ts';
import { asId, asLine, asList, asMoment, asNumber, asRecord, asTexts } from '../wire/wire.ts';
import { requestDiskUse } from './system.ts';

export interface CacheRecord {
  readonly id: string;
  /** `regular`, `source.local`, `exec.cachemount`, `internal`, `frontend`, or another type of the engine. */
  readonly type: string;
  /** Which build step made it. */
  readonly description: string;
  /** In bytes. */
  readonly size: number;
  /** Whether a build uses it now. */
  readonly isInUse: boolean;
  /** Whether an image has the same layer, so that removing the record reclaims nothing. */
  readonly isShared: boolean;
  /** IDs of the records that it is based on. */
  readonly parents: readonly string[];
  /** ISO 8601: the last use, or the creation if it was not used since; empty if unknown. */
  readonly usedAt: string;
}

/** Whether a record is removed without an explicit request for all: it can be made again by a build alone. */
export function isPlainCache({ isShared, type }: CacheRecord): boolean {
  return !isShared && type !== 'internal' && type !== 'frontend';
}

/** Lists the build cache: `GET /system/df`. Empty if the engine has none. */
export async function listBuildCache(
  connection: Connection,
  signal?: AbortSignal,
): Promise<readonly CacheRecord[]> {
  return readBuildCache(await requestDiskUse(connection, 'build-cache', signal));
}

/** Reads the records of `GET /system/df`, in the format of old or new API versions. */
export function readBuildCache(value: unknown): readonly CacheRecord[] {
  const wire = asRecord(value);
  const list = asList(wire['BuildCache'] ?? asRecord(wire['BuildCacheUsage'])['Items']);
  return list.map(asRecord).flatMap(readRecord);
}

function readRecord(wire: Readonly<Record<string, unknown>>): readonly CacheRecord[] {
  const id = asId(wire['ID']);
  if (id === '') return [];
  // Docker 28 writes the key with a leading space, 20.10 has one parent.
  const parents = asTexts(wire['Parents'] ?? wire[' Parents'] ?? [wire['Parent']]);
  return [
    {
      id,
      type: asLine(wire['Type']),
      description: asLine(wire['Description']),
      size: Math.max(0, asNumber(wire['Size']) ?? 0),
      isInUse: wire['InUse'] === true,
      isShared: wire['Shared'] === true,
      parents: parents.map(asId).filter((parent) => parent !== ''),
      usedAt: asMoment(wire['LastUsedAt']) || asMoment(wire['CreatedAt']),
    },
  ];
}

/** Removes one record: `POST /build/prune`. The engine keeps it if a build uses it or another record is based on it. */
export async function removeCacheRecord(
  connection: Connection,
  id: string,
  signal?: AbortSignal,
): Promise<{ readonly outcome: 'removed' | 'kept' }> {
  // The filter is a regular expression. `asId` lets no special character pass.
  const filters = JSON.stringify({ id: [`^${id}$`] });
  const reply = await connection.send({
    method: 'POST',
    path: '/build/prune',
    query: { all: true, filters },
    limitMs: 0,
    signal,
  });
  const deleted = asTexts(asRecord(reply.json())['CachesDeleted']);
  return { outcome: deleted.includes(id) ? 'removed' : 'kept' };
}
