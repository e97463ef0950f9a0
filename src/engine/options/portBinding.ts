/** Published ports: `[ip:][hostPort:]containerPort[/proto]`. */

import { isIPv4, isIPv6 } from 'node:net';
import { quotable } from '../../base/plainText.ts';
import { InputError } from '../errors.ts';

export interface PortBinding {
  /** In the form of the API: `80/tcp`. */
  readonly containerPort: string;
  /** Empty for all addresses of the host. */
  readonly hostIp: string;
  /** Empty for a free port that the engine selects, or a range to select it from: `8000-8010`. */
  readonly hostPort: string;
}

const PROTOCOLS: readonly string[] = ['tcp', 'udp', 'sctp'];
const HIGHEST_PORT = 65535;

/**
 * Parses one entry. Ranges of equal length are paired one to one: `8000-8002:80-82`. With an empty host port or
 * 0, the engine selects a free port; with a range for one container port, a free one of it: `8000-8010:80`. An IPv6
 * address must be in brackets.
 *
 * @throws InputError if the text is invalid.
 */
export function parsePort(text: string): readonly PortBinding[] {
  const [addresses, protocol] = cutProtocol(text);
  const [hostIp, host, container] = cutAddress(text, addresses);
  const inside = parseRange(container, 1, text);
  const outside = host === '' ? undefined : parseRange(host, 0, text);
  if (outside && outside.length > 1 && inside.length === 1) {
    const hostPort = `${outside[0]}-${outside.at(-1)}`;
    return [{ containerPort: `${inside[0]}/${protocol}`, hostIp, hostPort }];
  }
  if (outside && outside.length !== inside.length)
    throw InputError.of('The port ranges in "{0}" have different lengths.', quotable(text));
  return inside.map((port, index) => ({
    containerPort: `${port}/${protocol}`,
    hostIp,
    hostPort: formatHostPort(outside?.[index]),
  }));
}

/** Converts ports to `HostConfig.PortBindings`. */
export function portBindings(ports: readonly (readonly PortBinding[])[]): object {
  const bindings: Record<string, unknown[]> = {};
  for (const { containerPort, hostIp, hostPort } of ports.flat())
    (bindings[containerPort] ??= []).push({ HostIp: hostIp, HostPort: hostPort });
  return bindings;
}

function formatHostPort(port: number | undefined): string {
  return port === undefined || port === 0 ? '' : String(port);
}

function cutProtocol(text: string): [addresses: string, protocol: string] {
  const slash = text.lastIndexOf('/');
  if (slash < 0) return [text, 'tcp'];
  const protocol = text.slice(slash + 1).toLowerCase();
  if (PROTOCOLS.includes(protocol)) return [text.slice(0, slash), protocol];
  throw InputError.of(
    'The port "{0}" has an unknown protocol. Use tcp, udp, or sctp.',
    quotable(text),
  );
}

function cutAddress(
  text: string,
  addresses: string,
): [ip: string, host: string, container: string] {
  const [, bracketed, rest = addresses] = /^\[([^\]]*)\]:(.*)$/.exec(addresses) ?? [];
  const parts = rest.split(':');
  const container = parts.pop() ?? '';
  // `127.0.0.1:80` is an address and a container port; `8080:80` a host port and a container port.
  const hasPlainIp = bracketed === undefined && (parts.length > 1 || isIPv4(parts[0] ?? ''));
  const ip = hasPlainIp ? parts.shift() : bracketed;
  if (parts.length > 1) throw notAPort(text);
  if (ip !== undefined && !(hasPlainIp ? isIPv4(ip) : isIPv6(ip))) {
    throw InputError.of(
      '"{0}" in "{1}" is not an IP address. Put an IPv6 address in brackets.',
      quotable(ip),
      quotable(text),
    );
  }
  return [ip ?? '', parts[0] ?? '', container];
}

function parseRange(range: string, least: number, text: string): readonly number[] {
  const [whole, from = '', to = from] = /^(\d+)(?:-(\d+))?$/.exec(range) ?? [];
  if (whole === undefined) throw notAPort(text);
  const first = Number(from);
  const last = Number(to);
  const wrong = [first, last].find((port) => port < least || port > HIGHEST_PORT);
  if (wrong !== undefined) throw outOfBounds(wrong, text);
  if (last < first)
    throw InputError.of('The port range in "{0}" ends before it starts.', quotable(text));
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

function notAPort(text: string): InputError {
  return InputError.of(
    '"{0}" is not a port. Use the form [ip:][hostPort:]containerPort[/protocol], for example 8080:80.',
    quotable(text),
  );
}

function outOfBounds(port: number, text: string): InputError {
  // A string, because a number would be formatted with the thousands separators of the user's language.
  return InputError.of(
    '{0} in "{1}" is not a port number. Use 1 to 65535.',
    String(port),
    quotable(text),
  );
}
