/** Ports of this machine that nobody has taken yet. */

import { createServer } from 'node:net';

import type { Endpoint } from '../discovery/endpoint.ts';

/** Below this only the machine's administrator may listen. */
const FIRST_FREE_FOR_ALL = 1024;
/** So far away are the usual stand-ins: 8080 for 80, 8443 for 443. */
const STAND_IN = 8000;
const HIGHEST_PORT = 65535;
const MOST_TRIES = 50;

/**
 * A port of the engine's machine to reach a container's port at: the same number, or for those of the
 * administrator one 8000 higher, else the next that is free. Undefined where there is none nearby.
 *
 * @param isFree whether nobody has it, as far as can be told.
 */
export async function suggestHostPort(
  containerPort: number,
  isFree: (port: number) => Promise<boolean> | boolean,
): Promise<number | undefined> {
  const first = containerPort < FIRST_FREE_FOR_ALL ? containerPort + STAND_IN : containerPort;
  for (let port = first; port < first + MOST_TRIES && port <= HIGHEST_PORT; port++) {
    if (await isFree(port)) return port;
  }
  return undefined;
}

/** Whether the engine's machine is this one, so that its ports can be tried. */
export function isLocalEngine({ transport }: Endpoint): boolean {
  return (
    transport.kind === 'socket' ||
    (transport.kind === 'tcp' && /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/.test(transport.host))
  );
}

/** Whether nobody listens at a TCP port of this machine's loopback. */
export function isFreeLocalPort(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => {
      resolve(false);
    });
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      server.close(() => {
        resolve(true);
      });
    });
  });
}
