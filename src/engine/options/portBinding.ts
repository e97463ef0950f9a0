/** What is published where: `[ip:][hostPort:]containerPort[/proto]`. */

import { isIPv4, isIPv6 } from 'node:net';

import type { L10n } from '../../l10n.ts';
import { InputError } from '../errors.ts';

/** One port of a container and where it is to be reached. */
export interface PortBinding {
  /** As the API names it: `80/tcp`. */
  readonly containerPort: string;
  /** Empty for all addresses of the engine's machine. */
  readonly hostIp: string;
  /** Empty for a free one of the engine's choice. */
  readonly hostPort: string;
}

const PROTOCOLS: readonly string[] = ['tcp', 'udp', 'sctp'];
const HIGHEST_PORT = 65535;

/**
 * Reads one entry. `8000-8002:80-82` publishes each port of one range at the same place of the other; a host
 * port that is empty or 0 leaves the choice to the engine; an IPv6 address stands in brackets. Throws
 * InputError for anything else.
 */
export function parsePort(text: string, l10n: L10n): readonly PortBinding[] {
  const [addresses, protocol] = cutProtocol(text, l10n);
  const { ip, host, container } = cutAddress(text, addresses, l10n);
  const inside = parseRange(container, 1, text, l10n);
  const outside = host === '' ? undefined : parseRange(host, 0, text, l10n);
  if (outside && outside.length !== inside.length) {
    throw new InputError(
      l10n.t('The two port ranges in "{0}" differ in length. They are paired one to one.', text),
    );
  }
  return inside.map((port, index) => ({
    containerPort: `${port}/${protocol}`,
    hostIp: ip,
    hostPort: formatHostPort(outside?.[index]),
  }));
}

/** What a request has for ports. */
export function portBindings(ports: readonly (readonly PortBinding[])[]): object {
  const bindings: Record<string, unknown[]> = {};
  for (const { containerPort, hostIp, hostPort } of ports.flat()) {
    (bindings[containerPort] ??= []).push({ HostIp: hostIp, HostPort: hostPort });
  }
  return bindings;
}

function formatHostPort(port: number | undefined): string {
  return port === undefined || port === 0 ? '' : String(port);
}

function cutProtocol(text: string, l10n: L10n): [addresses: string, protocol: string] {
  const slash = text.lastIndexOf('/');
  if (slash < 0) return [text, 'tcp'];
  const protocol = text.slice(slash + 1).toLowerCase();
  if (PROTOCOLS.includes(protocol)) return [text.slice(0, slash), protocol];
  throw new InputError(
    l10n.t('The port "{0}" has an unknown protocol. Use tcp, udp or sctp.', text),
  );
}

interface Address {
  readonly ip: string;
  readonly host: string;
  readonly container: string;
}

function cutAddress(text: string, addresses: string, l10n: L10n): Address {
  const [, bracketed, rest = addresses] = /^\[([^\]]*)\]:(.*)$/.exec(addresses) ?? [];
  const parts = rest.split(':');
  const container = parts.pop() ?? '';
  // `127.0.0.1:80` has an address and no host port; `8080:80` has it the other way round.
  const hasPlainIp = bracketed === undefined && (parts.length > 1 || isIPv4(parts[0] ?? ''));
  const ip = hasPlainIp ? parts.shift() : bracketed;
  if (parts.length > 1) throw notAPort(text, l10n);
  if (ip !== undefined && !(hasPlainIp ? isIPv4(ip) : isIPv6(ip))) throw notAnIp(ip, text, l10n);
  return { ip: ip ?? '', host: parts[0] ?? '', container };
}

function parseRange(range: string, least: number, text: string, l10n: L10n): readonly number[] {
  const [whole, from = '', to = from] = /^(\d+)(?:-(\d+))?$/.exec(range) ?? [];
  if (whole === undefined) throw notAPort(text, l10n);
  const [first, last] = [Number(from), Number(to)];
  const wrong = [first, last].find((port) => port < least || port > HIGHEST_PORT);
  if (wrong !== undefined) throw outOfBounds(wrong, text, l10n);
  if (last < first) {
    throw new InputError(l10n.t('The port range in "{0}" runs backwards.', text));
  }
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

function notAPort(text: string, l10n: L10n): InputError {
  return new InputError(
    l10n.t(
      '"{0}" is not a port. Write [ip:][hostPort:]containerPort[/proto], as in 8080:80.',
      text,
    ),
  );
}

function notAnIp(ip: string, text: string, l10n: L10n): InputError {
  return new InputError(
    l10n.t('"{0}" in "{1}" is not an IP address. An IPv6 address stands in brackets.', ip, text),
  );
}

function outOfBounds(port: number, text: string, l10n: L10n): InputError {
  // As text: a number would be written with the thousands marks of the person's language.
  return new InputError(
    l10n.t('{0} in "{1}" is not a port number. They go from 1 to 65535.', String(port), text),
  );
}
