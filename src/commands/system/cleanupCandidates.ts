import * as l10n from '@vscode/l10n';
import { isStopped } from '../../engine/containers/removeStopped.ts';
import { isTemporaryContainer, temporaryImageOwner } from '../../engine/images/temporaryMarks.ts';
import {
  isPredefinedNetwork,
  isUp,
  type Container,
  type Image,
  type Network,
} from '../../engine/model.ts';
import { memberFinder } from '../../engine/networks/networkMembers.ts';
import type { DiskUse } from '../../engine/system/system.ts';
import { imageDisplayName } from '../../views/images/imageNames.ts';
import { keyOf, type CleanupItem, type EngineContents } from './cleanupItem.ts';
import type { CleanupKind } from '../../engine/system/cleanupKinds.ts';

/** Returns everything that an engine has, without what belongs to Gantry. */
export function cleanupCandidates(found: EngineContents): readonly Candidate[] {
  return [
    ...containersOf(found),
    ...imagesOf(found),
    ...volumesOf(found),
    ...networksOf(found),
    ...cacheOf(found),
  ];
}

/** Something that an engine has, and what needs it. */
export interface Candidate {
  readonly item: CleanupItem;
  /** Why it cannot be removed now, whatever else is removed. */
  readonly fixed?: string | undefined;
  /** Items that have to be removed before it, each once. */
  readonly users: readonly CandidateUser[];
}

/** A container or another item that needs a candidate. */
export interface CandidateUser {
  readonly key: string;
  readonly kind: CleanupKind;
  readonly name: string;
}

function containersOf({ containers, use }: EngineContents): readonly Candidate[] {
  const own = containers.filter((one) => !isTemporaryContainer(one));
  return own.map((seen) => {
    const { id, name } = seen;
    const item = { kind: 'containers', id, name, size: use?.containers.get(id), seen } as const;
    return { item, fixed: containerMessage(seen), users: [] };
  });
}

function containerMessage(container: Container): string | undefined {
  if (container.pod?.isInfra === true) return l10n.t('removed only with its pod');
  if (isStopped(container)) return undefined;
  if (container.state === 'paused') return l10n.t('paused');
  return isUp(container) ? l10n.t('running') : l10n.t('state unknown');
}

/** A temporary container of Gantry needs its image, too. */
function imagesOf({ containers, images, use }: EngineContents): readonly Candidate[] {
  const users = Map.groupBy(containers, ({ imageId }) => imageId);
  const children = Map.groupBy(images, ({ parentId }) => parentId);
  const own = images.filter((one) => temporaryImageOwner(one) === undefined);
  return own.map((seen) => {
    const { id } = seen;
    const size = ownSize(seen, use?.images);
    return {
      item: { kind: 'images', id, name: imageDisplayName(seen), size, seen },
      users: [
        ...(users.get(id) ?? []).map(userOf),
        ...(children.get(id) ?? []).map((child): CandidateUser => {
          const name = imageDisplayName(child);
          return { key: keyOf({ kind: 'images', id: child.id }), kind: 'images', name };
        }),
      ],
    };
  });
}

/** Returns the bytes that removing an image reclaims in any case; undefined if the engine does not report it. */
function ownSize({ id }: Image, use: DiskUse | undefined): number | undefined {
  const { size, shared } = use?.images.get(id) ?? { size: 0, shared: undefined };
  return shared === undefined ? undefined : Math.max(0, size - shared);
}

/** Gantry's own containers do not count. */
function volumesOf({ containers, volumes, use }: EngineContents): readonly Candidate[] {
  const mounted = containers
    .filter((one) => !isTemporaryContainer(one))
    .flatMap((one) =>
      [...new Set(one.mounts.map(({ volume }) => volume))].map((volume) => ({ one, volume })),
    );
  const users = Map.groupBy(mounted, ({ volume }) => volume);
  return volumes.map((seen) => {
    const { name } = seen;
    return {
      item: { kind: 'volumes', id: name, name, size: use?.volumes.get(name), seen },
      users: (users.get(name) ?? []).map(({ one }) => userOf(one)),
    };
  });
}

function networksOf({ containers, networks }: EngineContents): readonly Candidate[] {
  const membersOf = memberFinder(containers, networks);
  return networks.map((seen) => ({
    item: { kind: 'networks', id: seen.id, name: seen.name, size: 0, seen },
    fixed: networkMessage(seen),
    users: membersOf(seen).map(({ container }) => userOf(container)),
  }));
}

function networkMessage(network: Network): string | undefined {
  if (isPredefinedNetwork(network)) return l10n.t('belongs to the engine');
  // Docker's own prune keeps it, too.
  return network.isIngress ? l10n.t('routing mesh of the swarm') : undefined;
}

/** Removing a record that an image shares reclaims nothing. */
function cacheOf({ use }: EngineContents): readonly Candidate[] {
  const records = [...new Map(use?.buildCache.map((one) => [one.id, one])).values()];
  const based = records.flatMap(({ id, parents }) =>
    [...new Set(parents)].map((parent) => ({ id, parent })),
  );
  const children = Map.groupBy(based, ({ parent }) => parent);
  return records.map((seen) => {
    const { id, size, isShared, isInUse } = seen;
    const kind = 'buildCache';
    return {
      item: { kind, id, name: id, size: isShared ? 0 : size, seen },
      fixed: isInUse ? l10n.t('in use by a build') : undefined,
      users: (children.get(id) ?? []).map((child) => {
        return { key: keyOf({ kind, id: child.id }), kind, name: child.id };
      }),
    };
  });
}

function userOf({ id, name }: Container): CandidateUser {
  return { key: keyOf({ kind: 'containers', id }), kind: 'containers', name };
}
