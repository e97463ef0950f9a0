// Images that a registry has and the engine has not.
import { request } from 'node:http';
import { bed } from '../../../bed/env.ts';
import { raw } from './engine.ts';

/**
 * Puts the bed's image into the open registry under a name of ours (the locked one has it then, too), and
 * takes that name from the engine again. Resolves to the reference in the open registry.
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

/** The same reference, asked of the registry that wants a password. */
export function inLocked(reference: string): string {
  return reference.replace(bed().registry, bed().lockedRegistry);
}

function push(name: string, tag: string): Promise<void> {
  const options = {
    socketPath: bed().socket,
    method: 'POST',
    path: `/v1.41/images/${name}/push?tag=${tag}`,
    // Docker refuses a push without this header, even one that needs no credentials.
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
