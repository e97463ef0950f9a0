import type { Connection } from '../http/connection.ts';
import type { EngineRequest } from '../http/engineRequest.ts';
import { badAnswer } from '../http/readReply.ts';
import { operationOf } from '../http/requestRecord.ts';
import { fetchList, readInTurns } from '../http/fetchList.ts';
import type { Volume } from '../model.ts';
import { asLabels, asLine, asMoment, asRecord, asTextMap } from '../wire/wire.ts';

/**
 * Lists volumes: `GET /volumes`.
 *
 * @param options `isPatient`: see `EngineRequest`.
 */
export async function listVolumes(
  connection: Connection,
  { isPatient }: { readonly isPatient?: boolean } = {},
  signal?: AbortSignal,
): Promise<readonly Volume[]> {
  const request = { method: 'GET', path: '/volumes', isPatient, signal } as const;
  const list = await fetchList(connection, request, {
    // Older engines report no list if there are no volumes.
    ifNull: [],
    listIn: (reply) => asRecord(reply)['Volumes'],
  });
  return readInTurns(list, readVolume, signal);
}

/**
 * Inspects a volume: `GET /volumes/{name}`, with the whole response in `raw`. @throws EngineError `notFound`;
 * `badAnswer`.
 */
export async function inspectVolume(
  connection: Connection,
  name: string,
  signal?: AbortSignal,
): Promise<Volume & { readonly raw: unknown }> {
  const request: EngineRequest = { method: 'GET', path: volumePath(name), signal };
  const raw = (await connection.send(request)).json();
  const volume = readVolume(raw);
  if (!volume) throw badAnswer(connection, operationOf(request));
  return { ...volume, raw };
}

export function volumePath(name: string): string {
  return `/volumes/${encodeURIComponent(name.toWellFormed())}`;
}

/** Reads a volume; undefined if it has no name. */
export function readVolume(value: unknown): Volume | undefined {
  const wire = asRecord(value);
  const name = asLine(wire['Name']);
  if (name === '') return undefined;
  return {
    name,
    driver: asLine(wire['Driver']),
    labels: asLabels(wire['Labels']),
    options: asTextMap(wire['Options']),
    createdAt: asMoment(wire['CreatedAt']),
  };
}
