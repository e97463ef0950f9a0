import type { Image } from '../../engine/model.ts';
import { repositoryOf } from '../../engine/options/reference.ts';
import { shortId } from '../format.ts';

/**
 * Returns every name that an image loses with its removal: its tags, then the repositories that it was pulled from by
 * digest; its short ID if it has none.
 */
export function imageNames({
  id,
  tags,
  digests,
}: Pick<Image, 'id' | 'tags' | 'digests'>): readonly string[] {
  const short = shortId(id);
  const tagged = new Set(tags.map(repositoryOf));
  const pulled = digests.map(repositoryOf).filter((one) => one !== '' && !tagged.has(one));
  const names = [...new Set([...tags, ...pulled.map((one) => `${one}@${short}`)])];
  return names.length === 0 ? [short] : names;
}

/** Returns the name to show for an image: its first tag, else the repository it was pulled from, else its short ID. */
export function imageDisplayName(image: Image): string {
  return imageNames(image)[0] ?? shortId(image.id);
}
