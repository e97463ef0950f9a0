import { capabilitiesOf } from '../capabilities/capabilities.ts';
import { listContainers } from '../containers/containers.ts';
import type { Connection } from '../http/connection.ts';
import { listVolumeSizes, type DiskUseType } from '../system/system.ts';
import { wholeDiskUse, type WholeDiskUse } from '../system/wholeDiskUse.ts';
import { needsMount } from './checkMounted.ts';
import { listVolumes } from './volumes.ts';
import { hasProcess } from '../model.ts';

/** Like `listVolumeSizes`, without the volumes that the engine has not mounted: their size is unknown. */
export async function listKnownSizes(
  connection: Connection,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  return withoutUnmounted(connection, await listVolumeSizes(connection, signal), signal);
}

/** Like `wholeDiskUse`, without the volumes that the engine has not mounted: their size is unknown. */
export async function knownDiskUse(
  connection: Connection,
  signal?: AbortSignal,
  type?: DiskUseType,
): Promise<WholeDiskUse> {
  const use = await wholeDiskUse(connection, signal, type);
  const includesVolumes = type === undefined || type === 'volume';
  const { volumes } = use;
  return includesVolumes
    ? { ...use, volumes: await withoutUnmounted(connection, volumes, signal) }
    : use;
}

/** An engine that mounts a volume only while it is used measures the empty folder that it is mounted on. */
async function withoutUnmounted(
  connection: Connection,
  sizes: ReadonlyMap<string, number>,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, number>> {
  if (capabilitiesOf(await connection.info(signal)).mountsVolumesToRead) return sizes;
  const volumes = (await listVolumes(connection, {}, signal)).filter(needsMount);
  if (volumes.length === 0) return sizes;
  const containers = await listContainers(connection, { all: true }, signal);
  const up = containers.filter(hasProcess);
  const mounted = new Set(up.flatMap(({ mounts }) => mounts.map(({ volume }) => volume)));
  const unmounted = new Set(volumes.map(({ name }) => name).filter((name) => !mounted.has(name)));
  return new Map([...sizes].filter(([name]) => !unmounted.has(name)));
}
