import type { Image } from '../engine/model.ts';
import type { L10n } from '../l10n.ts';
import type { NaturalOrder } from './sortedSet.ts';
import { joinParts, formatLine } from './format.ts';

/** How a person wants to see images. */
export interface Arrangement {
  readonly groupBy: 'none' | 'repository' | 'registry';
  readonly sortBy: 'name' | 'newest' | 'size';
  /** Whether images without a name are shown. */
  readonly showDangling: boolean;
  /** What a name, an id or a digest has in it; empty for all. */
  readonly filter: string;
}

/** As it is until somebody wants it otherwise. */
export const DEFAULT_ARRANGEMENT: Arrangement = {
  groupBy: 'none',
  sortBy: 'name',
  showDangling: true,
  filter: '',
};

/** A row of an image, as far as its place depends on it. */
export interface ArrangedRow {
  /** Undefined for an image without a name. */
  readonly reference: string | undefined;
  readonly image: Image;
  readonly id: string;
}

/** Whether a row is seen. */
export function isIncluded(
  { reference, image }: Pick<ArrangedRow, 'reference' | 'image'>,
  { showDangling, filter }: Arrangement,
): boolean {
  if (!showDangling && reference === undefined) return false;
  if (filter === '') return true;
  const wanted = filter.toLowerCase();
  // A digest has a name of its own before it, which on some engines is every other name of the image.
  const digests =
    reference === undefined ? image.digests : image.digests.map((one) => one.replace(/^.*@/, ''));
  const texts = [reference ?? '', image.id, ...digests];
  return texts.some((text) => text.toLowerCase().includes(wanted));
}

/** How many images are seen of how many there are, and what is looked for. */
export function formatImageCount(
  { shown, all, filter }: { shown: number; all: number; filter: string },
  l10n: L10n,
): string {
  const count = shown === all ? String(all) : l10n.t('{0} of {1}', shown, all);
  return joinParts(all === 0 ? '' : count, filter === '' ? '' : `“${formatLine(filter)}”`);
}

/** Where a name belongs: the group it is in, and what it is called in there. */
export interface ImageGroup {
  /** The repository, or the registry; empty for images that have none. */
  readonly key: string;
  /** The name without what the group says already. */
  readonly title: string | undefined;
}

/** The group of a row; undefined where there are none. */
export function imageGroupOf(
  { reference, image }: Pick<ArrangedRow, 'reference' | 'image'>,
  { groupBy }: Arrangement,
): ImageGroup | undefined {
  if (groupBy === 'none') return undefined;
  const name = reference ?? image.digests[0] ?? '';
  if (name === '') return { key: '', title: undefined };
  const { repository, tag } = cut(name);
  if (groupBy === 'repository') {
    return { key: repository, title: reference === undefined || tag === '' ? undefined : tag };
  }
  const { registry, path } = registryOf(repository);
  const title = tag === '' ? path : `${path}:${tag}`;
  return { key: registry, title: reference === undefined ? undefined : title };
}

/** The order of rows below one parent. Those without a name come last where names decide. */
export function comparatorFor(
  { sortBy }: Arrangement,
  natural: NaturalOrder,
): (a: ArrangedRow, b: ArrangedRow) => number {
  const byName = (a: ArrangedRow, b: ArrangedRow): number => byReference(a, b, natural);
  switch (sortBy) {
    case 'name':
      return byName;
    case 'newest':
      return (a, b) => momentOf(b.image) - momentOf(a.image) || byName(a, b);
    case 'size':
      return (a, b) => b.image.size - a.image.size || byName(a, b);
  }
}

/** By reference; those without one last, the newest of them first. */
function byReference(a: ArrangedRow, b: ArrangedRow, natural: NaturalOrder): number {
  if (a.reference !== undefined && b.reference !== undefined) {
    return natural(a.reference, b.reference) || byId(a, b);
  }
  if (a.reference !== b.reference) return a.reference === undefined ? 1 : -1;
  return momentOf(b.image) - momentOf(a.image) || byId(a, b);
}

function momentOf(image: Image): number {
  const moment = Date.parse(image.createdAt);
  return Number.isNaN(moment) ? 0 : moment;
}

function byId(a: ArrangedRow, b: ArrangedRow): number {
  return a.id < b.id ? -1 : 1;
}

/** What is before the tag or the digest, and the tag. */
function cut(name: string): { readonly repository: string; readonly tag: string } {
  const [rest = ''] = name.split('@', 1);
  const colon = rest.lastIndexOf(':');
  if (colon <= rest.lastIndexOf('/')) return { repository: rest, tag: '' };
  return { repository: rest.slice(0, colon), tag: rest.slice(colon + 1) };
}

/** The part before the first slash is a registry if it looks like a host. */
function registryOf(repository: string): { readonly registry: string; readonly path: string } {
  const slash = repository.indexOf('/');
  const first = repository.slice(0, Math.max(slash, 0));
  if (!/[.:]/.test(first) && first !== 'localhost') {
    return { registry: 'docker.io', path: repository };
  }
  return { registry: first, path: repository.slice(slash + 1) };
}
