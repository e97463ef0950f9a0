import type { ContainerDetails } from '../../engine/containers/containerDetails.ts';
import {
  pathBelow,
  isAbsoluteNormalized,
  joinNormalized,
  hostPath,
  normalizeSourcePath,
} from './normalizeSourcePath.ts';

/** What is known of where a container's files come from. */
export interface ContainerPaths {
  /** Whose paths these are, by the container's id. */
  readonly id: string;
  /** Folders and files of the engine's machine, by where the container sees them; the longest target first. */
  readonly binds: readonly { readonly source: string; readonly target: string }[];
  /** Empty where it is not told, or the root. */
  readonly workingDir: string;
  /** Folders its compose project was started from, most likely first. */
  readonly projectFolders: readonly string[];
  /** The files its compose project was read from, each overriding those before. */
  readonly configFiles: readonly string[];
  /** What its image was built from, as far as that is known, what counts most first. */
  readonly copies: readonly CopiedPath[];
  /** Its compose service: often the name of the folder it is built from. */
  readonly service: string;
}

/** A file or folder of this machine, and where the container has a copy of it. */
export interface CopiedPath {
  readonly source: string;
  readonly target: string;
  /** Whether only a file of just this path comes from there, and nothing below it. */
  readonly isFile: boolean;
}

const WORKING_DIR = 'com.docker.compose.project.working_dir';
const CONFIG_FILES = 'com.docker.compose.project.config_files';
const SERVICE = 'com.docker.compose.service';

/** What an inspect answer tells of where a container's files come from. */
export function containerPathsOf(
  details: Pick<ContainerDetails, 'id' | 'binds' | 'workingDir' | 'labels'>,
): ContainerPaths {
  const { id, labels } = details;
  const binds = details.binds.flatMap((bind) => {
    const [source, target] = [hostPath(bind.source), normalizeSourcePath(bind.target)];
    return source === undefined || target === undefined ? [] : [{ source, target }];
  });
  const workingDir = normalizeSourcePath(details.workingDir) ?? '';
  const service = normalizeSourcePath(labels[SERVICE] ?? '') ?? '';
  return {
    id,
    binds: binds.sort((a, b) => b.target.length - a.target.length),
    workingDir: workingDir === '/' ? '' : workingDir,
    projectFolders: projectFolders(labels),
    configFiles: configFiles(labels),
    copies: [],
    service: service.includes('/') ? '' : service,
  };
}

function configFiles(labels: Readonly<Record<string, string>>): readonly string[] {
  const files = (labels[CONFIG_FILES] ?? '').split(',', 20).map((file) => hostPath(file) ?? '');
  return [...new Set(files)].filter((file) => isAbsoluteNormalized(file));
}

/** The folder compose ran in, and those of the files it read. */
function projectFolders(labels: Readonly<Record<string, string>>): readonly string[] {
  const folders = configFiles(labels).map((file) => file.slice(0, file.lastIndexOf('/')));
  const all = [hostPath(labels[WORKING_DIR] ?? '') ?? '', ...folders];
  return [...new Set(all)].filter((folder) => folder !== '' && isAbsoluteNormalized(folder));
}

/**
 * Files of this machine that a container's path may be, in groups, the surest first: by its binds, by what its image
 * was built from, then as if its working directory were a copy of its service's folder, of the project's, or of one
 * of the workspace. Of one group none is surer than another.
 *
 * @param path in the container, as `pathOf` spells it.
 * @param folders of the workspace, in that spelling.
 */
export function candidatesFor(
  path: string,
  container: ContainerPaths,
  folders: readonly string[],
): readonly (readonly string[])[] {
  const { workingDir, projectFolders, service } = container;
  const whole =
    isAbsoluteNormalized(path) || workingDir === '' ? path : joinNormalized(workingDir, path);
  const bind = container.binds.find(({ target }) => pathBelow(target, whole) !== undefined);
  const bound = bind && pathBelow(bind.target, whole);
  const rest = isAbsoluteNormalized(path) ? workingDir && pathBelow(workingDir, path) : path;
  // The engine may see the sources of a bind under other names than this machine does.
  const rests = new Set([bound, rest].filter((one) => one !== undefined && one !== ''));
  const under = (bases: readonly string[]): readonly string[] =>
    bases.flatMap((base) => Array.from(rests, (one) => joinNormalized(base, one ?? '')));
  const ofService = (bases: readonly string[]): readonly string[] =>
    service === '' ? [] : bases.map((base) => joinNormalized(base, service));
  return [
    bind && bound !== undefined ? [joinNormalized(bind.source, bound)] : [],
    ...container.copies.map((copy) => copiedFrom(copy, whole)),
    under(ofService(projectFolders)),
    under(projectFolders),
    under(ofService(folders)),
    under(folders),
  ];
}

function copiedFrom({ source, target, isFile }: CopiedPath, path: string): readonly string[] {
  const rest = pathBelow(target, path);
  return rest === undefined || (isFile && rest !== '') ? [] : [joinNormalized(source, rest)];
}
