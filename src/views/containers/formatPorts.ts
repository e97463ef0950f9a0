import type { Port } from '../../engine/model.ts';

/** All ports with all that is known of them: `127.0.0.1:8080→80/tcp, 443/tcp`. */
export function formatPorts(ports: readonly Port[]): string {
  return ports.map(whole).join(', ');
}

/** The first published port of a row, and how many more there are: `8080→80 +2`. */
export function formatPublishedPorts(ports: readonly Port[]): string {
  const [first = '', ...more] = new Set(ports.filter(isPublished).map(mapping));
  return more.length > 0 ? `${first} +${more.length}` : first;
}

/** Whether a browser may find something at one of them. */
export function hasPublishedTcp(ports: readonly Port[]): boolean {
  return ports.some((port) => isPublished(port) && port.protocol === 'tcp');
}

function isPublished(port: Port): boolean {
  return port.publicPort !== undefined;
}

function mapping(port: Port): string {
  const protocol = port.protocol === 'tcp' ? '' : `/${port.protocol}`;
  return `${port.publicPort ?? ''}→${port.privatePort}${protocol}`;
}

function whole(port: Port): string {
  const inside = `${port.privatePort}/${port.protocol}`;
  if (port.publicPort === undefined) return inside;
  const { ip = '' } = port;
  const outside = ip === '' || ip === '0.0.0.0' || ip === '::' ? '' : bracketed(ip);
  return `${outside}${port.publicPort}→${inside}`;
}

function bracketed(ip: string): string {
  return ip.includes(':') ? `[${ip}]:` : `${ip}:`;
}
