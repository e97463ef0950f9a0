import type { ShownBuild } from './shownBuild.ts';
import { BuildRun } from './buildRun.ts';

/** The image of a build, and the one before it. */
export interface ComparedImages {
  readonly imageId: string;
  readonly lastImageId: string;
}

/**
 * Returns the images of a build that can be compared: of a build of this window whose image is on the engine, and
 * is another one than that of the last build.
 */
export function comparedImages(build: ShownBuild): ComparedImages | undefined {
  const { end } = build instanceof BuildRun ? build : {};
  if (end?.phase !== 'done' || end.result.isElsewhere !== undefined) return undefined;
  const { imageId, lastImageId } = end.result;
  const isOther = imageId !== '' && lastImageId !== undefined && lastImageId !== imageId;
  return isOther ? { imageId, lastImageId } : undefined;
}
