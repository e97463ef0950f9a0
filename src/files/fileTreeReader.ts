import {
  followPath,
  readContainerFile,
  statPath,
  type ArchiveRoot,
} from '../engine/archive/archive.ts';
import { containerPath } from '../engine/wire/wire.ts';
import { EngineError, failedWith } from '../engine/errors.ts';
import type { Connection } from '../engine/http/connection.ts';
import type { PathStat } from '../engine/archive/pathStat.ts';
import {
  checkSeen,
  listUnseenMounts,
  readFolder,
  type UnreadMount,
} from '../engine/volumes/unseenMounts.ts';
import { abortReason } from '../base/lifetime.ts';
import { FileIndex, type Listing } from './fileIndex.ts';
import type { FileSource } from '../engine/volumes/fileSource.ts';
import { joinPath, splitPath, normalizePath } from './fileRoot.ts';

/**
 * Reads and caches the files of one container or image. Engines have no API to list a folder, only an archive
 * of everything below it, so one read also serves the folders below.
 */
export class FileTreeReader {
  readonly #options: FileTreeReaderOptions;
  readonly #readings = new Map<string, Reading>();
  #kept: readonly Kept[] = [];
  /** Incremented on each `drop`, to discard reads that are still running. */
  #age = 0;

  constructor(parts: FileTreeReaderOptions) {
    this.#options = parts;
  }

  /** Returns the stat of a path without following links. @throws EngineError. */
  stat(path: string): Promise<PathStat> {
    return this.#options.access((connection, id) =>
      ifSeen(connection, id, path, () => statPath(connection, id, path)),
    );
  }

  /** Resolves links and returns the final path and its stat. @throws EngineError; the signal's reason. */
  follow(path: string, signal?: AbortSignal): ReturnType<typeof followPath> {
    return this.#options.access(
      (connection, id) =>
        ifSeen(connection, id, path, () => followPath(connection, id, path, signal)),
      signal,
    );
  }

  /**
   * Reads a complete file.
   *
   * @param limit in bytes.
   * @throws EngineError; PathKindError.
   */
  read(path: string, limit: number): Promise<Uint8Array> {
    return this.#options.access((connection, id) =>
      ifSeen(connection, id, path, () => readContainerFile(connection, id, path, limit)),
    );
  }

  /**
   * Lists a folder. Without `isPatient`, reading stops after a timeout and the listing is marked as incomplete.
   *
   * @param path absolute; a link to a folder is followed.
   * @throws EngineError; the signal's reason.
   */
  async list(
    path: string,
    options: { readonly isPatient?: boolean; readonly signal?: AbortSignal } = {},
  ): Promise<Listing> {
    const known = this.known(path);
    if (known && (known.isWhole || known.isFull || options.isPatient !== true)) return known;
    const index = await this.index(path, options);
    return index.list([]) ?? { entries: [], isWhole: false };
  }

  /** Returns the cached listing of a folder, or undefined. Sends no request. */
  known(path: string): Listing | undefined {
    const parts = splitPath(path);
    for (const { path: top, index } of this.#fresh()) {
      const above = splitPath(top);
      if (!above.every((part, at) => parts[at] === part)) continue;
      const listing = index.list(parts.slice(above.length));
      // An incomplete listing may be complete in another index, except for the top folder of an index.
      if (listing && (listing.isWhole || above.length === parts.length)) return listing;
    }
    return undefined;
  }

  /** Returns whether a link points to a folder, as far as the cache knows. */
  leadsToFolder(path: string, target: string): boolean {
    const end = target.startsWith('/') ? target : joinPath(normalizePath(`${path}/..`), target);
    return this.known(normalizePath(end)) !== undefined;
  }

  /**
   * Indexes everything below a folder. Concurrent calls for the same folder share one read.
   *
   * @throws as `list`.
   */
  async index(
    path: string,
    options: { readonly isPatient?: boolean; readonly signal?: AbortSignal } = {},
  ): Promise<FileIndex> {
    const top = normalizePath(path);
    const key = `${options.isPatient === true ? 'all' : 'some'} ${top}`;
    const running = this.#readings.get(key);
    // A read that was aborted by its last waiter ends without a result.
    const isUsable = running && !running.controller.signal.aborted;
    const reading = isUsable ? running : this.#start(key, top, options.isPatient === true);
    return waitFor(reading, options.signal);
  }

  /**
   * Drops the cache because the files may have changed. Pending calls still get their result; later calls read again.
   */
  drop(): void {
    this.#kept = [];
    this.#readings.clear();
    this.#age += 1;
  }

  dispose(): void {
    for (const { controller } of this.#readings.values()) controller.abort();
    this.drop();
  }

  #start(key: string, path: string, isPatient: boolean): Reading {
    const controller = new AbortController();
    const index = this.#read(path, isPatient, controller.signal);
    const reading: Reading = { index, controller, waiting: 0 };
    this.#readings.set(key, reading);
    const done = (): void => {
      if (this.#readings.get(key) === reading) this.#readings.delete(key);
    };
    index.then(done, done);
    return reading;
  }

  async #read(path: string, isPatient: boolean, signal: AbortSignal): Promise<FileIndex> {
    const age = this.#age;
    const index = await this.#options.access((connection, id) => {
      const late = isPatient ? undefined : AbortSignal.timeout(TIMEOUT_MS);
      return fill(connection, id, path, signal, late);
    }, signal);
    // Dropped while reading: the result is already outdated.
    if (this.#age === age) this.#keep({ path, index, readAt: this.#options.now() });
    return index;
  }

  #keep(one: Kept): void {
    const others = this.#kept.filter(({ path }) => path !== one.path);
    let room = ROOM;
    this.#kept = [one, ...others].filter(({ index }, at) => (room -= index.size) >= 0 || at === 0);
  }

  #fresh(): readonly Kept[] {
    if (!this.#options.isMoving()) return this.#kept;
    const since = this.#options.now() - FRESH_MS;
    return this.#kept.filter(({ readAt }) => readAt >= since);
  }
}

interface FileTreeReaderOptions {
  readonly access: FileSource;
  /** Whether files can change without notice, as in a running container. */
  readonly isMoving: () => boolean;
  /** In milliseconds. */
  readonly now: () => number;
}

/** Time that a listing of a running container stays valid, in milliseconds. */
const FRESH_MS = 10_000;
/** Time to read a folder before returning an incomplete listing, in milliseconds. */
const TIMEOUT_MS = 15_000;
/** Maximum number of cached entries per container or image, about 50 MB. */
const ROOM = 200_000;

interface Kept {
  readonly path: string;
  readonly index: FileIndex;
  readonly readAt: number;
}

interface Reading {
  readonly index: Promise<FileIndex>;
  readonly controller: AbortController;
  waiting: number;
}

/**
 * Indexes everything below a folder.
 *
 * @param late when aborted, the incomplete index is returned.
 * @throws EngineError `timeout` if it has no entry then: the engine waits for another reader of the container.
 */
async function fill(
  connection: Connection,
  id: ArchiveRoot,
  path: string,
  signal: AbortSignal,
  late: AbortSignal | undefined,
): Promise<FileIndex> {
  const index = new FileIndex(ROOM);
  const either = late ? AbortSignal.any([signal, late]) : signal;
  try {
    const unseen = await listUnseenMounts(connection, id, either);
    const reading = {
      unseen,
      onUnread: ({ path: inside, mount }: UnreadMount) => {
        index.miss(splitPath(inside), mount.unmounted);
      },
    };
    const { path: end } =
      unseen.length > 0 ? await followPath(connection, id, path, either) : { path };
    for await (const entry of readFolder(connection, id, end, reading, either)) {
      index.add(entry);
      if (index.isFull) break;
    }
    if (index.isFull) index.cut();
  } catch (error) {
    if (!late?.aborted || signal.aborted) throw error;
    if (index.size === 0) throw tooLate(connection, id);
    index.cut();
  }
  return index;
}

/** Calls `look`. What it does not find can be in a volume that is not mounted. @throws VolumeUnmountedError. */
async function ifSeen<T>(
  connection: Connection,
  id: ArchiveRoot,
  path: string,
  look: () => Promise<T>,
): Promise<T> {
  try {
    return await look();
  } catch (error) {
    if (failedWith(error, 'notFound')) checkSeen(await listUnseenMounts(connection, id), path);
    throw error;
  }
}

function tooLate({ endpoint }: Connection, root: ArchiveRoot): EngineError {
  const operation = `GET ${containerPath(typeof root === 'string' ? root : root.container, 'archive')}`;
  const limitSeconds = TIMEOUT_MS / 1000;
  return new EngineError('timeout', { endpoint: endpoint.url, operation, limitSeconds });
}

/** Waits for a shared read. When the last waiter aborts, the read is aborted. */
function waitFor(reading: Reading, signal: AbortSignal | undefined): Promise<FileIndex> {
  reading.waiting += 1;
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      if (!signal) return;
      reading.waiting -= 1;
      if (reading.waiting === 0) reading.controller.abort(abortReason(signal));
      reject(abortReason(signal));
    };
    if (signal?.aborted) {
      onAbort();
      return;
    }
    signal?.addEventListener('abort', onAbort, { once: true });
    void reading.index.then(resolve, reject).finally(() => {
      signal?.removeEventListener('abort', onAbort);
    });
  });
}
