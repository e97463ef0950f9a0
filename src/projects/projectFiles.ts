import { dirname, isAbsolute, parse, resolve } from 'node:path';
import { FollowedFiles } from '../base/followedFiles.ts';
import { readLocalText } from '../base/readLocalFile.ts';
import type { Clock } from '../base/time.ts';
import { isExpected, readComposeFile, type ComposeService } from './composeFile.ts';
import type { FileAccess } from './fileAccess.ts';
import { MOST_FILES } from './projectLabels.ts';

/** Limits of what is read. */
const LARGEST_FILE = 512 * 1024;

/** The combined contents of the compose files of a project, with the files that they include. */
export interface ProjectFiles {
  /** The files that were looked for, absolute. */
  readonly paths: readonly string[];
  /** The names of all services, also of those with profiles; undefined if not all files could be read. */
  readonly services: ReadonlySet<string> | undefined;
  /** The services that Up creates if nothing else is asked for; undefined if not all files could be read. */
  readonly expected?: ReadonlySet<string>;
  /** The services that no file builds; undefined if not all files could be read. */
  readonly unbuilt?: ReadonlySet<string>;
  /** The services of the files that could be read that a provider runs, sorted. */
  readonly provided: readonly string[];
  /** The services of the files that could be read that have hooks, sorted. */
  readonly hooked: readonly string[];
  /** The profiles of services in those that could be read, sorted. */
  readonly profiles: readonly string[];
}

/**
 * Reads the compose files of a project from this machine. Never rejects.
 *
 * @param files absolute paths.
 * @param folder what paths of includes are relative to; by default the folder of the first file.
 * @param mayRead whether a file may be looked for.
 */
export async function readProjectFiles(
  files: readonly string[],
  folder?: string,
  mayRead: (path: string) => boolean | Promise<boolean> = () => true,
): Promise<ProjectFiles> {
  const [first = ''] = files;
  const base = folder ?? dirname(first);
  const queue = files.map((path) => ({ path, base }));
  const paths = new Set<string>();
  const services: ComposeService[] = [];
  let isWhole = files.length > 0 && files.every((file) => isAbsolute(file));
  for (const { path, base } of queue) {
    if (paths.has(path)) continue;
    if (!(await mayRead(path))) {
      isWhole = false;
      continue;
    }
    const text = paths.size < MOST_FILES ? await readComposeText(path) : undefined;
    paths.add(path);
    const file = text === undefined ? undefined : await readComposeFile(text);
    isWhole &&= file?.isWhole === true;
    services.push(...(file?.services ?? []));
    for (const include of file?.includes ?? []) {
      const path = resolve(base, include);
      queue.push({ path, base: dirname(path) });
    }
    if (queue.length > MOST_FILES) isWhole = false;
    if (paths.size === MOST_FILES) break;
  }
  return {
    paths: [...paths],
    services: isWhole ? new Set(namesOf(services)) : undefined,
    ...(isWhole && { expected: expectedOf(services), unbuilt: unbuiltOf(services) }),
    profiles: sorted(services.flatMap((service) => service.profiles)),
    provided: sorted(namesOf(services.filter(({ isProvided }) => isProvided))),
    hooked: sorted(namesOf(services.filter(({ hasHooks }) => hasHooks))),
  };
}

/** Returns the expected services: none that has a profile, or may have no container, in one of the files. */
function expectedOf(services: readonly ComposeService[]): ReadonlySet<string> {
  const others = new Set(namesOf(services.filter((one) => !isExpected(one))));
  return new Set(namesOf(services).filter((name) => !others.has(name)));
}

/** Returns the services that are not built. What is not understood, or extended, may be a build. */
function unbuiltOf(services: readonly ComposeService[]): ReadonlySet<string> {
  const built = new Set(namesOf(services.filter(({ build, merge }) => build ?? merge)));
  return new Set(namesOf(services).filter((name) => !built.has(name)));
}

function namesOf(services: readonly ComposeService[]): readonly string[] {
  return services.map(({ name }) => name);
}

function sorted(names: readonly string[]): readonly string[] {
  return [...new Set(names)].sort();
}

/** Reads a compose file. Resolves to undefined for what is not a file: reading a pipe or device could take forever. */
export async function readComposeText(path: string): Promise<string | undefined> {
  // The caller has decided whether it may be read, wherever it is.
  return readLocalText(path, { within: parse(path).root, limit: LARGEST_FILE });
}

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
