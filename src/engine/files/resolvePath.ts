import { statPath, type ArchiveRoot } from '../archive/archive.ts';
import type { PathStat } from '../archive/pathStat.ts';
import { EngineError, unlessNotFound } from '../errors.ts';
import type { Connection } from '../http/connection.ts';

/** As in Linux. */
const MOST_LINKS = 40;

/**
 * Follows all links on the way to a path, as the container does.
 *
 * @param path absolute and normalized.
 * @returns a path without links, and what is there; no stat if only its last part does not exist.
 * @throws EngineError `notFound` if the folder of the path does not exist or links are circular; NameEncodingError.
 */
export async function resolvePath(
  connection: Connection,
  root: ArchiveRoot,
  path: string,
  signal?: AbortSignal,
): Promise<{ readonly path: string; readonly stat: PathStat | undefined }> {
  const notFound = new EngineError('notFound', {
    endpoint: connection.endpoint.url,
    engineMessage: path,
  });
  let real = path;
  for (let links = 0; links <= MOST_LINKS; links += 1) {
    const above = prefixes(real);
    const stats = await Promise.all(
      above.map((one) => unlessNotFound(statPath(connection, root, one, signal))),
    );
    const link = stats.findIndex((one) => one?.kind === 'link');
    if (link < 0) {
      if (!stats.slice(0, -1).every((one) => one?.kind === 'folder')) throw notFound;
      return { path: real, stat: stats.at(-1) };
    }
    // The engine has resolved the link to its end.
    const target = stats[link]?.linkTarget ?? '';
    if (target === '') throw notFound;
    const rest = real.slice(above[link]?.length);
    real = target === '/' ? rest || '/' : target + rest;
  }
  throw notFound;
}

/** Returns all paths on the way to a path, and itself: `/etc` and `/etc/hosts`; only `/` for that. */
function prefixes(path: string): readonly string[] {
  const parts = path.split('/').slice(1);
  return parts.map((_, at) => `/${parts.slice(0, at + 1).join('/')}`);
}
