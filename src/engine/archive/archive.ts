import { ByteStore } from '../wire/byteStore.ts';
import type { Connection } from '../http/connection.ts';
import { hasReplacement } from './hasReplacement.ts';
import { containerPath } from '../wire/wire.ts';
import { EngineError, failedWith, type RequestContext } from '../errors.ts';
import { NameEncodingError, PathKindError, readPathStat, type PathStat } from './pathStat.ts';
import { badAnswer } from '../http/readReply.ts';
import type { EngineRequest } from '../http/engineRequest.ts';
import { readFirstEntry, readTar, type TarEntry } from './readTar.ts';

/**
 * Where absolute paths begin: the root of a container, by its ID, or a folder of it. Then everything outside this
 * folder does not exist.
 */
export type ArchiveRoot = string | { readonly container: string; readonly folder: string };

/**
 * The time limit of a `HEAD` of a path, in milliseconds. It has a limit of its own so that it does not use the
 * connections of the short calls: an engine keeps the request waiting while another client reads files of the
 * container.
 */
const STAT_LIMIT_MS = 30_000;

/**
 * Returns what a path in a container is: `HEAD /containers/{id}/archive`. A symbolic link is not followed; the
 * result has its final target. The container may be running or stopped and needs no shell.
 *
 * @param path absolute path in the container.
 * @throws EngineError `notFound` if the path or the container does not exist; `badAnswer` if the response has
 *   no valid path header; NameEncodingError if nothing can be asked for by this name.
 */
export async function statPath(
  connection: Connection,
  root: ArchiveRoot,
  path: string,
  signal?: AbortSignal,
): Promise<PathStat> {
  const request = archiveRequest('HEAD', root, path, signal);
  const { headers } = await connection
    .send({ ...request, limitMs: STAT_LIMIT_MS })
    .catch((error: unknown) => {
      throw explained(error, path);
    });
  const stat = readPathStat(headers['x-docker-container-path-stat']);
  if (!stat) throw badAnswer(connection, `HEAD ${request.path}`);
  return { ...stat, linkTarget: pathIn(root, stat.linkTarget) };
}

/**
 * Like `statPath`, but follows symbolic links.
 *
 * @returns the path of the final target, and what is there.
 * @throws EngineError `notFound` also if the link is broken or circular.
 */
export async function followPath(
  connection: Connection,
  root: ArchiveRoot,
  path: string,
  signal?: AbortSignal,
): Promise<{ readonly path: string; readonly stat: PathStat }> {
  const stat = await statPath(connection, root, path, signal);
  if (stat.kind !== 'link') return { path, stat };
  const end = stat.linkTarget;
  if (end === '') throw new EngineError('notFound', where(connection, root));
  const there = await statPath(connection, root, end, signal);
  // The engine has resolved the link to its end. If the target is still a link, it is broken or circular.
  if (there.kind === 'link') throw new EngineError('notFound', where(connection, root));
  return { path: end, stat: there };
}

/**
 * Yields the entries of a path in a container as they arrive: `GET /containers/{id}/archive`. The first entry is the
 * path itself, named by its last segment. A path that ends in `/.` represents the contents of a folder; some engines
 * then send the folder as `./` first.
 *
 * The engine holds the lock of the container until the response is read or closed, so read promptly.
 *
 * @param path absolute path in the container.
 * @param read parses the tar; decides which entries are yielded.
 * @throws EngineError `notFound`; `badAnswer` if the response is not a tar; `cut`; the abort reason of the signal.
 */
export async function* readArchive(
  connection: Connection,
  root: ArchiveRoot,
  path: string,
  signal?: AbortSignal,
  read = readTar,
): AsyncGenerator<TarEntry> {
  const request = archiveRequest('GET', root, path, signal);
  const { body } = await connection.stream(request).catch((error: unknown) => {
    throw explained(error, path);
  });
  yield* read(body, (cause) =>
    signal?.aborted || cause instanceof EngineError
      ? cause
      : new EngineError('badAnswer', { ...where(connection, root), cause }),
  );
}

/**
 * Returns the tar of a path in a container as the engine sends it: `GET /containers/{id}/archive`. May be read once.
 *
 * @throws EngineError `notFound`; reading throws `cut`, or the abort reason of the signal.
 */
export async function openArchive(
  connection: Connection,
  root: ArchiveRoot,
  path: string,
  signal?: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  return (await connection.stream(archiveRequest('GET', root, path, signal))).body;
}

/**
 * Returns the contents of a file of a container. A symbolic link is followed.
 *
 * @param path absolute path in the container.
 * @param limit maximum size in bytes.
 * @throws EngineError `notFound`; `tooLarge` if the file exceeds the limit; PathKindError if the path is not a file.
 */
export async function readContainerFile(
  connection: Connection,
  root: ArchiveRoot,
  path: string,
  limit: number,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const read = await readOnce(connection, root, path, limit, signal);
  if (read !== 'link') return read;
  const end = await followPath(connection, root, path, signal);
  const again = await readOnce(connection, root, end.path, limit, signal);
  if (again === 'link') throw new EngineError('notFound', where(connection, root));
  return again;
}

async function readOnce(
  connection: Connection,
  root: ArchiveRoot,
  path: string,
  limit: number,
  signal: AbortSignal | undefined,
): Promise<Uint8Array | 'link'> {
  for await (const entry of readArchive(connection, root, path, signal, readFirstEntry)) {
    if (entry.kind === 'link') return 'link';
    if (entry.kind === 'folder' || entry.kind === 'other')
      throw new PathKindError(path, entry.kind);
    if (entry.size > limit) throw new EngineError('tooLarge', where(connection, root));
    // Await here: leaving the loop closes the response.
    return await contentsOf(entry);
  }
  throw badAnswer(connection, `GET ${containerPath(archiveContainer(root), 'archive')}`);
}

/** Allocates memory as the bytes arrive, because a header may announce half a gigabyte that never comes. */
async function contentsOf({ size, contents }: TarEntry): Promise<Uint8Array> {
  const bytes = new ByteStore(size);
  for await (const piece of contents) bytes.add(piece);
  return bytes.drain();
}

/**
 * Extracts a tar into a folder of a container: `PUT /containers/{id}/archive`. Existing files with the name of an entry
 * are replaced, but a folder is never replaced by a file, nor a file by a folder. Files written before a failure stay.
 *
 * @param path absolute path of an existing folder in the container.
 * @param tar called once per attempt.
 * @throws EngineError `notFound` if the folder or the container does not exist; UploadError if `tar` fails.
 */
export async function writeArchive(
  connection: Connection,
  root: ArchiveRoot,
  path: string,
  tar: () => AsyncIterable<Uint8Array>,
  signal?: AbortSignal,
): Promise<void> {
  await connection.send({
    method: 'PUT',
    path: containerPath(archiveContainer(root), 'archive'),
    query: { path: wholePath(root, path), noOverwriteDirNonDir: true },
    upload: { type: 'application/x-tar', open: tar },
    limitMs: 0,
    signal,
  });
}

/** A path that was listed is not found if its name had to be replaced in part. */
function explained(error: unknown, path: string): unknown {
  const isLost = hasReplacement(path) && failedWith(error, 'notFound');
  return isLost ? new NameEncodingError(path, error) : error;
}

function archiveRequest(
  method: 'GET' | 'HEAD',
  root: ArchiveRoot,
  path: string,
  signal: AbortSignal | undefined,
): EngineRequest {
  return {
    method,
    path: containerPath(archiveContainer(root), 'archive'),
    query: { path: wholePath(root, path) },
    signal,
  };
}

function where(connection: Connection, root: ArchiveRoot): RequestContext {
  return {
    endpoint: connection.endpoint.url,
    operation: `GET ${containerPath(archiveContainer(root), 'archive')}`,
  };
}

/** Returns the ID of the container that has the files. */
export function archiveContainer(root: ArchiveRoot): string {
  return typeof root === 'string' ? root : root.container;
}

/** Returns the path in the container. */
export function wholePath(root: ArchiveRoot, path: string): string {
  if (typeof root === 'string') return path;
  return path === '/' ? root.folder : root.folder + path;
}

/** Returns the path relative to the root; empty if it is outside. */
function pathIn(root: ArchiveRoot, path: string): string {
  if (typeof root === 'string') return path;
  if (path === root.folder) return '/';
  return path.startsWith(`${root.folder}/`) ? path.slice(root.folder.length) : '';
}
