/** What a registry has, without fetching it: `GET /distribution/{name}/json`, and what an engine finds by a word. */

import type { Connection } from '../http/connection.ts';
import { encodeRegistryAuth, type RegistryAuth } from './registryAuth.ts';
import { badAnswer } from '../http/readReply.ts';
import { asLine, asList, asNumber, asRecord, asText } from '../wire.ts';

/** An image as its registry has it now. */
export interface RegistryImage {
  /** Of the manifest, or of the list of manifests where there are several platforms. */
  readonly digest: string;
  /** `os/architecture[/variant]`, each once. */
  readonly platforms: readonly string[];
}

/**
 * Asks the engine to ask the registry for one name (with tag or digest). Only for engines that
 * `capabilitiesOf(…).asksRegistries`.
 *
 * @throws EngineError in the engine's words where the registry does not answer, does not let us in, or has no such
 * image; `badAnswer` for an answer without a digest.
 */
export async function inspectInRegistry(
  connection: Connection,
  reference: string,
  auth?: RegistryAuth,
  signal?: AbortSignal,
): Promise<RegistryImage> {
  const name = reference.toWellFormed().split('/').map(encodeURIComponent).join('/');
  const path = `/distribution/${name}/json`;
  const reply = await connection.send({
    ...{ method: 'GET', path, signal },
    headers: auth ? { 'X-Registry-Auth': encodeRegistryAuth(auth) } : {},
  });
  const wire = asRecord(reply.json());
  const digest = asText(asRecord(wire['Descriptor'])['digest']);
  if (!/^sha256:[0-9a-f]{64}$/.test(digest)) throw badAnswer(connection, `GET ${path}`);
  const platforms = asList(wire['Platforms']).map(platformIn);
  return { digest, platforms: [...new Set(platforms)].filter((one) => one !== '') };
}

/** Attestations stand in the list of manifests under a platform that nobody has. */
function platformIn(value: unknown): string {
  const wire = asRecord(value);
  const parts = ['os', 'architecture', 'variant'].map((key) => asLine(wire[key]));
  return parts.includes('unknown') ? '' : parts.filter((part) => part !== '').join('/');
}

/** An image that was found by a word. */
export interface FoundImage {
  /** As it is pulled; without a tag. */
  readonly name: string;
  readonly description: string;
  readonly stars: number;
  readonly isOfficial: boolean;
}

/** More than anybody reads; also for an engine that pays no heed to the limit. */
const FOUND = 25;

/** Searches by a word: `GET /images/search`. Where and whether it finds anything is up to the engine. */
export async function searchImages(
  connection: Connection,
  term: string,
  signal?: AbortSignal,
): Promise<readonly FoundImage[]> {
  const query = { term, limit: FOUND };
  const reply = await connection.send({ method: 'GET', path: '/images/search', query, signal });
  return asList(reply.json())
    .slice(0, FOUND)
    .map(readFoundImage)
    .filter(({ name }) => name !== '');
}

/** One element of the answer: Podman has names of its own for all of it. */
export function readFoundImage(value: unknown): FoundImage {
  const wire = asRecord(value);
  return {
    name: asLine(wire['name'] ?? wire['Name']),
    description: asLine(wire['description'] ?? wire['Description']),
    stars: Math.max(0, asNumber(wire['star_count'] ?? wire['Stars']) ?? 0),
    isOfficial: wire['is_official'] === true || asText(wire['Official']) === '[OK]',
  };
}
