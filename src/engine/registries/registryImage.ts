/** Reads image information from a registry without pulling (`GET /distribution/{name}/json`), and searches images. */

import type { Connection } from '../http/connection.ts';
import { authHeaders, type RegistryAuth } from '../wire/registryAuth.ts';
import { badAnswer } from '../http/readReply.ts';
import { asLine, asList, asNumber, asRecord, asText } from '../wire/wire.ts';

/** An image as it currently is in its registry. */
interface RegistryImage {
  /** Digest of the manifest, or of the manifest list if the image has several platforms. */
  readonly digest: string;
  /** `os/architecture[/variant]`, without duplicates. */
  readonly platforms: readonly string[];
}

/**
 * Reads the digest and platforms of an image from its registry through the engine:
 * `GET /distribution/{name}/json`. Only for engines with the capability `asksRegistries`.
 *
 * @param reference a name with a tag or digest.
 * @throws EngineError with the engine's message if the registry does not respond, denies access, or does not have
 * the image; `badAnswer` for a response without a digest.
 */
export async function inspectInRegistry(
  connection: Connection,
  reference: string,
  auth?: RegistryAuth,
  signal?: AbortSignal,
): Promise<RegistryImage> {
  const name = reference.toWellFormed().split('/').map(encodeURIComponent).join('/');
  const path = `/distribution/${name}/json`;
  const headers = authHeaders(auth);
  const reply = await connection.send({ method: 'GET', path, headers, signal });
  const wire = asRecord(reply.json());
  const digest = asText(asRecord(wire['Descriptor'])['digest']);
  if (!/^sha256:[0-9a-f]{64}$/.test(digest)) throw badAnswer(connection, `GET ${path}`);
  const platforms = asList(wire['Platforms']).map(platformIn);
  return { digest, platforms: [...new Set(platforms)].filter((one) => one !== '') };
}

/** Formats a platform; empty for an attestation, which has the platform "unknown" in the manifest list. */
function platformIn(value: unknown): string {
  const wire = asRecord(value);
  const parts = ['os', 'architecture', 'variant'].map((key) => asLine(wire[key]));
  return parts.includes('unknown') ? '' : parts.filter((part) => part !== '').join('/');
}

/** A search result. */
export interface FoundImage {
  /** Name to pull, without a tag. */
  readonly name: string;
  readonly description: string;
  readonly stars: number;
  readonly isOfficial: boolean;
}

/** Number of results, also enforced for an engine that ignores the limit. */
const FOUND = 25;

/** Searches images: `GET /images/search`. Which registries are searched depends on the engine. */
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

/** Reads one search result. Podman uses other field names than Docker. */
function readFoundImage(value: unknown): FoundImage {
  const wire = asRecord(value);
  return {
    name: asLine(wire['name'] ?? wire['Name']),
    description: asLine(wire['description'] ?? wire['Description']),
    stars: Math.max(0, asNumber(wire['star_count'] ?? wire['Stars']) ?? 0),
    isOfficial: wire['is_official'] === true || asText(wire['Official']) === '[OK]',
  };
}
