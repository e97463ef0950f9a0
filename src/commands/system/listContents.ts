import { listContainers } from '../../engine/containers/containers.ts';
import { EngineError } from '../../engine/errors.ts';
import type { Connection } from '../../engine/http/connection.ts';
import { listImages } from '../../engine/images/images.ts';
import { listNetworks } from '../../engine/networks/networks.ts';
import { wholeDiskUse, type WholeDiskUse } from '../../engine/system/wholeDiskUse.ts';
import { listVolumes } from '../../engine/volumes/volumes.ts';
import type { CleanupKind, EngineContents } from './cleanupItem.ts';

/** Lists what an engine has of these kinds. Asks the engine and does not use what a view shows. */
export async function listContents(
  connection: Connection,
  kinds: readonly CleanupKind[],
  signal: AbortSignal,
): Promise<EngineContents> {
  const has = (kind: CleanupKind): boolean => kinds.includes(kind);
  const isMeasured = kinds.some((kind) => kind !== 'networks');
  const [containers, images, volumes, networks, use] = await Promise.all([
    listContainers(connection, { all: true }, signal),
    has('images') ? listImages(connection, {}, signal) : [],
    has('volumes') ? listVolumes(connection, {}, signal) : [],
    has('networks') ? listNetworks(connection, {}, signal) : [],
    isMeasured ? measure(connection, has('buildCache'), signal) : undefined,
  ]);
  return { containers, images, volumes, networks, use };
}

/** Sizes are optional: an engine may refuse while it handles another such request. */
function measure(
  connection: Connection,
  isRequired: boolean,
  signal: AbortSignal,
): Promise<WholeDiskUse | undefined> {
  return wholeDiskUse(connection, signal).catch((error: unknown) => {
    if (!isRequired && error instanceof EngineError) return undefined;
    throw error;
  });
}
