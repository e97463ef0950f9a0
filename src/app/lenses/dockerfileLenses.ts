import * as l10n from '@vscode/l10n';
import { LAST_STAGE } from '../../builds/dockerfiles.ts';
import type { Dockerfile } from '../../engine/builds/dockerfile/dockerfile.ts';

/** Returns the lenses of a Dockerfile: the last stage is what is built without a target. */
export function dockerfileLenses({ stages }: Dockerfile): readonly DockerfileLens[] {
  const last = stages.at(-1);
  const shown =
    last && stages.length > MOST_LENSES ? [...stages.slice(0, MOST_LENSES - 1), last] : stages;
  return shown.map((stage) => {
    const { name, index, lines } = stage;
    const line = lines.start - 1;
    if (stage === last)
      return { line, title: `$(tools) ${l10n.t('Build Image...')}`, target: LAST_STAGE };
    const title = `$(tools) ${l10n.t('Build This Target...')}`;
    return { line, title, target: name ?? String(index) };
  });
}

/** The most lenses of a file. The last stage always has one. */
const MOST_LENSES = 500;

/** Lens that builds a stage, above its `FROM`. */
interface DockerfileLens {
  /** From 0. */
  readonly line: number;
  readonly title: string;
  /** The name of the stage, its index, or `LAST_STAGE`. */
  readonly target: string;
}
