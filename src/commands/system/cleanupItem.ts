import * as l10n from '@vscode/l10n';
import {
  isAnonymousVolume,
  type Container,
  type Image,
  type Network,
  type Volume,
} from '../../engine/model.ts';
import type { CacheRecord } from '../../engine/system/buildCache.ts';
import type { WholeDiskUse } from '../../engine/system/wholeDiskUse.ts';
import { shortId } from '../../views/format.ts';
import { imageNames } from '../../views/images/imageNames.ts';
import type { CleanupKind } from '../../engine/system/cleanupKinds.ts';
import type { Exclusions } from '../../engines/exclusions.ts';

/** Something that may be removed. */
export type CleanupItem =
  | ItemOf<'containers', Container>
  | ItemOf<'images', Image>
  | ItemOf<'volumes', Volume>
  | ItemOf<'networks', Network>
  | ItemOf<'buildCache', CacheRecord>;

/** Contents of an engine. Empty for a kind that was not asked for; containers are always complete. */
export interface EngineContents {
  readonly containers: readonly Container[];
  readonly images: readonly Image[];
  readonly volumes: readonly Volume[];
  readonly networks: readonly Network[];
  /** Undefined if the engine does not report it. */
  readonly use: WholeDiskUse | undefined;
}

interface ItemOf<Kind extends CleanupKind, One> {
  readonly kind: Kind;
  /** ID, or the name of a volume. */
  readonly id: string;
  /** For the user, and unique enough for a list. */
  readonly name: string;
  /** In bytes; absent if the engine does not report it. For an image, what is reclaimed in any case. */
  readonly size?: number | undefined;
  /** As it was listed. */
  readonly seen: One;
}

export type ItemOfKind<Kind extends CleanupKind> = Extract<CleanupItem, { readonly kind: Kind }>;

/** Returns the items of one kind. */
export function itemsOf<Kind extends CleanupKind>(
  kind: Kind,
  items: readonly CleanupItem[],
): readonly ItemOfKind<Kind>[] {
  return items.filter((item): item is ItemOfKind<Kind> => item.kind === kind);
}

/** Returns what identifies an item among all of an engine. */
export function keyOf({ kind, id }: Pick<CleanupItem, 'kind' | 'id'>): string {
  return `${kind} ${id}`;
}

/** Returns a name that other commands understand. */
export function exactName(item: CleanupItem): string {
  return item.kind === 'images' ? (item.seen.tags[0] ?? item.id) : item.name;
}

/** Returns what a list shows as the name: of an image every name, because it loses all of them. */
export function labelOf(item: CleanupItem): string {
  if (item.kind === 'volumes' && isAnonymousVolume(item.seen)) return shortId(item.id);
  if (item.kind === 'buildCache') return item.seen.description || item.name;
  return item.kind === 'images' ? imageNames(item.seen).join(', ') : item.name;
}

/** Returns how many tags an item has. Removing an image removes all of them. */
export function tagCountOf(item: CleanupItem): number {
  return item.kind === 'images' ? new Set(item.seen.tags).size : 0;
}

/** Excludes an item of an engine, or undoes it. */
export function exclude(
  exclusions: Exclusions,
  engine: string,
  item: CleanupItem,
  isOn: boolean,
): Promise<void> {
  const added = isOn ? `${item.kind} ${exactName(item)}` : undefined;
  return exclusions.set(engine, excludedNames(item), added);
}

/** Returns the names by which an item can be excluded. An image may have several tags. */
function excludedNames(item: CleanupItem): readonly string[] {
  const names = item.kind === 'images' ? [...item.seen.tags, item.id] : [item.name];
  return names.map((name) => `${item.kind} ${name}`);
}

/** Returns whether an item is excluded. */
export const isExcludedBy =
  (excluded: ReadonlySet<string>) =>
  (item: CleanupItem): boolean =>
    excludedNames(item).some((name) => excluded.has(name));

/** Returns the names of the kinds as headings. */
export function kindLabels(): Readonly<Record<CleanupKind, string>> {
  return {
    containers: l10n.t('Containers'),
    images: l10n.t('Images'),
    volumes: l10n.t('Volumes'),
    networks: l10n.t('Networks'),
    buildCache: l10n.t('Build cache'),
  };
}
