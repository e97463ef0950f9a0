import { isIPv4, isIPv6 } from 'node:net';

export interface IpRange {
  readonly family: 4 | 6;
  readonly prefix: number;
  /** The network address. */
  readonly first: bigint;
  /** In IPv4, the broadcast address. */
  readonly last: bigint;
  /** Whether the text had the address of a host in the subnet instead of the network address. */
  readonly hasHostBits: boolean;
}

/** An IP address as a number. */
export interface IpAddress {
  readonly family: 4 | 6;
  readonly value: bigint;
}

/** Parses an IP address; undefined if it is none, or has a zone. */
export function parseIp(text: string): IpAddress | undefined {
  if (isIPv4(text)) return { family: 4, value: joined(text.split('.').map(Number), 8n) };
  if (!isIPv6(text) || text.includes('%')) return undefined;
  const [head = '', tail] = text.split('::');
  const start = groupsOf(head);
  const end = groupsOf(tail ?? '');
  const gap = tail === undefined ? 0 : 8 - start.length - end.length;
  return { family: 6, value: joined([...start, ...Array<number>(gap).fill(0), ...end], 16n) };
}

/** Parses a subnet in CIDR notation: `10.20.0.0/16`. Undefined if it is none. */
export function parseSubnet(text: string): IpRange | undefined {
  const [, address = '', digits = ''] = /^([\da-fA-F:.]+)\/(\d{1,3})$/.exec(text) ?? [];
  const ip = parseIp(address);
  const prefix = Number(digits);
  if (!ip || prefix > bitsOf(ip.family)) return undefined;
  const size = 1n << BigInt(bitsOf(ip.family) - prefix);
  const first = ip.value - (ip.value % size);
  const { family, value } = ip;
  return { family, prefix, first, last: first + size - 1n, hasHostBits: value !== first };
}

export function isInSubnet({ family, value }: IpAddress, range: IpRange): boolean {
  return family === range.family && value >= range.first && value <= range.last;
}

/** Whether an address of a subnet can be that of a host: neither the network nor the broadcast address. */
export function isHostAddress({ family, value }: IpAddress, { first, last }: IpRange): boolean {
  return value !== first && (family === 6 || value !== last);
}

/** Formats a subnet in CIDR notation, with its network address. */
export function formatSubnet({ family, prefix, first }: IpRange): string {
  const bits = family === 4 ? 8n : 16n;
  const parts = Array.from({ length: bitsOf(family) / Number(bits) }, (_, index) =>
    Number((first >> (BigInt(bitsOf(family)) - bits * BigInt(index + 1))) % (1n << bits)),
  );
  if (family === 4) return `${parts.join('.')}/${prefix}`;
  // The parser of URLs knows the short form of IPv6.
  const groups = parts.map((part) => part.toString(16)).join(':');
  return `${new URL(`http://[${groups}]`).hostname.slice(1, -1)}/${prefix}`;
}

/** Returns the 16-bit groups of a part of an IPv6 address, which may end with an IPv4 address. */
function groupsOf(part: string): readonly number[] {
  if (part === '') return [];
  return part.split(':').flatMap((group) => {
    if (!group.includes('.')) return [parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}

function joined(parts: readonly number[], bits: bigint): bigint {
  return parts.reduce((sum, part) => (sum << bits) + BigInt(part), 0n);
}

function bitsOf(family: 4 | 6): number {
  return family === 4 ? 32 : 128;
}
