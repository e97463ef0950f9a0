import { ByteStore } from '../logs/byteStore.ts';
import type { Connection } from '../http/connection.ts';
import { containerPath } from '../containers/containers.ts';
import { EngineError } from '../errors.ts';
import { readPathStat, type PathKind, type PathStat } from './pathStat.ts';
import { badAnswer } from '../http/readReply.ts';
import type { EngineRequest } from '../http/engineRequest.ts';
import { readFirstEntry, readTar, type TarEntry } from './readTar.ts';

/** Bytes of a file for which memory is taken before they come. */
const MOST_AT_ONCE = 16 * 1024 * 1024;

/**
 * A limit of its own, for engines keep this waiting while somebody reads the container's files: it must not take the
 * connections of the short calls.
 */
const STAT_LIMIT_MS = 30_000;

/** A path that is there, but is not what was asked for: a folder where a file was meant, or the reverse. */
export class PathKindError extends Error {
  override readonly name = 'PathKindError';
  /** In the container. */
  readonly path: string;
  /** What it is. */
  readonly kind: PathKind;

  constructor(path: string, kind: PathKind) {
    super(`${path}: ${kind}`);
    this.path = path;
    this.kind = kind;
  }
}

/**
 * What a path in a container leads to: `HEAD /containers/{id}/archive`. A link is told as itself, with where it
 * ends. The container may be running or not, and needs no shell.
 *
 * @param path a full path in the container.
 * @throws EngineError `notFound` where there is no such path, or no such container.
 */
export async function statPath(
  connection: Connection,
  id: string,
  path: string,
  signal?: AbortSignal,
): Promise<PathStat> {
  const request = archiveRequest('HEAD', id, path, signal);
  const { headers } = await connection.send({ ...request, limitMs: STAT_LIMIT_MS });
  const stat = readPathStat(headers['x-docker-container-path-stat']);
  if (!stat) throw badAnswer(connection, `HEAD ${request.path}`);
  return stat;
}

/**
 * The same, but of what a link leads to.
 *
 * @returns the path it ends at, and what is there.
 * @throws EngineError `notFound` also for a link that leads nowhere.
 */
export async function followPath(
  connection: Connection,
  id: string,
  path: string,
  signal?: AbortSignal,
): Promise<{ readonly path: string; readonly stat: PathStat }> {
  const stat = await statPath(connection, id, path, signal);
  if (stat.kind !== 'link') return { path, stat };
  const end = stat.linkTarget;
  const there = await statPath(connection, id, end, signal);
  // The engine has followed it to its end. One that is a link still has none.
  if (there.kind === 'link') throw new EngineError('notFound', where(connection, id));
  return { path: end, stat: there };
}

/**
 * The entries of a path in a container, as they come: `GET /containers/{id}/archive`. The first is the path itself,
 * named by its last part; `/.` at the end means what is in a folder, some engines with the folder as `./` first.
 *
 * The engine holds the container's lock until all is read or the reader leaves: read promptly.
 *
 * @throws EngineError `notFound`; `badAnswer` for what is no tar; `cut`; the signal's reason.
 */
export function readArchive(
  connection: Connection,
  id: string,
  path: string,
  signal?: AbortSignal,
): AsyncGenerator<TarEntry> {
  return entriesOf(readTar, connection, id, path, signal);
}

async function* entriesOf(
  read: typeof readTar,
  connection: Connection,
  id: string,
  path: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<TarEntry> {
  const request = archiveRequest('GET', id, path, signal);
  const { body } = await connection.stream(request);
  const details = { ...where(connection, id), operation: `GET ${request.path}` };
  yield* read(body, (cause) =>
    signal?.aborted || cause instanceof EngineError
      ? cause
      : new EngineError('badAnswer', { ...details, cause }),
  );
}

/**
 * A file of a container, whole; a link is followed.
 *
 * @param limit bytes it may have.
 * @throws EngineError `notFound`; `tooLarge` past the limit; PathKindError for what is no file.
 */
export async function readContainerFile(
  connection: Connection,
  id: string,
  path: string,
  limit: number,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const read = await readOnce(connection, id, path, limit, signal);
  if (read !== 'link') return read;
  const end = await followPath(connection, id, path, signal);
  const again = await readOnce(connection, id, end.path, limit, signal);
  if (again === 'link') throw new EngineError('notFound', where(connection, id));
  return again;
}

async function readOnce(
  connection: Connection,
  id: string,
  path: string,
  limit: number,
  signal: AbortSignal | undefined,
): Promise<Uint8Array | 'link'> {
  for await (const entry of entriesOf(readFirstEntry, connection, id, path, signal)) {
    if (entry.kind === 'link') return 'link';
    if (entry.kind === 'folder' || entry.kind === 'other')
      throw new PathKindError(path, entry.kind);
    if (entry.size > limit) throw new EngineError('tooLarge', where(connection, id));
    // Awaited here: once the loop is left, nothing more can be read.
    return await contentsOf(entry);
  }
  throw badAnswer(connection, `GET ${containerPath(id, 'archive')}`);
}

async function contentsOf({ size, contents }: TarEntry): Promise<Uint8Array> {
  // Memory as it comes: a header may say half a gigabyte and nothing follow.
  if (size > MOST_AT_ONCE) {
    const bytes = new ByteStore(size);
    for await (const piece of contents) bytes.add(piece);
    return bytes.take();
  }
  const bytes = Buffer.allocUnsafe(size);
  let at = 0;
  // No more comes than the entry's header says, or the tar would be broken.
  for await (const piece of contents) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes.subarray(0, at);
}

/**
 * Writes a tar into a folder of a container: `PUT /containers/{id}/archive`. What has the name of an entry is
 * replaced, but no folder by a file and no file by a folder. What was written before a failure stays.
 *
 * @param path an existing folder, by its full path in the container.
 * @param tar called once for each try.
 * @throws EngineError `notFound` where there is no such folder; UploadError where `tar` fails.
 */
export async function writeArchive(
  connection: Connection,
  id: string,
  path: string,
  tar: () => AsyncIterable<Uint8Array>,
  signal?: AbortSignal,
): Promise<void> {
  await connection.send({
    method: 'PUT',
    path: containerPath(id, 'archive'),
    query: { path, noOverwriteDirNonDir: true },
    upload: { type: 'application/x-tar', open: tar },
    limitMs: 0,
    signal,
  });
}

function archiveRequest(
  method: 'GET' | 'HEAD',
  id: string,
  path: string,
  signal: AbortSignal | undefined,
): EngineRequest {
  return { method, path: containerPath(id, 'archive'), query: { path }, signal };
}

function where(
  connection: Connection,
  id: string,
): { readonly endpoint: string; readonly operation: string } {
  return { endpoint: connection.endpoint.url, operation: `GET ${containerPath(id, 'archive')}` };
}
