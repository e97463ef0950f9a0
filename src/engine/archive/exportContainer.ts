import type { Connection } from '../http/connection.ts';
import { containerPath } from '../wire/wire.ts';
import { summarized, TarSummary } from './tarSummary.ts';

/**
 * Returns the file system of a container as a tar, in any state of it: `GET /containers/{id}/export`. Folders where
 * something is mounted are there without what is in the mount. The tar can be read only once.
 *
 * @throws EngineError `notFound`; reading throws `cut` if the tar is incomplete, or the abort reason of the signal.
 */
export async function exportContainer(
  connection: Connection,
  id: string,
  signal?: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const path = containerPath(id, 'export');
  const { body } = await connection.stream({ method: 'GET', path, signal });
  const where = { endpoint: connection.endpoint.url, operation: `GET ${path}` };
  return summarized(body, new TarSummary(), where);
}
