/** Results of finished builds of this window: what they have made and sent. */

import type { BuildResult, SentContext } from '../engine/builds/model.ts';
import { BuildRun } from './buildRun.ts';
import type { ShownBuild } from './shownBuild.ts';

/** The image of a build, and the one before it. */
export interface ComparedImages {
  readonly imageId: string;
  readonly lastImageId: string;
}

/** Returns the images of a build if its own is on the engine, and is another one than that of the last build. */
export function comparedImages(build: ShownBuild): ComparedImages | undefined {
  const { imageId = '', lastImageId, isElsewhere } = resultOf(build) ?? {};
  if (imageId === '' || isElsewhere !== undefined) return undefined;
  const isOther = lastImageId !== undefined && lastImageId !== imageId;
  return isOther ? { imageId, lastImageId } : undefined;
}

/** Returns what a build sent of its context; undefined if that is not known, or nothing. */
export function sentFiles(build: ShownBuild): SentContext | undefined {
  const sent = resultOf(build)?.sent;
  return sent && sent.largest.length > 0 ? sent : undefined;
}

function resultOf(build: ShownBuild): BuildResult | undefined {
  const { end } = build instanceof BuildRun ? build : {};
  return end?.phase === 'done' ? end.result : undefined;
}
