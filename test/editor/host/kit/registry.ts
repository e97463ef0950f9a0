// Images that exist in a registry but not in the engine.
import { bed } from '../../../bed/env.ts';
import { askWell } from '../../../bed/http.ts';
import { raw } from './engine.ts';

/**
 * Pushes the bed's image under a unique name to the open registry, whose storage the locked one shares, and
 * removes the tag from the engine. Resolves to the reference in the open registry.
 */
export async function offerInRegistry(repository: string, tag = '1'): Promise<string> {
  const name = `${bed().registry}/${repository}`;
  await raw('POST', `/images/${bed().image}/tag?repo=${name}&tag=${tag}`);
  try {
    // Docker rejects a push without this header, even one that needs no credentials.
    const headers = { 'x-registry-auth': 'e30=' };
    await askWell(bed().socket, 'POST', `/images/${name}/push?tag=${tag}`, { headers });
  } finally {
    await raw('DELETE', `/images/${name}:${tag}`);
  }
  return `${name}:${tag}`;
}

/** Returns the same reference in the registry that requires credentials. */
export function inLocked(reference: string): string {
  return reference.replace(bed().registry, bed().lockedRegistry);
}
