import { isStopped } from '../../engine/containers/removeStopped.ts';
import { isTemporaryContainer } from '../../engine/images/temporaryMarks.ts';
import type { Container } from '../../engine/model.ts';
import { findUnused } from './cleanupVerdicts.ts';
import { itemsOf, type EngineContents, type ItemOfKind } from './cleanupItem.ts';
import type { KindUse } from '../../engine/system/cleanupKinds.ts';
import { reclaimableSpace } from './formatReclaimed.ts';

/** Sums up what an engine has. */
export function kindUses(found: EngineContents): readonly KindUse[] {
  return [imagesUse(found), containersUse(found), volumesUse(found), cacheUse(found)];
}

/** Returns the images that no container uses, and that no image that stays is based on. */
export function unusedImages(found: EngineContents): readonly ItemOfKind<'images'>[] {
  const others = { volumes: [], networks: [] };
  const unused = findUnused({ ...found, ...others }, { kinds: ['images'], all: true });
  return itemsOf('images', unused);
}

/** Returns the names of the volumes that containers use, running or not. Gantry's own containers do not count. */
function usedVolumes(containers: readonly Container[]): ReadonlySet<string | undefined> {
  const users = containers.filter((one) => !isTemporaryContainer(one));
  return new Set(users.flatMap(({ mounts }) => mounts.map(({ volume }) => volume)));
}

/** If the engine does not know what images share, the sum of all images. */
function imagesUse(found: EngineContents): KindUse {
  const { images, use } = found;
  const { atLeast, atMost } = reclaimableSpace(unusedImages(found));
  const size = use?.images.layers ?? sum(images.map((image) => image.size));
  return { kind: 'images', count: images.length, size, reclaimable: atLeast ?? atMost };
}

function containersUse({ containers, use }: EngineContents): KindUse {
  const own = containers.filter((one) => !isTemporaryContainer(one));
  const sizes = (some: typeof own) => some.map(({ id }) => use?.containers.get(id));
  return useOf('containers', sizes(own), sizes(own.filter(isStopped)));
}

function volumesUse({ volumes, containers, use }: EngineContents): KindUse {
  const used = usedVolumes(containers);
  const sizes = (some: typeof volumes) => some.map(({ name }) => use?.volumes.get(name));
  return useOf('volumes', sizes(volumes), sizes(volumes.filter(({ name }) => !used.has(name))));
}

type Sizes = readonly (number | undefined)[];

/** @param free the sizes of what is not used. */
function useOf(kind: KindUse['kind'], all: Sizes, free: Sizes): KindUse {
  const known = (sizes: Sizes): number => sum(sizes.map((size) => size ?? 0));
  return {
    kind,
    count: all.length,
    size: known(all),
    reclaimable: known(free),
    ...(all.includes(undefined) && { isAtLeast: true }),
  };
}

/** Returns the use of the build cache. What images share is counted there. */
function cacheUse({ use }: EngineContents): KindUse {
  const records = use?.buildCache ?? [];
  const own = records.filter(({ isShared }) => !isShared);
  const free = own.filter(({ isInUse }) => !isInUse);
  return {
    kind: 'buildCache',
    count: records.length,
    size: sum(own.map(({ size }) => size)),
    reclaimable: sum(free.map(({ size }) => size)),
  };
}

function sum(sizes: readonly number[]): number {
  return sizes.reduce((total, size) => total + size, 0);
}
