import type { Connection } from '../http/connection.ts';
import { asImageId, asList, asNumber, asRecord } from '../wire.ts';

/** What images take, as far as the engine tells. */
export interface DiskUse {
  /** Bytes of all layers, each counted once; undefined where the engine does not know. */
  readonly layers: number | undefined;
  /** By image id. */
  readonly images: ReadonlyMap<string, ImageUse>;
}

/** What one image takes. */
export interface ImageUse {
  /** Bytes, with those it shares. */
  readonly size: number;
  /** Of these, bytes that others have, too; undefined where the engine does not know. */
  readonly shared: number | undefined;
}

/** Walks all layers, which may take long. */
const LIMIT_MS = 120_000;

/** What images take: `GET /system/df`. Dear on every engine, so only for a person who asks. */
export async function imageDiskUse(connection: Connection, signal?: AbortSignal): Promise<DiskUse> {
  const reply = await connection.send({
    method: 'GET',
    path: '/system/df',
    query: { type: 'image', verbose: true },
    limitMs: LIMIT_MS,
    signal,
  });
  return readDiskUse(reply.json());
}

/** The answer, in the shape of old versions or of new ones. */
export function readDiskUse(value: unknown): DiskUse {
  const wire = asRecord(value);
  const usage = asRecord(wire['ImagesUsage'] ?? wire['ImageUsage']);
  const layers = asNumber(wire['LayersSize']) ?? asNumber(usage['TotalSize']) ?? 0;
  // Podman says 0 for what it does not count, and then of no image what it shares.
  const isCounted = layers > 0;
  const list = asList(wire['Images'] ?? usage['Items']).map(asRecord);
  const images = list.flatMap((one): (readonly [string, ImageUse])[] => {
    const id = asImageId(one['Id']);
    const shared = asNumber(one['SharedSize']) ?? -1;
    const size = asNumber(one['Size']) ?? 0;
    return id === '' ? [] : [[id, { size, shared: isCounted && shared >= 0 ? shared : undefined }]];
  });
  return { layers: isCounted ? layers : undefined, images: new Map(images) };
}
