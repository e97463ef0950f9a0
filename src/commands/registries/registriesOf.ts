import type { Image } from '../../engine/model.ts';
import { parseReference } from '../../engine/options/reference.ts';

/**
 * Returns the distinct registries of the images' tags, without `localhost`, which Podman puts before images
 * that it builds.
 */
export function registriesOf(images: Iterable<Image>): readonly string[] {
  const registries = [...images]
    .flatMap(({ tags }) => tags)
    .map((tag) => parseReference(tag))
    .flatMap((parsed) => (parsed.ok ? [parsed.value.registry] : []));
  return [...new Set(registries)].filter((registry) => registry !== 'localhost');
}
