import type { Image } from '../../engine/model.ts';
import type { ImagesSettings } from '../../base/settings.ts';
import type { FilterKey, RowFacts } from '../arrangement/parseFilter.ts';
import type { RenderContext } from '../rowPresentation.ts';
import { byId, naturalOrder, newestFirst } from '../sortedSet.ts';

/** Arrangement of images that the user wants. */
export interface ImageArrangement extends ImagesSettings {
  /** As the user wrote it; empty for all images. */
  readonly filter: string;
}

/** Arrangement before the user changes it. */
export const DEFAULT_ARRANGEMENT: ImageArrangement = {
  groupBy: 'none',
  sortBy: 'name',
  showDangling: true,
  filter: '',
};

/** The parts of an image row that determine its position. */
interface ArrangedRow {
  /** Undefined for a dangling image. */
  readonly reference: string | undefined;
  readonly image: Image;
  readonly id: string;
}

/** Returns what filters know of a row. */
export function imageFacts(
  { reference, image }: Pick<ArrangedRow, 'reference' | 'image'>,
  { inventory, engineLabel = '' }: RenderContext,
): RowFacts {
  const values = (key: FilterKey): readonly string[] => {
    if (key === 'engine') return [engineLabel];
    if (key === 'image') return reference === undefined ? image.digests : [reference];
    const use = inventory.containersOf(image.id).size > 0 ? 'used' : 'unused';
    return key === 'state' ? [use, ...(reference === undefined ? ['dangling'] : [])] : [];
  };
  // Without their repository: some engines list one digest per name of the image, so a name would match every row of
  // the image.
  const digests =
    reference === undefined ? image.digests : image.digests.map((one) => one.replace(/^.*@/, ''));
  return { words: () => [reference ?? '', image.id, ...digests], values };
}

/** The group of an image name, and its title in the group. */
interface ImageGroup {
  /** Repository or registry; empty for images without one. */
  readonly key: string;
  /** The name without the part that the group already shows. */
  readonly title: string | undefined;
}

/** Returns the group of a row; undefined if rows are not grouped. */
export function imageGroupOf(
  { reference, image }: Pick<ArrangedRow, 'reference' | 'image'>,
  { groupBy }: ImageArrangement,
): ImageGroup | undefined {
  if (groupBy === 'none') return undefined;
  const name = reference ?? image.digests[0] ?? '';
  if (name === '') return { key: '', title: undefined };
  const { repository, tag } = cut(name);
  if (groupBy === 'repository') {
    return { key: repository, title: reference === undefined || tag === '' ? undefined : tag };
  }
  const { registry, path } = splitRegistry(repository);
  const title = tag === '' ? path : `${path}:${tag}`;
  return { key: registry, title: reference === undefined ? undefined : title };
}

/** Returns the comparator for rows below one parent. When sorting by name, dangling images come last. */
export function comparatorFor({
  sortBy,
}: ImageArrangement): (a: ArrangedRow, b: ArrangedRow) => number {
  switch (sortBy) {
    case 'name':
      return byReference;
    case 'newest':
      return (a, b) => newestFirst(a.image, b.image) || byReference(a, b);
    case 'size':
      return (a, b) => b.image.size - a.image.size || byReference(a, b);
  }
}

/** Compares by name as shown, then by registry. Dangling images come last, newest first. */
function byReference(a: ArrangedRow, b: ArrangedRow): number {
  if (a.reference !== undefined && b.reference !== undefined) {
    const one = splitRegistry(a.reference);
    const two = splitRegistry(b.reference);
    return (
      naturalOrder(one.path, two.path) || naturalOrder(one.registry, two.registry) || byId(a, b)
    );
  }
  if (a.reference !== b.reference) return a.reference === undefined ? 1 : -1;
  return newestFirst(a.image, b.image) || byId(a, b);
}

/** Splits a name into the repository and the tag. A digest is removed. */
function cut(name: string): { readonly repository: string; readonly tag: string } {
  const [rest = ''] = name.split('@', 1);
  const colon = rest.lastIndexOf(':');
  if (colon <= rest.lastIndexOf('/')) return { repository: rest, tag: '' };
  return { repository: rest.slice(0, colon), tag: rest.slice(colon + 1) };
}

/** Splits off the registry: the part before the first slash, if it looks like a host, which may have capitals. */
export function splitRegistry(name: string): { readonly registry: string; readonly path: string } {
  const slash = name.indexOf('/');
  const first = name.slice(0, Math.max(slash, 0));
  return /[.:A-Z]/.test(first) || first === 'localhost'
    ? { registry: first, path: name.slice(slash + 1) }
    : { registry: 'docker.io', path: name };
}
