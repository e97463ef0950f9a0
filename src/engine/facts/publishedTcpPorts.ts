import { isIP } from 'node:net';
import type { Endpoint } from '../http/endpoint.ts';
import type { Container, Port } from '../model.ts';

/** Returns the TCP ports of a container that its engine publishes on its host. */
export function publishedTcpPorts({ ports }: Pick<Container, 'ports'>): readonly Port[] {
  return ports.filter(({ protocol, publicPort }) => protocol === 'tcp' && publicPort !== undefined);
}

/** Returns the published ports without repetition: each may be there for IPv4 and for IPv6. */
export function publicPortsOf(ports: readonly Port[]): readonly number[] {
  return [...new Set(ports.flatMap(({ publicPort }) => publicPort ?? []))];
}

/** Returns the URL of a published port: at the address that it is bound to, or else on the host of the engine. */
export function urlOfPort(ports: readonly Port[], port: number, { transport }: Endpoint): string {
  const engine = transport.kind === 'socket' ? 'localhost' : transport.host;
  const host = boundAddress(ports, port) ?? engine;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Returns the address that a port is bound to; undefined if it is bound to all addresses, or to `localhost`. */
function boundAddress(ports: readonly Port[], port: number): string | undefined {
  const bound = ports.filter(({ publicPort }) => publicPort === port).map(({ ip = '' }) => ip);
  return bound.some((ip) => ALL_OR_LOCAL.has(ip)) ? undefined : bound.find((ip) => isIP(ip) > 0);
}

const ALL_OR_LOCAL: ReadonlySet<string> = new Set(['', '0.0.0.0', '::', '127.0.0.1', '::1']);
