import type { SentContext } from '../engine/builds/model.ts';
import { BuildRun } from './buildRun.ts';
import type { ShownBuild } from './shownBuild.ts';

/** Returns what a build of this window sent of its context; undefined if that is not known, or nothing. */
export function sentFiles(build: ShownBuild): SentContext | undefined {
  const { end } = build instanceof BuildRun ? build : {};
  const sent = end?.phase === 'done' ? end.result.sent : undefined;
  return sent && sent.largest.length > 0 ? sent : undefined;
}
