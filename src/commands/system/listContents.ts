import { listContainersInPods } from '../../engine/containers/listContainersInPods.ts';
import { EngineError } from '../../engine/errors.ts';
import type { Connection } from '../../engine/http/connection.ts';
import { listImages } from '../../engine/images/images.ts';
import { listNetworks } from '../../engine/networks/networks.ts';
import type { WholeDiskUse } from '../../engine/system/wholeDiskUse.ts';
import { knownDiskUse } from '../../engine/volumes/knownSizes.ts';
import { listVolumes } from '../../engine/volumes/volumes.ts';
import type { EngineContents } from './cleanupItem.ts';
import type { CleanupKind } from '../../engine/system/cleanupKinds.ts';

/** Lists what an engine has of these kinds. Asks the engine and does not use what a view shows. */
export async function listContents(
  connection: Connection,
  kinds: readonly CleanupKind[],
  signal: AbortSignal,
): Promise<EngineContents> {
  const [lists, use] = await Promise.all([
    listWithoutUse(connection, kinds, signal),
    measure(connection, kinds, signal),
  ]);
  return { ...lists, use };
}

/** Lists what an engine has without the sizes and the build cache, which take long. */
export async function listWithoutUse(
  connection: Connection,
  kinds: readonly CleanupKind[],
  signal: AbortSignal,
): Promise<Omit<EngineContents, 'use'>> {
  const has = (kind: CleanupKind): boolean => kinds.includes(kind);
  const [containers, images, volumes, networks] = await Promise.all([
    listContainersInPods(connection, signal),
    has('images') ? listImages(connection, {}, signal) : [],
    has('volumes') ? listVolumes(connection, {}, signal) : [],
    has('networks') ? listNetworks(connection, {}, signal) : [],
  ]);
  return { containers, images, volumes, networks };
}

/** Sizes are optional: an engine may refuse while it handles another such request. */
async function measure(
  connection: Connection,
  kinds: readonly CleanupKind[],
  signal: AbortSignal,
): Promise<WholeDiskUse | undefined> {
  const [first, ...others] = kinds.flatMap((kind) => (kind === 'networks' ? [] : [TYPES[kind]]));
  if (first === undefined) return undefined;
  try {
    return await knownDiskUse(connection, signal, others.length === 0 ? first : undefined);
  } catch (error) {
    if (!kinds.includes('buildCache') && error instanceof EngineError) return undefined;
    throw error;
  }
}

const TYPES = {
  containers: 'container',
  images: 'image',
  volumes: 'volume',
  buildCache: 'build-cache',
} as const;
