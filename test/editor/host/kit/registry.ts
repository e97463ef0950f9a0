// Images that exist in a registry but not in the engine.
import { request } from 'node:http';
import { bed } from '../../../bed/env.ts';
import { raw } from './engine.ts';

/**
 * Pushes the bed's image under a unique name to the open registry, whose storage the locked one shares, and
 * removes the tag from the engine. Resolves to the reference in the open registry.
 */
export async function offerInRegistry(repository: string, tag = '1'): Promise<string> {
  const name = `${bed().registry}/${repository}`;
  await raw('POST', `/images/${bed().image}/tag?repo=${name}&tag=${tag}`);
  try {
    await push(name, tag);
  } finally {
    await raw('DELETE', `/images/${name}:${tag}`);
  }
  return `${name}:${tag}`;
}

/** Returns the same reference in the registry that requires credentials. */
export function inLocked(reference: string): string {
  return reference.replace(bed().registry, bed().lockedRegistry);
}

function push(name: string, tag: string): Promise<void> {
  const options = {
    socketPath: bed().socket,
    method: 'POST',
    path: `/images/${name}/push?tag=${tag}`,
    // Docker rejects a push without this header, even one that needs no credentials.
    headers: { 'x-registry-auth': 'e30=' },
    agent: false,
  };
  return new Promise((resolve, reject) => {
    const sent = request(options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => {
        if (response.statusCode === 200 && !text.includes('errorDetail')) resolve();
        else reject(new Error(`The push of ${name} failed: ${text}`));
      });
    });
    sent.on('error', reject);
    sent.end();
  });
}
