import type { ContainerDetails } from '../../engine/containers/containerDetails.ts';
import { filesOf, SERVICE } from '../../projects/projectLabels.ts';
import {
  pathInside,
  isAbsoluteNormalized,
  joinNormalized,
  hostPath,
  normalizeSourcePath,
} from './normalizeSourcePath.ts';

/** Known origins of the files of a container, or of a step of a build. */
export interface FileOrigins {
  /** The ID of the container or the step. */
  readonly id: string;
  /** Folders and files of the engine's host by their path in the container; longest target first. */
  readonly binds: readonly { readonly source: string; readonly target: string }[];
  /** Empty if not known or the root. */
  readonly workingDir: string;
  /** The folders that the compose project may have been started from, most likely first. */
  readonly projectFolders: readonly string[];
  /** The compose files of the project. Each overrides those before. */
  readonly configFiles: readonly string[];
  /** The known copies in the image, most relevant first. */
  readonly copies: readonly CopiedPath[];
  /** The compose service, which often has the name of its build folder. */
  readonly service: string;
}

/** A file or folder of this machine and the path of its copy in the container. */
export interface CopiedPath {
  readonly source: string;
  readonly target: string;
  /** Whether the copy may only be a single file at exactly this path, not a folder. */
  readonly isFile: boolean;
}

/** Returns what the response of `GET /containers/{id}/json` contains about the origin of a container's files. */
export function fileOriginsOf(
  details: Pick<ContainerDetails, 'id' | 'binds' | 'workingDir' | 'labels'>,
): FileOrigins {
  const { id, labels } = details;
  const binds = details.binds.flatMap((bind) => {
    const source = hostPath(bind.source);
    const target = normalizeSourcePath(bind.target);
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
  const files = filesOf({ labels }).files.map((file) => hostPath(file) ?? '');
  return [...new Set(files)].filter((file) => isAbsoluteNormalized(file));
}

/** Returns the folder that compose ran in and those of its compose files. */
function projectFolders(labels: Readonly<Record<string, string>>): readonly string[] {
  const folders = configFiles(labels).map((file) => file.slice(0, file.lastIndexOf('/')));
  const all = [hostPath(filesOf({ labels }).workingDir ?? '') ?? '', ...folders];
  return [...new Set(all)].filter((folder) => folder !== '' && isAbsoluteNormalized(folder));
}

/**
 * Returns the files of this machine that a path in a container may refer to, in groups, most likely first: by
 * bind mounts, by the image's build copies, then as if the working directory were a copy of the service's
 * folder, of the project's folder, or of a workspace folder. Files of one group are equally likely.
 *
 * @param path the path in the container, normalized like by `normalizeSourcePath`.
 * @param folders the workspace folders, normalized likewise.
 */
export function candidatesFor(
  path: string,
  origins: FileOrigins,
  folders: readonly string[],
): readonly (readonly string[])[] {
  const { workingDir, projectFolders, service } = origins;
  const whole =
    isAbsoluteNormalized(path) || workingDir === '' ? path : joinNormalized(workingDir, path);
  const bind = origins.binds.find(({ target }) => pathInside(target, whole) !== undefined);
  const bound = bind && pathInside(bind.target, whole);
  const rest = isAbsoluteNormalized(path) ? workingDir && pathInside(workingDir, path) : path;
  // The source of a bind mount may have another path on the engine's host than on this machine.
  const rests = new Set([bound, rest].filter((one) => one !== undefined && one !== ''));
  const under = (bases: readonly string[]): readonly string[] =>
    bases.flatMap((base) => Array.from(rests, (one) => joinNormalized(base, one ?? '')));
  const ofService = (bases: readonly string[]): readonly string[] =>
    service === '' ? [] : bases.map((base) => joinNormalized(base, service));
  return [
    ...knownCandidatesFor(whole, origins),
    under(ofService(projectFolders)),
    under(projectFolders),
    under(ofService(folders)),
    under(folders),
  ];
}

/**
 * Returns the first of {@link candidatesFor}, which do not guess: the file of a bind mount, and those that the image
 * was built from.
 */
export function knownCandidatesFor(
  path: string,
  { binds, copies }: Pick<FileOrigins, 'binds' | 'copies'>,
): readonly (readonly string[])[] {
  const bind = binds.find(({ target }) => pathInside(target, path) !== undefined);
  const bound = bind && pathInside(bind.target, path);
  return [
    bind && bound !== undefined ? [joinNormalized(bind.source, bound)] : [],
    ...copies.map((copy) => copiedFrom(copy, path)),
  ];
}

function copiedFrom({ source, target, isFile }: CopiedPath, path: string): readonly string[] {
  const rest = pathInside(target, path);
  return rest === undefined || (isFile && rest !== '') ? [] : [joinNormalized(source, rest)];
}
