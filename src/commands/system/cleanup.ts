import { isStopped } from '../../engine/containers/removeStopped.ts';
import { isTemporaryContainer } from '../../engine/images/withTemporaryContainer.ts';
import {
  isAnonymousVolume,
  type Container,
  type Image,
  type Network,
  type Volume,
} from '../../engine/model.ts';
import { keptMessage } from '../../engine/networks/networkOperations.ts';
import { isPlainCache, removableCache, type CacheRecord } from '../../engine/system/buildCache.ts';
import type { WholeDiskUse } from '../../engine/system/wholeDiskUse.ts';
import type { L10n } from '../../l10n.ts';
import { unusedImages } from '../images/unusedImages.ts';
import { imageDisplayName } from '../targets.ts';

/** What can be cleaned up, in the order of removal: without a container, others may be unused. */
export const CLEANUP_KINDS = ['containers', 'images', 'volumes', 'networks', 'buildCache'] as const;

export type CleanupKind = (typeof CLEANUP_KINDS)[number];

/** What an engine has. Empty for a kind that was not asked for; containers are always complete. */
export interface EngineContents {
  readonly containers: readonly Container[];
  readonly images: readonly Image[];
  readonly volumes: readonly Volume[];
  readonly networks: readonly Network[];
  /** Undefined if the engine does not tell. */
  readonly use: WholeDiskUse | undefined;
}

/** Which unused things to remove. */
export interface CleanupScope {
  readonly kinds: readonly CleanupKind[];
  /** Also tagged images, named volumes, and the build cache that images share. */
  readonly all: boolean;
  /** Only what is older, in milliseconds since 1970. */
  readonly until?: number | undefined;
}

interface ItemOf<Kind extends CleanupKind, One> {
  readonly kind: Kind;
  /** ID, or the name of a volume. */
  readonly id: string;
  /** For the user, and unique enough for a list. */
  readonly name: string;
  /** In bytes; absent if the engine does not tell. For an image, what is reclaimed in any case. */
  readonly size?: number | undefined;
  /** As it was listed. */
  readonly seen: One;
}

/** Something to remove. */
export type CleanupItem =
  | ItemOf<'containers', Container>
  | ItemOf<'images', Image>
  | ItemOf<'volumes', Volume>
  | ItemOf<'networks', Network>
  | ItemOf<'buildCache', CacheRecord>;

/** Returns what is unused once the stopped containers of the scope are removed, in the order of removal. */
export function findUnused(
  found: EngineContents,
  scope: CleanupScope,
  l10n: L10n,
): readonly CleanupItem[] {
  const has = (kind: CleanupKind): boolean => scope.kinds.includes(kind);
  const stopped = has('containers') ? stoppedContainers(found, scope) : [];
  const gone = new Set(stopped.map(({ id }) => id));
  const rest = { ...found, containers: found.containers.filter(({ id }) => !gone.has(id)) };
  return [
    ...stopped,
    ...(has('images') ? imagesOf(rest, scope) : []),
    ...(has('volumes') ? volumesOf(rest, scope) : []),
    ...(has('networks') ? networksOf(rest, scope, l10n) : []),
    ...(has('buildCache') ? cacheOf(rest, scope) : []),
  ];
}

/** Whether a date is known and before the limit. */
function isOld(moment: string, until: number | undefined): boolean {
  return until === undefined || Date.parse(moment) <= until;
}

/** Without Gantry's own containers. */
function stoppedContainers(
  { containers, use }: EngineContents,
  { until }: CleanupScope,
): readonly ItemOf<'containers', Container>[] {
  return containers
    .filter((one) => isStopped(one) && !isTemporaryContainer(one) && isOld(one.createdAt, until))
    .map((seen) => {
      const { id, name } = seen;
      return { kind: 'containers', id, name, size: use?.containers.get(id), seen };
    });
}

function imagesOf(
  { containers, images, use }: EngineContents,
  { all, until }: CleanupScope,
): readonly CleanupItem[] {
  const recent = images.filter(({ createdAt }) => !isOld(createdAt, until));
  const needed = [...containers.map(({ imageId }) => imageId), ...recent.map(({ id }) => id)];
  return unusedImages(images, new Set(needed), { onlyDangling: !all }, use?.images).map(
    ({ image: seen, own }) => {
      const name = imageDisplayName(seen);
      return { kind: 'images', id: seen.id, name, size: own, seen };
    },
  );
}

function volumesOf(
  { containers, volumes, use }: EngineContents,
  { all, until }: CleanupScope,
): readonly CleanupItem[] {
  const used = usedVolumes(containers);
  return volumes
    .filter((one) => !used.has(one.name) && isOld(one.createdAt, until))
    .filter((one) => all || isAnonymousVolume(one))
    .map((seen) => {
      const { name } = seen;
      return { kind: 'volumes', id: name, name, size: use?.volumes.get(name), seen };
    });
}

/** Returns the names of the volumes that containers use, running or not. Gantry's own containers do not count. */
export function usedVolumes(containers: readonly Container[]): ReadonlySet<string | undefined> {
  const users = containers.filter((one) => !isTemporaryContainer(one));
  return new Set(users.flatMap(({ mounts }) => mounts.map(({ volume }) => volume)));
}

function networksOf(
  { containers, networks }: EngineContents,
  { until }: CleanupScope,
  l10n: L10n,
): readonly CleanupItem[] {
  return networks
    .filter((one) => keptMessage(one, containers, networks, l10n) === undefined)
    .filter(({ createdAt }) => isOld(createdAt, until))
    .map((seen) => ({ kind: 'networks', id: seen.id, name: seen.name, size: 0, seen }));
}

function cacheOf(
  { use }: EngineContents,
  { all, until }: CleanupScope,
): readonly ItemOf<'buildCache', CacheRecord>[] {
  const records = removableCache(
    use?.buildCache ?? [],
    (one) => !one.isInUse && (all || isPlainCache(one)) && isOld(one.usedAt, until),
  );
  return records.map((seen) => {
    const { id, size, isShared } = seen;
    return { kind: 'buildCache', id, name: id, size: isShared ? 0 : size, seen };
  });
}

/** Returns the sum of the sizes in bytes; undefined if one is unknown. */
export function sizeOf(items: readonly CleanupItem[]): number | undefined {
  return items.reduce<number | undefined>(
    (sum, { size }) => (sum === undefined || size === undefined ? undefined : sum + size),
    0,
  );
}
