import { removeStopped } from '../../engine/containers/removeStopped.ts';
import { failedWith } from '../../engine/errors.ts';
import type { Connection } from '../../engine/http/connection.ts';
import { removeImages } from '../../engine/images/removeImages.ts';
import { removeNetwork } from '../../engine/networks/networkOperations.ts';
import {
  listBuildCache,
  removeCacheRecord,
  type CacheRecord,
} from '../../engine/system/buildCache.ts';
import type { DiskUse } from '../../engine/system/system.ts';
import { removeVolume } from '../../engine/volumes/removeVolume.ts';
import { VolumeChangedError, VolumeInUseError } from '../../engine/volumes/volumeErrors.ts';
import type { L10n } from '../../l10n.ts';
import { once } from '../../lifetime.ts';
import type { CommandContext } from '../commandContext.ts';
import { errorMessage } from '../errorMessage.ts';
import { keptImageMessage } from '../images/removeImageCommand.ts';
import type { CleanupItem } from './cleanupItem.ts';
import { measureReclaimed } from './formatReclaimed.ts';

/**
 * Removes items one after the other. Each is looked at again right before. Rows show it in the meantime.
 *
 * @param removal gets each item when it is done, so that it is complete even if this throws.
 * @param onItem called before each item.
 */
export async function removeItems(
  { activity, inventory, ui }: CommandContext,
  connection: Connection,
  items: readonly CleanupItem[],
  removal: Removal,
  options: RemovalOptions,
  signal: AbortSignal,
  onItem?: (item: CleanupItem, index: number) => void,
): Promise<void> {
  const cache = once(() => listBuildCache(connection, signal));
  try {
    for (const [index, item] of items.entries()) {
      signal.throwIfAborted();
      onItem?.(item, index);
      const busy = activity.begin(item.id, 'removing');
      try {
        const why = await tryRemove(connection, item, { ...options, cache }, ui.l10n, signal);
        if (why === undefined) removal.removed.push(item);
        else removal.kept.set(item, why);
      } finally {
        busy.dispose();
      }
    }
    if (options.use)
      removal.freed = await measureReclaimed(connection, removal.removed, options.use, signal);
  } finally {
    // Not every engine sends events of these.
    inventory.volumes.markStale();
    inventory.networks.markStale();
  }
}

/** What was removed so far, also if the work ends early. */
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

/** How to remove. */
export interface RemovalOptions {
  /** Whether the anonymous volumes of a container are removed with it. */
  readonly volumes?: boolean;
  /** What images used before, if what is reclaimed is to be measured. */
  readonly use?: DiskUse | undefined;
}

interface ItemOptions extends RemovalOptions {
  /** Returns the build cache as it is now. */
  readonly cache: () => Promise<readonly CacheRecord[]>;
}

/** Resolves to undefined if the item is gone, else to the reason why it was kept. */
async function tryRemove(
  connection: Connection,
  item: CleanupItem,
  options: ItemOptions,
  l10n: L10n,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    return await remove(connection, item, options, l10n, signal);
  } catch (error) {
    if (!isOfOne(error)) throw error;
    return errorMessage(error, l10n);
  }
}

async function remove(
  connection: Connection,
  item: CleanupItem,
  { volumes = false, cache }: ItemOptions,
  l10n: L10n,
  signal: AbortSignal,
): Promise<string | undefined> {
  switch (item.kind) {
    case 'containers':
      await removeStopped(connection, item.id, { volumes }, l10n, signal);
      return undefined;
    case 'images':
      return removeImage(connection, item, l10n, signal);
    case 'volumes':
      await removeVolume(connection, item.id, item.seen, signal);
      return undefined;
    case 'networks':
      await removeNetwork(connection, item.id, l10n, signal);
      return undefined;
    case 'buildCache':
      return removeCache(connection, item.id, await cache(), l10n, signal);
  }
}

async function removeImage(
  connection: Connection,
  { id, seen }: Extract<CleanupItem, { kind: 'images' }>,
  l10n: L10n,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { kept } = await removeImages(connection, [seen], signal);
  const why = kept.get(id);
  if (why === undefined) return undefined;
  return why.why === 'refused' ? errorMessage(why.error, l10n) : keptImageMessage(why, l10n);
}

async function removeCache(
  connection: Connection,
  id: string,
  records: readonly CacheRecord[],
  l10n: L10n,
  signal: AbortSignal,
): Promise<string | undefined> {
  const now = records.find((one) => one.id === id);
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
