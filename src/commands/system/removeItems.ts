import * as l10n from '@vscode/l10n';
import { removeStopped } from '../../engine/containers/removeStopped.ts';
import { failedWith } from '../../engine/errors.ts';
import type { Connection } from '../../engine/http/connection.ts';
import { listUsedImages, removeUnusedImage } from '../../engine/system/removeUnusedImage.ts';
import { removeNetwork } from '../../engine/networks/networkOperations.ts';
import {
  listBuildCache,
  removeCacheRecord,
  type CacheRecord,
} from '../../engine/system/buildCache.ts';
import type { DiskUse } from '../../engine/system/system.ts';
import { removeVolume } from '../../engine/volumes/removeVolume.ts';
import { VolumeChangedError, VolumeInUseError } from '../../engine/volumes/volumeErrors.ts';
import { once } from '../../base/lifetime.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { errorMessage, keptImageMessage } from '../ui/errorMessage.ts';
import type { CleanupItem } from './cleanupItem.ts';
import { measureReclaimed } from './formatReclaimed.ts';

/**
 * Removes items one after the other. Each is looked at again right before. Rows show it in the meantime.
 *
 * @throws the first error that is not of one item alone. What was removed until then is in `removal`.
 */
export async function removeItems(
  { activity, inventory }: CommandContext,
  { connection, items, removal, volumes = false, use, onItem }: RemovalBatch,
  signal: AbortSignal,
): Promise<void> {
  const work: Work = {
    connection,
    volumes,
    signal,
    usedImages: once(() => listUsedImages(connection, signal)),
    cache: once(() => listBuildCache(connection, signal)),
  };
  try {
    for (const [index, item] of items.entries()) {
      signal.throwIfAborted();
      onItem?.(item, index);
      const busy = activity.begin(item.id, 'removing');
      try {
        const why = await tryRemove(item, work);
        if (why === undefined) removal.removed.push(item);
        else removal.kept.set(item, why);
      } finally {
        busy.dispose();
      }
    }
    if (use) removal.freed = await measureReclaimed(connection, removal.removed, use, signal);
  } finally {
    // Not every engine sends events of these.
    inventory.volumes.markStale();
    inventory.networks.markStale();
  }
}

/** Items to remove, and their results. */
interface RemovalBatch extends RemovalOptions {
  readonly connection: Connection;
  /** In the order of removal: containers before images. */
  readonly items: readonly CleanupItem[];
  /** Gets each item when it is done, so that it is complete even if the work fails. */
  readonly removal: Removal;
  /** Called before each item. */
  readonly onItem?: (item: CleanupItem, index: number) => void;
}

/** Items removed so far, also if the work ends early. */
export interface Removal {
  readonly removed: CleanupItem[];
  /** Why an item was not removed, as a sentence. */
  readonly kept: Map<CleanupItem, string>;
  /** In bytes, once it was measured. */
  freed?: number | undefined;
}

/** Returns that nothing was removed yet. */
export function removeNothing(): Removal {
  return { removed: [], kept: new Map() };
}

export interface RemovalOptions {
  /** Whether the anonymous volumes of a container are removed with it. */
  readonly volumes?: boolean;
  /** Space that images used before, if what is reclaimed is to be measured. */
  readonly use?: DiskUse | undefined;
}

/** Dependencies of the removal of each item. */
interface Work {
  readonly connection: Connection;
  readonly volumes: boolean;
  readonly signal: AbortSignal;
  /** Returns the images that containers used right before the first image was removed. */
  readonly usedImages: () => Promise<ReadonlySet<string>>;
  /** Returns the build cache as it was right before the first record was removed. */
  readonly cache: () => Promise<readonly CacheRecord[]>;
}

/** Resolves to undefined if the item is gone, else to the reason why it was kept. */
async function tryRemove(item: CleanupItem, work: Work): Promise<string | undefined> {
  try {
    return await remove(item, work);
  } catch (error) {
    if (!isOfOne(error)) throw error;
    return errorMessage(error);
  }
}

async function remove(item: CleanupItem, work: Work): Promise<string | undefined> {
  const { connection, volumes, signal } = work;
  switch (item.kind) {
    case 'containers':
      await removeStopped(connection, item.id, { volumes }, signal);
      return undefined;
    case 'images':
      return removeImage(item, work);
    case 'volumes':
      await removeVolume(connection, item.id, item.seen, signal);
      return undefined;
    case 'networks':
      await removeNetwork(connection, item.id, signal);
      return undefined;
    case 'buildCache':
      return removeCache(item.id, work);
  }
}

async function removeImage(
  { seen }: Extract<CleanupItem, { kind: 'images' }>,
  { connection, signal, usedImages }: Work,
): Promise<string | undefined> {
  const why = await removeUnusedImage(connection, seen, await usedImages(), signal);
  if (why === undefined) return undefined;
  return why.why === 'refused' ? errorMessage(why.error) : keptImageMessage(why);
}

async function removeCache(
  id: string,
  { connection, signal, cache }: Work,
): Promise<string | undefined> {
  const now = (await cache()).find((one) => one.id === id);
  if (!now) return undefined;
  if (now.isInUse) return l10n.t('A build is using this cache record.');
  const { outcome } = await removeCacheRecord(connection, id, signal);
  return outcome === 'removed' ? undefined : l10n.t('A build or another cache record is using it.');
}

/** Whether an error does not concern the other items. */
function isOfOne(error: unknown): boolean {
  if (error instanceof VolumeInUseError || error instanceof VolumeChangedError) return true;
  return failedWith(error, 'conflict', 'failed', 'badRequest', 'notFound', 'unauthorized');
}
