import type { Container, Image, Network, Volume } from '../../engine/model.ts';
import type { CacheRecord } from '../../engine/system/buildCache.ts';
import type { WholeDiskUse } from '../../engine/system/wholeDiskUse.ts';
import type { CleanupKind } from './cleanupKinds.ts';

/** Something that may be removed. */
export type CleanupItem =
  | ItemOf<'containers', Container>
  | ItemOf<'images', Image>
  | ItemOf<'volumes', Volume>
  | ItemOf<'networks', Network>
  | ItemOf<'buildCache', CacheRecord>;

/** What an engine has. Empty for a kind that was not asked for; containers are always complete. */
export interface EngineContents {
  readonly containers: readonly Container[];
  readonly images: readonly Image[];
  readonly volumes: readonly Volume[];
  readonly networks: readonly Network[];
  /** Undefined if the engine does not tell. */
  readonly use: WholeDiskUse | undefined;
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

/** Returns what identifies an item among all of an engine. */
export function keyOf({ kind, id }: Pick<CleanupItem, 'kind' | 'id'>): string {
  return `${kind} ${id}`;
}

/** Returns a name that other commands understand. */
export function exactName(item: CleanupItem): string {
  return item.kind === 'images' ? (item.seen.tags[0] ?? item.id) : item.name;
}
