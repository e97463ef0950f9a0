import { posix } from 'node:path';
import type { ContainerPaths, CopiedPath } from './containerPaths.ts';
import { composeBuildOf, type ComposeBuild } from './composeBuild.ts';
import { copiesIn } from './dockerfileCopy.ts';
import {
  isAbsoluteNormalized,
  joinNormalized,
  hostPath,
  normalizeSourcePath,
} from './normalizeSourcePath.ts';

/**
 * What a container's image has from the folder that its compose service is built from: as its Dockerfile copies it,
 * and last of all as if its working directory were a copy of that folder. What counts most comes first.
 */
export async function buildCopies(
  container: ContainerPaths,
  read: ReadText,
): Promise<readonly CopiedPath[]> {
  const { configFiles, projectFolders, service, workingDir } = container;
  const [project] = projectFolders;
  if (project === undefined || service === '') return [];
  let section: ComposeBuild | undefined;
  for (const file of configFiles) {
    const text = await read(file);
    const written = text === undefined ? undefined : await composeBuildOf(text, service);
    if (written) section = { ...section, ...written };
  }
  const context = section && resolved(project, section.context ?? '.');
  if (!section || context === undefined) return [];
  const dockerfile = resolved(context, section.dockerfile ?? 'Dockerfile');
  const text = dockerfile && (await read(dockerfile));
  const copies = text === undefined ? [] : copiesIn(text, section.target, workingDir);
  const whole = { source: context, target: workingDir, isFile: false };
  return [
    ...copies.map((copy) => ({ ...copy, source: posix.join(context, copy.source) })),
    ...(workingDir === '' ? [] : [whole]),
  ];
}

/** Reads a file of the workspace; undefined where it is none of its, or too large. */
export type ReadText = (path: string) => Promise<string | undefined>;

/** A path of this machine that is written in a file; undefined where it leads above the root. */
function resolved(folder: string, written: string): string | undefined {
  const own = hostPath(written);
  if (own !== undefined && isAbsoluteNormalized(own)) return own;
  const path = posix.normalize(joinNormalized(folder, written.replaceAll('\\', '/')));
  const shaped = normalizeSourcePath(path);
  return shaped !== undefined && isAbsoluteNormalized(shaped) ? shaped : undefined;
}
