import { EngineError } from '../../engine/errors.ts';
import type { Connection } from '../../engine/http/connection.ts';
import type { Volume } from '../../engine/model.ts';
import { listVolumeSizes } from '../../engine/system/system.ts';
import { formatSize } from '../../views/format.ts';

/** The sizes of volumes in bytes, by name. */
export type SizeByVolume = ReadonlyMap<string, number>;

/** Sizes are optional where other facts matter more: an engine may refuse while it handles another such request. */
export function sizesIfKnown(
  connection: Connection,
  signal: AbortSignal,
): Promise<SizeByVolume | undefined> {
  return listVolumeSizes(connection, signal).catch((error: unknown) => {
    if (error instanceof EngineError) return undefined;
    throw error;
  });
}

/** Returns the sum in bytes; undefined if one of the sizes is unknown. */
export function totalSize(
  volumes: readonly Pick<Volume, 'name'>[],
  sizes: SizeByVolume | undefined,
): number | undefined {
  const known = volumes.map(({ name }) => sizes?.get(name));
  return known.reduce<number | undefined>(
    (sum, size) => (sum === undefined || size === undefined ? undefined : sum + size),
    0,
  );
}

/** Formats a size; empty if it is unknown. */
export function sizeText(name: string, sizes: SizeByVolume | undefined): string {
  const size = sizes?.get(name);
  return size === undefined ? '' : formatSize(size);
}
