import type { Connection } from '../http/connection.ts';
import { inspectContainer } from '../containers/containers.ts';
import { unlessNotFound } from '../errors.ts';
import { asLine, asLines, asRecord } from '../wire.ts';
import type { NetworkMember } from './networkMembers.ts';

/**
 * Requests the aliases of a container on a network, which only Podman has in its lists. Without the name, the short
 * ID and the host name, which engines add on their own. None if the container is gone.
 */
export async function memberAliases(
  connection: Connection,
  { container, connection: { name } }: NetworkMember,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const found = await unlessNotFound(inspectContainer(connection, container.id, signal));
  const raw = asRecord(found?.raw);
  const endpoint = asRecord(asRecord(asRecord(raw['NetworkSettings'])['Networks'])[name]);
  const hostname = asLine(asRecord(raw['Config'])['Hostname']);
  const own = [...container.names, container.id.slice(0, 12), hostname];
  return [...new Set(asLines(endpoint['Aliases']))].filter((alias) => !own.includes(alias)).sort();
}
