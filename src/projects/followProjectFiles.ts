import type { Clock } from '../base/time.ts';
import type { FileAccess } from './fileAccess.ts';
import { FollowedFiles } from './followedFiles.ts';
import { readProjectFiles, type ProjectFiles } from './projectFiles.ts';

/** Follows the compose files of a project, which lies in a folder. */
export function followProjectFiles(
  { files, workingDir }: { readonly files: readonly string[]; readonly workingDir?: string },
  { mayRead, read = readProjectFiles, onDidChange, clock }: ProjectFilesOptions,
): FollowedFiles<ProjectFiles> {
  return new FollowedFiles({
    read: () => read(files, workingDir, mayRead),
    isKnown: ({ services }) => services !== undefined,
    textOf,
    onDidChange,
    clock,
  });
}

export type ReadFiles = (
  files: readonly string[],
  folder: string | undefined,
  mayRead: FileAccess['mayRead'],
) => Promise<ProjectFiles>;

interface ProjectFilesOptions extends Pick<FileAccess, 'mayRead'> {
  readonly read?: ReadFiles | undefined;
  readonly onDidChange: () => void;
  readonly clock: Clock;
}

/** Returns what rows show of the files. */
function textOf(files: ProjectFiles | undefined): string {
  const { services, expected = [], unbuilt = [], provided = [], hooked = [] } = files ?? {};
  const sets = [services ?? [], expected, unbuilt].map((one) => [...one].sort());
  return JSON.stringify([services !== undefined, ...sets, provided, hooked]);
}
