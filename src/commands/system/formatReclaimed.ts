import * as l10n from '@vscode/l10n';
import { EngineError } from '../../engine/errors.ts';
import type { Connection } from '../../engine/http/connection.ts';
import { imageDiskUse, type DiskUse } from '../../engine/system/system.ts';
import { formatSize } from '../../views/format.ts';
import { itemsOf, type CleanupItem, type ItemOfKind } from './cleanupItem.ts';

/** Formats how much disk space a removal reclaims, as far as it is known before; empty if it needs none. */
export function formatReclaimed(items: readonly CleanupItem[]): string {
  const images = itemsOf('images', items);
  if (items.length > 0 && images.length === items.length)
    return formatReclaimableSpace(reclaimableSpace(images));
  if (items.length > 0 && itemsOf('networks', items).length === items.length) return '';
  if (items.length > 0 && items.every(({ size }) => size === undefined))
    return l10n.t('Reclaims an unknown amount of space.');
  const sum = items.reduce((total, { size = 0 }) => total + size, 0);
  // Layers that only removed images share are reclaimed, too.
  return images.length === 0 && sizeOf(items) !== undefined
    ? l10n.t('Reclaims {0}.', formatSize(sum))
    : l10n.t('Reclaims at least {0}.', formatSize(sum));
}

/** Returns the sum of the sizes in bytes; undefined if one is unknown. */
export function sizeOf(items: readonly CleanupItem[]): number | undefined {
  return items.reduce<number | undefined>(
    (sum, { size }) => (sum === undefined || size === undefined ? undefined : sum + size),
    0,
  );
}

/**
 * Returns how many bytes were reclaimed, or undefined if that is unknown. Layers that only removed images share are
 * reclaimed, too: what all layers use is measured again.
 *
 * @param before what images used; undefined if the engine does not report it.
 */
export async function measureReclaimed(
  connection: Connection,
  removed: readonly CleanupItem[],
  before: DiskUse | undefined,
  signal: AbortSignal,
): Promise<number | undefined> {
  const known = sizeOf(removed);
  const images = itemsOf('images', removed);
  if (known === undefined || images.length === 0 || before?.layers === undefined) return known;
  const after = await imageDiskUse(connection, signal).catch((error: unknown) => {
    if (error instanceof EngineError) return undefined;
    throw error;
  });
  const layers = before.layers - (after?.layers ?? before.layers);
  return known + Math.max(0, layers - (sizeOf(images) ?? 0));
}

/**
 * The disk space that removing images reclaims. Layers that only removed images share are reclaimed, too, so the
 * exact size is not known before.
 */
export interface ReclaimableSpace {
  /** In bytes; undefined if the engine does not report what is shared. */
  readonly atLeast: number | undefined;
  readonly atMost: number;
}

/** Returns the disk space that removing all of these reclaims. */
export function reclaimableSpace(images: readonly ItemOfKind<'images'>[]): ReclaimableSpace {
  return { atLeast: sizeOf(images), atMost: images.reduce((sum, { seen }) => sum + seen.size, 0) };
}

/** Formats the disk space that will be reclaimed, as far as it is known before. */
export function formatReclaimableSpace({ atLeast, atMost }: ReclaimableSpace): string {
  if (atLeast === undefined) return l10n.t('Reclaims at most {0}.', formatSize(atMost));
  return atLeast === atMost
    ? l10n.t('Reclaims {0}.', formatSize(atMost))
    : l10n.t('Reclaims {0} to {1}.', formatSize(atLeast), formatSize(atMost));
}
