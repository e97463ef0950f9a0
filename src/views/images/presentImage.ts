import * as l10n from '@vscode/l10n';
import type { Image } from '../../engine/model.ts';
import { ageOfImage, formatShortAge } from '../../inventory/age.ts';
import { BUSY_ICON } from '../containers/containerCondition.ts';
import { splitRegistry } from './imageArrangement.ts';
import {
  tooltipRows,
  type Freshness,
  type Icon,
  type RowPresentation,
  type RenderContext,
  type TooltipRow,
} from '../rowPresentation.ts';
import {
  familiarName,
  joinParts,
  joinSpoken,
  formatDateTime,
  formatLine,
  shortId,
  formatSize,
  formatVerb,
} from '../format.ts';

/**
 * Returns the presentation of the row for one tag of an image, or for a dangling image if `reference` is undefined.
 *
 * @param shown title of the row in its group. Default: the full name.
 */
export function presentImage(
  image: Image,
  reference: string | undefined,
  context: RenderContext,
  shown?: string,
): RowPresentation {
  // Operations on a tagged image use the tag as their target.
  const verb = context.activity.verbOf(reference ?? image.id) ?? context.activity.verbOf(image.id);
  const title = titleOf(image, reference);
  const { label, registry } = shownName(title);
  const freshness = reference === undefined ? undefined : context.freshness?.(image, reference);
  const facts = [
    formatVerb(verb),
    reference === undefined ? l10n.t('dangling') : '',
    freshness === 'newer' ? l10n.t('newer available') : '',
    formatSize(image.size),
    formatImageAge(image, context),
    reference === undefined ? shortId(image.id) : '',
    formatUsage(image, context),
  ];
  return {
    label: shown === undefined ? label : formatLine(shown),
    // Last, because it may be long, and the name and the size must be readable.
    description: joinParts(...facts, shown === undefined ? registry : ''),
    icon: verb === undefined ? iconOf(reference, context) : BUSY_ICON,
    contextValue: reference === undefined ? 'image.dangling' : taggedContext(freshness),
    accessibilityLabel: joinSpoken(l10n.t('Image {0}', title), ...facts),
    age: context.inventory.lostAt === undefined ? ageOfImage(image) : undefined,
  };
}

export function imageTooltip(
  image: Image,
  reference: string | undefined,
  context: RenderContext,
): readonly TooltipRow[] {
  const others = image.tags.filter((tag) => tag !== reference);
  return tooltipRows(
    [l10n.t('Name'), reference ?? titleOf(image, reference)],
    [l10n.t('Other tags'), others.join(', ')],
    [l10n.t('ID'), image.id],
    [l10n.t('Digests'), image.digests.join(', ')],
    [l10n.t('Created'), formatDateTime(image.createdAt)],
    [l10n.t('Size'), formatSize(image.size)],
    [l10n.t('Parent image'), formatParent(image, context)],
    [l10n.t('Used by'), userNames(image, context).join(', ')],
  );
}

/** Returns the name without the registry, and the registry; empty for Docker Hub. */
function shownName(title: string): { readonly label: string; readonly registry: string } {
  const { registry, path } = splitRegistry(title);
  return path === title ? { label: title, registry: '' } : { label: path, registry };
}

function taggedContext(freshness: Freshness): string {
  if (freshness === undefined) return 'image.tagged';
  return freshness === 'newer' ? 'image.tagged.askable.newer' : 'image.tagged.askable';
}

function iconOf(reference: string | undefined, { inventory }: RenderContext): Icon {
  const isPale = reference === undefined || inventory.lostAt !== undefined;
  return isPale ? { id: 'package', color: 'disabledForeground' } : { id: 'package' };
}

/** A dangling image may still have a repository in its digests. */
function titleOf(image: Image, reference: string | undefined): string {
  if (reference !== undefined) return familiarName(reference);
  const [repository = ''] = (image.digests[0] ?? '').split('@');
  return repository === ''
    ? l10n.t('untagged')
    : l10n.t('{0} (untagged)', familiarName(repository));
}

function formatUsage(image: Image, { inventory }: RenderContext): string {
  // Engines that report a container count report it as of the image list. The containers themselves are more recent.
  const count = inventory.containersOf(image.id).size;
  return count === 0 ? '' : l10n.t('used by {0}', count);
}

function formatImageAge(image: Image, { inventory, now }: RenderContext): string {
  const age = ageOfImage(image);
  return age ? formatShortAge(age, inventory.lostAt ?? now()) : '';
}

function formatParent(image: Image, { inventory }: RenderContext): string {
  if (image.parentId === undefined) return '';
  const [tag] = inventory.images.get(image.parentId)?.tags ?? [];
  return tag ?? shortId(image.parentId);
}

function userNames(image: Image, { inventory }: RenderContext): readonly string[] {
  const names = [...inventory.containersOf(image.id)].map(
    (id) => inventory.containers.get(id)?.name ?? shortId(id),
  );
  return names.sort();
}
