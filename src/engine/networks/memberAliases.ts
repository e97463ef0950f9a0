import type { Connection } from '../http/connection.ts';
import { inspectContainer } from '../containers/containers.ts';
import { unlessNotFound } from '../errors.ts';
import { asLine, asLines, asRecord } from '../wire/wire.ts';
import type { NetworkMember } from './membersAmong.ts';

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
  const own: readonly string[] = container.names;
  return chosenAliases(asRecord(found?.raw), name).filter((alias) => !own.includes(alias));
}

/**
 * Reads the aliases that were chosen for a container on a network: without its name, short ID, and host name.
 *
 * @param container the complete inspect response.
 */
export function chosenAliases(
  container: Readonly<Record<string, unknown>>,
  network: string,
): readonly string[] {
  const networks = asRecord(asRecord(container['NetworkSettings'])['Networks']);
  const own = [
    asLine(container['Name']).replace(/^\//, ''),
    asLine(container['Id']).slice(0, 12),
    asLine(asRecord(container['Config'])['Hostname']),
  ];
  const aliases = asLines(asRecord(networks[network])['Aliases']);
  return [...new Set(aliases)].filter((alias) => !own.includes(alias)).sort();
}
