import {
  containerMounts,
  type ContainerDetails,
  type MountDetails,
} from '../../engine/containers/containerDetails.ts';
import { nodeFiles } from '../../engine/discovery/nodeFiles.ts';
import { mountAt } from '../../engine/files/mountAt.ts';
import { monotonicClock, type Clock } from '../../base/time.ts';
import { buildCopies } from '../../logs/sources/buildCopies.ts';
import {
  fileOriginsOf,
  knownCandidatesFor,
  type FileOrigins,
} from '../../logs/sources/fileOrigins.ts';
import { normalizeSourcePath } from '../../logs/sources/normalizeSourcePath.ts';
import { isReallyWithin } from '../../projects/fileAccess.ts';

/**
 * The files of the workspace by their paths in one container: those that are mounted there, and those that its image was
 * built from, as far as its compose file tells. What a volume covers is not among them.
 */
export class WorkspacePaths {
  readonly #parts: WorkspacePathsParts;
  readonly #clock: Clock;
  readonly #known = new Map<string, Promise<string | undefined>>();
  #asked = 0;
  #since: number;

  constructor(parts: WorkspacePathsParts) {
    this.#parts = parts;
    this.#clock = parts.clock ?? monotonicClock;
    this.#since = this.#clock.now();
  }

  /** The paths in the container at or below which there are such files. */
  get targets(): readonly string[] {
    const { binds, copies } = this.#parts.origins;
    return [...binds, ...copies].map(({ target }) => target);
  }

  /**
   * Resolves to the absolute path of the file that a path in the container is; undefined if there is none. Looks only so
   * often within a time: what a program prints decides about it.
   */
  locate(written: string): Promise<string | undefined> {
    const now = this.#clock.now();
    if (now - this.#since > PERIOD_MS) {
      // A file may have been created or removed.
      this.#known.clear();
      this.#since = now;
      this.#asked = 0;
    }
    const known = this.#known.get(written);
    if (known) return known;
    if (Math.max(this.#asked, this.#known.size) >= MOST_LOOKS) return Promise.resolve(undefined);
    const found = this.#find(written);
    this.#known.set(written, found);
    return found;
  }

  async #find(written: string): Promise<string | undefined> {
    const { origins, mounts, isFile } = this.#parts;
    const path = normalizeSourcePath(written);
    if (path === undefined) return undefined;
    const mount = mountAt(path, mounts);
    if (mount && mount.type !== 'bind') return undefined;
    const { binds, copies } = origins;
    const own = mount ? { binds, copies: [] } : { binds: [], copies };
    for (const file of knownCandidatesFor(path, own).flat()) {
      this.#asked += 1;
      // The name of a folder may have anything, and the terminal would obey it.
      if (!CONTROLS.test(file) && (await isFile(file))) return file;
    }
    return undefined;
  }
}

interface WorkspacePathsParts {
  readonly origins: Pick<FileOrigins, 'binds' | 'copies'>;
  /** All mounts of the container. */
  readonly mounts: readonly MountDetails[];
  /** Whether a path is a file of the workspace. */
  readonly isFile: (path: string) => Promise<boolean>;
  readonly clock?: Clock;
}

/** For how long what was found holds. */
const PERIOD_MS = 10_000;
/** The most looks at the file system in that time. */
const MOST_LOOKS = 5000;
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const CONTROLS = /[\x00-\x1f\x7f-\x9f]/;
/** No compose file or Dockerfile is larger than this, in characters. */
const LARGEST_READ = 256 * 1024;

/**
 * Returns the files of these workspace folders in a container.
 *
 * @param isLocal whether the engine runs on this machine: otherwise, its bind mounts are files of another one.
 */
export async function workspacePathsOf(
  details: ContainerDetails,
  folders: readonly string[],
  isLocal: boolean,
): Promise<WorkspacePaths> {
  const origins = fileOriginsOf(details);
  const isOwn = (path: string): boolean => isReallyWithin(path, folders);
  const copies = await buildCopies(origins, async (path) => {
    const text = isOwn(path) ? await nodeFiles.readText(path) : undefined;
    return text !== undefined && text.length <= LARGEST_READ ? text : undefined;
  });
  return new WorkspacePaths({
    origins: { binds: isLocal ? origins.binds : [], copies },
    mounts: containerMounts(details),
    isFile: async (path) => isOwn(path) && (await nodeFiles.kindOf(path)) === 'file',
  });
}
