import { LAST_STAGE } from '../builds/dockerfiles.ts';
import type { Dockerfile } from '../engine/builds/dockerfile.ts';
import type { L10n } from '../l10n.ts';

/** Returns the lenses of a Dockerfile: the last stage is what is built without a target. */
export function dockerfileLenses({ stages }: Dockerfile, l10n: L10n): readonly DockerfileLens[] {
  return stages.map(({ name, index, lines }, at) => {
    const line = lines.start - 1;
    if (at === stages.length - 1)
      return { line, title: `$(tools) ${l10n.t('Build Image...')}`, target: LAST_STAGE };
    const title = `$(tools) ${l10n.t('Build This Target...')}`;
    return { line, title, target: name ?? String(index) };
  });
}

/** What can be built, above the `FROM` of its stage. */
export interface DockerfileLens {
  /** From 0. */
  readonly line: number;
  readonly title: string;
  /** The name of the stage, its index, or `LAST_STAGE`. */
  readonly target: string;
}
