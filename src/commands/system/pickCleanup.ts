import { isAnonymousVolume } from '../../engine/model.ts';
import type { L10n } from '../../l10n.ts';
import { formatSize, joinParts, shortId } from '../../views/format.ts';
import { formatItemText, formatNames } from '../formatNames.ts';
import { withHeading } from '../forms/askReference.ts';
import type { PickItem, Ui } from '../ui.ts';
import { findUnused } from './cleanup.ts';
import {
  CLEANUP_KINDS,
  type CleanupItem,
  type CleanupKind,
  type EngineContents,
} from './cleanupItem.ts';
import { usedVolumes } from './kindUses.ts';

interface CleanupRow extends PickItem {
  readonly item: CleanupItem;
}

/**
 * Lets the user select what to remove. What is easy to make again is checked at first. Resolves to undefined if the
 * user cancels.
 *
 * @param items what is unused, in the order of removal.
 */
export async function pickCleanup(
  ui: Ui,
  title: string,
  found: EngineContents,
  items: readonly CleanupItem[],
): Promise<readonly CleanupItem[] | undefined> {
  const { l10n } = ui;
  const kinds = kindLabels(l10n);
  const rows = CLEANUP_KINDS.flatMap((kind) => {
    const ofKind = items.filter((item) => item.kind === kind).toSorted(bySize);
    return withHeading(
      kinds[kind],
      ofKind.map((item) => rowOf(item, l10n)),
    );
  });
  const safe = safeItems(found, l10n);
  const checked = await ui.pickMany({
    title: (now) =>
      l10n.t(
        '{0}: {1} of {2}. {3}',
        title,
        now.length,
        items.length,
        formatReclaimed(
          now.map(({ item }) => item),
          l10n,
        ),
      ),
    placeholder: l10n.t('Select what to remove'),
    items: rows,
    isChecked: ({ item }) => safe.has(keyOf(item)),
  });
  const chosen = new Set(checked?.map(({ item }) => item));
  return checked && items.filter((item) => chosen.has(item));
}

/** Asks with what is lost first, then the names. */
export function confirmCleanup(ui: Ui, items: readonly CleanupItem[]): Promise<boolean> {
  const { l10n } = ui;
  const has = (kind: CleanupKind): boolean => items.some((item) => item.kind === kind);
  const kinds = kindLabels(l10n);
  const lines = [
    has('volumes') ? l10n.t('All files in the selected volumes are deleted.') : '',
    has('containers')
      ? l10n.t('Data inside the containers is lost unless it is in a volume or bind mount.')
      : '',
    formatReclaimed(items, l10n),
    ...CLEANUP_KINDS.filter(has).map((kind) => {
      const names = items.filter((item) => item.kind === kind).map((item) => labelOf(item));
      return l10n.t('{0} ({1}): {2}', kinds[kind], names.length, formatNames(names, l10n));
    }),
  ];
  const question =
    items.length === 1 ? l10n.t('Remove 1 item?') : l10n.t('Remove {0} items?', items.length);
  return ui.confirm(question, lines.filter((line) => line !== '').join('\n'), l10n.t('Remove'));
}

/** Formats how much disk space a removal reclaims, as far as it is known before. */
export function formatReclaimed(items: readonly CleanupItem[], l10n: L10n): string {
  const sum = items.reduce((total, { size = 0 }) => total + size, 0);
  // Layers that only removed images share are reclaimed, too.
  const isExact = items.every(({ kind, size }) => size !== undefined && kind !== 'images');
  return isExact
    ? l10n.t('Reclaims {0}.', formatSize(sum))
    : l10n.t('Reclaims at least {0}.', formatSize(sum));
}

/** Returns the names of the kinds as headings. */
export function kindLabels(l10n: L10n): Readonly<Record<CleanupKind, string>> {
  return {
    containers: l10n.t('Containers'),
    images: l10n.t('Images'),
    volumes: l10n.t('Volumes'),
    networks: l10n.t('Networks'),
    buildCache: l10n.t('Build cache'),
  };
}

/** What a prune without `all` removes, but nothing that only becomes unused by it, and no new container. */
function safeItems(found: EngineContents, l10n: L10n): ReadonlySet<string> {
  const used = usedVolumes(found.containers);
  const items = findUnused(found, { kinds: CLEANUP_KINDS, all: false }, l10n).filter((item) => {
    if (item.kind === 'containers') return item.seen.state !== 'created';
    return item.kind !== 'volumes' || !used.has(item.id);
  });
  return new Set(items.map(keyOf));
}

function keyOf({ kind, id }: CleanupItem): string {
  return `${kind} ${id}`;
}

function bySize(a: CleanupItem, b: CleanupItem): number {
  return (b.size ?? 0) - (a.size ?? 0);
}

function rowOf(item: CleanupItem, l10n: L10n): CleanupRow {
  const size = item.size === undefined ? '' : formatSize(item.size);
  return {
    label: labelOf(item),
    description: joinParts(item.kind === 'networks' ? '' : size, noteOf(item, l10n)),
    item,
  };
}

function labelOf(item: CleanupItem): string {
  if (item.kind === 'volumes' && isAnonymousVolume(item.seen)) return shortId(item.id);
  if (item.kind === 'buildCache') return item.seen.description || item.name;
  return item.name;
}

function noteOf(item: CleanupItem, l10n: L10n): string {
  switch (item.kind) {
    case 'containers':
      return formatItemText(item.seen.status || item.seen.state);
    case 'images':
      return item.size === undefined ? l10n.t('at most {0}', formatSize(item.seen.size)) : '';
    case 'volumes':
      return isAnonymousVolume(item.seen) ? l10n.t('anonymous') : '';
    case 'networks':
      return item.seen.driver;
    case 'buildCache':
      return item.seen.isShared ? l10n.t('shared with an image') : '';
  }
}
