import * as l10n from '@vscode/l10n';
import { LAST_STAGE } from '../../builds/dockerfiles.ts';
import type { Dockerfile } from '../../engine/builds/dockerfile/dockerfile.ts';

/**
 * Returns the lenses of a Dockerfile: the last stage is what is built without a target. A quiet file has only that one:
 * its form has the other stages, too.
 */
export function dockerfileLenses(
  { stages }: Dockerfile,
  isQuiet: boolean,
): readonly DockerfileLens[] {
  const last = stages.at(-1);
  const most = isQuiet ? 1 : MOST_LENSES;
  const shown = last && stages.length > most ? [...stages.slice(0, most - 1), last] : stages;
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
