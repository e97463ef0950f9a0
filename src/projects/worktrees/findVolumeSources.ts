import { dirname, join } from 'node:path';
import type { Volume } from '../../engine/model.ts';
import { composeNameOf } from '../projectLabels.ts';
import type { OwnVolume } from './separate.ts';
import type { SeparatedProject } from './separateProject.ts';
import type { WorktreeRecord } from './worktreeOverrides.ts';

/**
 * Finds the other projects whose volumes can be copied for the project of a worktree: first the one that has the name in
 * the files, then those that are in the same folder of a worktree of the repository, without a file of their own or with
 * one. Anything can have the labels of a project, so this says only what the user can choose.
 *
 * @param existing the volumes of the engine, which has none of the project yet.
 */
export function findVolumeSources(
  { project, base, common, volumes }: VolumeOwner,
  existing: readonly Volume[],
  { records, plain }: OtherProjects,
): readonly VolumeDonor[] {
  const worktrees = records.filter(
    (one) => one.base === base && one.project !== project && isOf(common, one.gitFolder),
  );
  const separated = new Set([project, ...records.map((one) => one.project)]);
  const asInFiles = new Set([base, ...plain].filter((one) => one === base || !separated.has(one)));
  const mains: readonly Pick<VolumeDonor, 'project' | 'gitFolder' | 'folder'>[] = [
    ...asInFiles,
  ].map((one) => ({ project: one }));
  const donors = [...mains, ...worktrees].map(
    ({ project: donor, gitFolder, folder }): VolumeDonor => {
      const pairs = volumes.flatMap((one) => {
        const from = volumeOf(donor, one, asInFiles.has(donor), existing);
        return from ? [{ own: one, from }] : [];
      });
      const isPlain = ({ own, from }: VolumePair): boolean =>
        !own.hasOptions && from.driver === 'local' && Object.keys(from.options).length === 0;
      return {
        project: donor,
        ...(gitFolder !== undefined && { gitFolder }),
        ...(folder !== undefined && { folder }),
        pairs: pairs.filter(isPlain),
        withOptions: pairs.filter((one) => !isPlain(one)),
      };
    },
  );
  return donors.filter(({ pairs }) => pairs.length > 0);
}

/** The project of a worktree, which gets the copies. */
export type VolumeOwner = Pick<
  SeparatedProject,
  'project' | 'base' | 'common' | 'below' | 'volumes'
>;

interface OtherProjects {
  /** All worktrees that have a file. */
  readonly records: readonly WorktreeRecord[];
  /** The projects that are in the same folder of any worktree of the repository. */
  readonly plain: readonly string[];
}

/** A project that has volumes with the same names in the files. Its texts are not for display. */
export interface VolumeDonor {
  readonly project: string;
  /** See `WorktreeRecord`; missing if no worktree is known for it. */
  readonly gitFolder?: string;
  readonly folder?: string;
  /** The volumes that can be copied. */
  readonly pairs: readonly VolumePair[];
  /** Those that have another driver, or options: a copy could be the same files, or lack what the options set. */
  readonly withOptions: readonly VolumePair[];
}

/** A volume, and the one of another project that it is there. */
export interface VolumePair {
  readonly own: OwnVolume;
  readonly from: Volume;
}

/** Whether a folder of git is that of a repository, or of one of its worktrees. */
function isOf(common: string, gitFolder: string): boolean {
  return gitFolder === common || dirname(gitFolder) === join(common, 'worktrees');
}

/** Compose uses the volume with the name, whatever its labels are. */
function volumeOf(
  project: string,
  { key, fixedName }: OwnVolume,
  isMain: boolean,
  existing: readonly Volume[],
): Volume | undefined {
  const fixed = isMain ? fixedName : undefined;
  const expected = fixed ?? `${project}_${key}`;
  const named = existing.find(({ name }) => name === expected);
  const labels = composeNameOf(named?.labels ?? {}, 'volume');
  const isOfOther = labels.project !== undefined && labels.project !== project;
  if (named && (fixed !== undefined || !isOfOther)) return named;
  return existing.find((one) => {
    const found = composeNameOf(one.labels, 'volume');
    return found.project === project && found.name === key;
  });
}
