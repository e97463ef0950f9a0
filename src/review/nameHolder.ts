import type { Image } from '../engine/model.ts';
import { parseReference, parseRepositoryAndTag } from '../engine/reference.ts';

/**
 * The image that has a name now, which a new image would take from it.
 *
 * @param name `repository[:tag]` as a person writes it; `latest` where there is no tag.
 */
export function holderOf(name: string, images: Iterable<Image>): Image | undefined {
  const wanted = parseRepositoryAndTag(name);
  if (!wanted.ok) return undefined;
  const full = fullName(`${wanted.value.repository}:${wanted.value.tag ?? 'latest'}`);
  for (const image of images) {
    if (image.tags.some((tag) => fullName(tag) === full)) return image;
  }
  return undefined;
}

/** With its registry, whether that was written or not. */
function fullName(reference: string): string {
  const read = parseReference(reference);
  if (!read.ok) return reference;
  const { registry, repository, tag = 'latest' } = read.value;
  return `${registry}/${repository}:${tag}`;
}
