import { capabilitiesOf } from '../capabilities/capabilities.ts';
import { inspectContainer, listContainers } from '../containers/containers.ts';
import { EngineError, isRefusal, unlessNotFound } from '../errors.ts';
import type { Connection } from '../http/connection.ts';
import { badAnswer } from '../http/readReply.ts';
import { isPredefinedNetwork, type Container, type Network } from '../model.ts';
import { asId, asRecord } from '../wire/wire.ts';
import { connectionTo } from './membersAmong.ts';
import { networkMembers } from './networkMembers.ts';
import { listNetworks, networkPath } from './networks.ts';
import {
  checkAlias,
  checkFixedIp,
  endpointOnWire,
  networkRequestBody,
  type ConnectSpec,
  type NetworkSpec,
} from './networkSpec.ts';
import { sentence, type Sentence } from '../../base/sentence.ts';

/**
 * Creates a network: `POST /networks/create`.
 *
 * @throws InputError; EngineError `conflict` if the name is in use, on every engine.
 */
export async function createNetwork(
  connection: Connection,
  spec: NetworkSpec,
  signal?: AbortSignal,
): Promise<{ readonly id: string }> {
  const path = '/networks/create';
  const body = networkRequestBody(spec);
  try {
    // No time limit: a driver may take long, and a network that was created late would have no ID here.
    const reply = await connection.send({ method: 'POST', path, body, limitMs: 0, signal });
    const id = asId(asRecord(reply.json())['Id']);
    if (id === '') throw badAnswer(connection, `POST ${path}`);
    return { id };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    // Podman 4 responds with status 500, so look up the name.
    const all = await listNetworks(connection, {}, signal);
    if (!all.some(({ name }) => name === spec.name)) throw error;
    const engineMessage = sentence('The network name "{0}" is already in use.', spec.name);
    throw error.with({ reason: 'conflict', status: undefined, engineMessage });
  }
}

/**
 * Connects a container to a network: `POST /networks/{id}/connect`. A stopped one uses it from its next start.
 *
 * @param id the full ID of the network. It is looked up, because Docker 20.10 would connect a stopped container to a
 *   network that does not exist.
 * @throws InputError for an invalid alias or address; EngineError `notFound`.
 */
export async function connectNetwork(
  connection: Connection,
  id: string,
  container: string,
  spec: ConnectSpec,
  signal?: AbortSignal,
): Promise<{ readonly outcome: 'connected' | 'alreadyConnected' }> {
  for (const alias of spec.aliases ?? []) checkAlias(alias);
  const networks = await listNetworks(connection, {}, signal);
  const network = networks.find((one) => one.id === id);
  if (!network) throw missing(connection, id);
  if (spec.ip !== undefined) checkFixedIp(spec.ip, network);
  const isOn = () => isConnected(connection, network, networks, container, signal);
  if (await isOn()) return { outcome: 'alreadyConnected' };
  const body = { Container: container, EndpointConfig: endpointOnWire(spec) };
  try {
    await change(connection, id, 'connect', body, signal);
    return { outcome: 'connected' };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const { forgetsRefusedConnections } = capabilitiesOf(await connection.info(signal));
    if (!forgetsRefusedConnections) {
      // Without a look: the engine can no longer inspect such a container, nor list containers.
      const undo = change(connection, id, 'disconnect', { Container: container }, undefined);
      await undo.catch(() => undefined);
    } else if (await isOn()) return { outcome: 'alreadyConnected' };
    throw error;
  }
}

/** Disconnects a container from a network: `POST /networks/{id}/disconnect`. @throws EngineError `notFound`. */
export async function disconnectNetwork(
  connection: Connection,
  id: string,
  container: string,
  signal?: AbortSignal,
): Promise<{ readonly outcome: 'disconnected' | 'alreadyDisconnected' }> {
  try {
    await change(connection, id, 'disconnect', { Container: container }, signal);
    return { outcome: 'disconnected' };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const networks = await listNetworks(connection, {}, signal);
    const network = networks.find((one) => one.id === id);
    if (!network || (await isConnected(connection, network, networks, container, signal)))
      throw error;
    return { outcome: 'alreadyDisconnected' };
  }
}

/**
 * Removes a network that no container uses: `DELETE /networks/{id}`. Looks first, because Docker removes a network
 * that only stopped containers use, and these could not start any more.
 *
 * @param id the full ID.
 * @throws EngineError `conflict` if a container uses it, or if it is predefined.
 */
export async function removeNetwork(
  connection: Connection,
  id: string,
  signal?: AbortSignal,
): Promise<{ readonly outcome: 'removed' | 'alreadyGone' }> {
  const { networks, containers } = await listUse(connection, signal);
  const network = networks.find((one) => one.id === id);
  if (!network) return { outcome: 'alreadyGone' };
  const engineMessage = keptMessage(network, containers, networks);
  if (engineMessage) throw new EngineError('conflict', { engineMessage });
  return deleteNetwork(connection, network, signal);
}

/** Removes a network that was looked at right before, as {@link removeNetwork} does. @throws EngineError. */
export async function deleteNetwork(
  connection: Connection,
  { id, name }: Pick<Network, 'id' | 'name'>,
  signal?: AbortSignal,
): Promise<{ readonly outcome: 'removed' | 'alreadyGone' }> {
  const { checksNetworkUseById } = capabilitiesOf(await connection.info(signal));
  // With Podman, names are unique.
  const path = networkPath(checksNetworkUseById ? id : name);
  const sent = connection.send({ method: 'DELETE', path, limitMs: 0, signal });
  return { outcome: (await unlessNotFound(sent)) ? 'removed' : 'alreadyGone' };
}

/** Lists all networks, and the containers that may use them, running or not. */
export async function listUse(connection: Connection, signal?: AbortSignal) {
  const [networks, containers] = await Promise.all([
    listNetworks(connection, {}, signal),
    listContainers(connection, { all: true }, signal),
  ]);
  return { networks, containers };
}

/** Maximum number of names in a message. */
const EXAMPLES = 3;

/** Returns why a network cannot be removed; undefined if it can. */
export function keptMessage(
  network: Network,
  containers: readonly Container[],
  networks: readonly Network[],
): Sentence | undefined {
  if (isPredefinedNetwork(network)) return sentence('Predefined networks cannot be removed.');
  const names = networkMembers(network, containers, networks).map(
    ({ container }) => container.name,
  );
  if (names.length === 0) return undefined;
  const shown = names.slice(0, EXAMPLES).join(', ');
  return names.length > EXAMPLES
    ? sentence('Containers use the network: {0}, and {1} more.', shown, names.length - EXAMPLES)
    : sentence('Containers use the network: {0}.', shown);
}

async function isConnected(
  connection: Connection,
  network: Network,
  networks: readonly Network[],
  container: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const { networks: connections } = await inspectContainer(connection, container, signal);
  const isKnown = (networkId: string): boolean => networks.some(({ id }) => id === networkId);
  return connectionTo(network, connections, isKnown) !== undefined;
}

async function change(
  connection: Connection,
  id: string,
  operation: 'connect' | 'disconnect',
  body: object,
  signal: AbortSignal | undefined,
): Promise<void> {
  const path = networkPath(id, operation);
  await connection.send({ method: 'POST', path, body, limitMs: 0, signal });
}

function missing({ endpoint }: Connection, id: string): EngineError {
  const engineMessage = sentence('The network {0} does not exist.', id.slice(0, 12));
  return new EngineError('notFound', { endpoint: endpoint.url, engineMessage });
}
