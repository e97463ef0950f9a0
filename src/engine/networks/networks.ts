import { isIP } from 'node:net';
import type { Connection } from '../http/connection.ts';
import type { EngineRequest } from '../http/engineRequest.ts';
import { badAnswer } from '../http/readReply.ts';
import { operationOf } from '../http/requestRecord.ts';
import { fetchList, readInTurns } from '../http/fetchList.ts';
import { PODMAN_DEFAULT_ID, type Network, type Subnet } from '../model.ts';
import { asId, asLine, asList, asMoment, asRecord, asText, asLabels } from '../wire/wire.ts';

/**
 * Lists networks: `GET /networks`.
 *
 * @param options `isPatient`: see `EngineRequest`.
 */
export async function listNetworks(
  connection: Connection,
  { isPatient }: { readonly isPatient?: boolean } = {},
  signal?: AbortSignal,
): Promise<readonly Network[]> {
  const request = { method: 'GET', path: '/networks', isPatient, signal } as const;
  const list = await fetchList(connection, request, { ifNull: [] });
  return readInTurns(list, readNetwork, signal);
}

/**
 * Inspects a network by ID or name: `GET /networks/{id}`, with the whole response in `raw`.
 *
 * @throws EngineError `notFound`; `badAnswer`.
 */
export async function inspectNetwork(
  connection: Connection,
  id: string,
  signal?: AbortSignal,
): Promise<Network & { readonly raw: unknown }> {
  const request: EngineRequest = { method: 'GET', path: networkPath(id), signal };
  const raw = (await connection.send(request)).json();
  const network = readNetwork(raw);
  if (!network) throw badAnswer(connection, operationOf(request));
  return { ...network, raw };
}

/** Returns the API path of a network, or of one of its operations. */
export function networkPath(id: string, operation = ''): string {
  const path = `/networks/${encodeURIComponent(id.toWellFormed())}`;
  return operation === '' ? path : `${path}/${operation}`;
}

/** The most subnets of a network. */
const MOST_SUBNETS = 100;

/** Reads a network; undefined if it has no ID. */
function readNetwork(value: unknown): Network | undefined {
  const wire = asRecord(value);
  const id = asId(wire['Id']);
  if (id === '') return undefined;
  return {
    id,
    name: readName(id, wire['Name']),
    driver: asLine(wire['Driver']),
    subnets: asList(asRecord(wire['IPAM'])['Config']).slice(0, MOST_SUBNETS).flatMap(readSubnet),
    isInternal: wire['Internal'] === true,
    isIpv6: wire['EnableIPv6'] === true,
    ...(wire['Ingress'] === true && { isIngress: true }),
    labels: asLabels(wire['Labels']),
    createdAt: asMoment(wire['Created']),
  };
}

/** Podman calls its default network `bridge` here, but `podman` in the networks of a container and in its CLI. */
function readName(id: string, name: unknown): string {
  const isDefault = id === PODMAN_DEFAULT_ID && name === 'bridge';
  return isDefault ? 'podman' : asLine(name) || id.slice(0, 12);
}

function readSubnet(value: unknown): readonly Subnet[] {
  const wire = asRecord(value);
  const subnet = asLine(wire['Subnet']);
  const gateway = asText(wire['Gateway']);
  if (subnet === '') return [];
  return [{ subnet, ...(isIP(gateway) === 0 ? {} : { gateway }) }];
}
