/** Suggests free host ports for published ports. */

import { once } from 'node:events';
import { createServer } from 'node:net';

import { isLoopback, type Endpoint } from '../http/endpoint.ts';

/** Ports below this one are privileged. */
const FIRST_FREE_FOR_ALL = 1024;
/** Offset for privileged ports, which gives the common alternatives: 8080 for 80, 8443 for 443. */
const STAND_IN = 8000;
const HIGHEST_PORT = 65535;
const MOST_TRIES = 50;

/**
 * Suggests a host port for a container port: the same number, or 8000 higher for a privileged port, else the next
 * free one. Resolves to undefined if none of the next 50 ports is free.
 *
 * @param isFree whether a port is free, as far as known.
 */
export async function suggestHostPort(
  containerPort: number,
  isFree: (port: number) => Promise<boolean> | boolean,
): Promise<number | undefined> {
  const first = containerPort < FIRST_FREE_FOR_ALL ? containerPort + STAND_IN : containerPort;
  for (let port = first; port < first + MOST_TRIES && port <= HIGHEST_PORT; port++)
    if (await isFree(port)) return port;
  return undefined;
}

/** Whether the engine runs on this machine, so that its ports can be probed. */
export function isLocalEngine({ transport }: Endpoint): boolean {
  return transport.kind === 'tcp' ? isLoopback(transport.host) : transport.kind === 'socket';
}

/** Whether a TCP port is free on the loopback address of this machine. */
export async function isFreeLocalPort(port: number): Promise<boolean> {
  const server = createServer().listen({ port, host: '127.0.0.1', exclusive: true });
  const isFree = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  if (isFree) await once(server.close(), 'close');
  return isFree;
}
