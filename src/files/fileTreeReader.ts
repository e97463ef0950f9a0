import { followPath, readArchive, readContainerFile, statPath } from '../engine/archive/archive.ts';
import type { Connection } from '../engine/http/connection.ts';
import type { PathStat } from '../engine/archive/pathStat.ts';
import { abortReason } from '../lifetime.ts';
import { FileIndex, type Listing } from './fileIndex.ts';
import { joinPath, splitPath, normalizePath } from './fileRoot.ts';

/**
 * The files of one container or image. Engines tell what is in a folder only by all that is below it, so what is read
 * for one folder is kept for those below it.
 */
export class FileTreeReader {
  readonly #options: FileTreeReaderOptions;
  readonly #readings = new Map<string, Reading>();
  #kept: readonly Kept[] = [];
  /** Counts how often all was forgotten. */
  #age = 0;

  constructor(parts: FileTreeReaderOptions) {
    this.#options = parts;
  }

  /** What is at a path; of a link itself. @throws EngineError. */
  stat(path: string, signal?: AbortSignal): Promise<PathStat> {
    return this.#options.access((connection, id) => statPath(connection, id, path, signal), signal);
  }

  /** What a path leads to, and where that is. @throws EngineError. */
  follow(
    path: string,
    signal?: AbortSignal,
  ): Promise<{ readonly path: string; readonly stat: PathStat }> {
    return this.#options.access(
      (connection, id) => followPath(connection, id, path, signal),
      signal,
    );
  }

  /** A whole file. @param limit bytes. @throws EngineError; PathKindError. */
  read(path: string, limit: number, signal?: AbortSignal): Promise<Uint8Array> {
    return this.#options.access(
      (connection, id) => readContainerFile(connection, id, path, limit, signal),
      signal,
    );
  }

  /**
   * What is in a folder. Reading ends after a while, unless it is to be patient; then the listing says that it is not
   * whole.
   *
   * @param path full; a link to a folder is followed.
   * @throws EngineError; the signal's reason.
   */
  async list(
    path: string,
    options: { readonly isPatient?: boolean; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<Listing> {
    const known = this.known(path);
    if (known && (known.isWhole || known.isFull || options.isPatient !== true)) return known;
    const index = await this.index(path, options);
    return index.list([]) ?? { entries: [], isWhole: false };
  }

  /** What is known of a folder without asking anybody. */
  known(path: string): Listing | undefined {
    const parts = splitPath(path);
    for (const { path: top, index } of this.#fresh()) {
      const above = splitPath(top);
      if (!above.every((part, at) => parts[at] === part)) continue;
      const listing = index.list(parts.slice(above.length));
      // One that is not whole may be in another index as a whole; for its own folder there is no better one.
      if (listing && (listing.isWhole || above.length === parts.length)) return listing;
    }
    return undefined;
  }

  /** Whether a link leads to a folder, as far as that is known without asking. */
  leadsToFolder(path: string, target: string): boolean {
    const end = target.startsWith('/') ? target : joinPath(normalizePath(`${path}/..`), target);
    return this.known(normalizePath(end)) !== undefined;
  }

  /** All that is below a folder. Those who ask for the same share one reading. @throws as `list`. */
  async index(
    path: string,
    options: { readonly isPatient?: boolean; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<FileIndex> {
    const top = normalizePath(path);
    const key = `${options.isPatient === true ? 'all' : 'some'} ${top}`;
    const running = this.#readings.get(key);
    // One that the last reader has left ends without a result.
    const isUsable = running && !running.controller.signal.aborted;
    const reading = isUsable ? running : this.#start(key, top, options.isPatient === true);
    return waitFor(reading, options.signal);
  }

  /**
   * Forgets what was read: it may be otherwise by now. Those who wait for a reading still get it; those who come later
   * do not.
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
    const patience = isPatient ? undefined : (this.#options.timeoutMs ?? TIMEOUT_MS);
    const index = await this.#options.access(
      (connection, id) => fill(connection, id, path, patience, signal),
      signal,
    );
    // Forgotten meanwhile: what was read is out of date already.
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

/** Runs work with a container whose files are those of the place. */
export type ContainerAccess = <T>(
  work: (connection: Connection, container: string) => Promise<T>,
  signal?: AbortSignal,
) => Promise<T>;

/** What the files of one place are read by. */
export interface FileTreeReaderOptions {
  readonly access: ContainerAccess;
  /** Whether files change there while nobody tells: in a container that is up. */
  readonly isMoving: () => boolean;
  /** Milliseconds. */
  readonly now: () => number;
  /** So long a folder is read before it is shown as far as it is known, in milliseconds. Default 15 s. */
  readonly timeoutMs?: number;
}

/** So long a folder of a container that runs is taken to be as it was. In milliseconds. */
const FRESH_MS = 10_000;
const TIMEOUT_MS = 15_000;
/** Entries kept for one place, which take some 50 MB. */
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

/** Reads all that is below a folder. @param patience milliseconds; after these, what there is then. */
async function fill(
  connection: Connection,
  id: string,
  path: string,
  patience: number | undefined,
  signal: AbortSignal,
): Promise<FileIndex> {
  const index = new FileIndex(ROOM);
  const late = new AbortController();
  const timer =
    patience === undefined
      ? undefined
      : setTimeout(() => {
          late.abort();
        }, patience);
  const either = AbortSignal.any([signal, late.signal]);
  try {
    const inside = path === '/' ? '/.' : `${path}/.`;
    for await (const entry of readArchive(connection, id, inside, either)) {
      index.add(entry);
      if (index.isFull) break;
    }
    if (index.isFull) index.cut();
  } catch (error) {
    if (!late.signal.aborted || signal.aborted) throw error;
    index.cut();
  } finally {
    clearTimeout(timer);
  }
  return index;
}

/** Waits with others; the last one who leaves ends the reading. */
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
