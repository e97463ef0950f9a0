import type { Connection } from '../http/connection.ts';
import { asId, asList, asNumber, asRecord } from '../wire/wire.ts';
import { readBuildCache, type CacheRecord } from './buildCache.ts';
import {
  readDiskUse,
  readVolumeSizes,
  requestDiskUse,
  type DiskUse,
  type DiskUseType,
} from './system.ts';

/** Disk usage of everything that an engine stores, as far as it reports it. */
export interface WholeDiskUse {
  readonly images: DiskUse;
  /** Sizes of the writable layers in bytes, by container ID. */
  readonly containers: ReadonlyMap<string, number>;
  /** In bytes, by name. A volume is missing if the engine does not know its size. */
  readonly volumes: ReadonlyMap<string, number>;
  readonly buildCache: readonly CacheRecord[];
}

/**
 * Reads the disk usage of images, containers, volumes and the build cache: `GET /system/df`. Expensive on every
 * engine, so call it only on demand by the user.
 *
 * @param type the only kind that is needed; some engines report the others, too.
 */
export async function wholeDiskUse(
  connection: Connection,
  signal?: AbortSignal,
  type?: DiskUseType,
): Promise<WholeDiskUse> {
  const value = await requestDiskUse(connection, type, signal);
  return {
    images: readDiskUse(value),
    containers: readContainerSizes(value),
    volumes: readVolumeSizes(value),
    buildCache: readBuildCache(value),
  };
}

/** Reads the sizes in the format of old or new API versions. */
function readContainerSizes(value: unknown): ReadonlyMap<string, number> {
  const wire = asRecord(value);
  const usage = asRecord(wire['ContainersUsage'] ?? wire['ContainerUsage']);
  const list = asList(wire['Containers'] ?? usage['Items']).map(asRecord);
  const sizes = list.flatMap((one): (readonly [string, number])[] => {
    const id = asId(one['Id']);
    // Docker omits 0.
    return id === '' ? [] : [[id, Math.max(0, asNumber(one['SizeRw']) ?? 0)]];
  });
  return new Map(sizes);
}
