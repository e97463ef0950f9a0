import type { IpAddress } from './ipRange.ts';

/** An address and port on which a process accepts TCP connections. */
export interface ListeningSocket {
  /** An IPv4 address that is written as IPv6 counts as IPv4. */
  readonly ip: IpAddress;
  readonly port: number;
}

/** The state of a socket that accepts connections. */
const LISTEN = '0A';

/**
 * Reads the listening sockets from `/proc/net/tcp` and `/proc/net/tcp6`, one after the other.
 *
 * @returns undefined if the text is neither.
 */
export function parseListeningSockets(text: string): readonly ListeningSocket[] | undefined {
  if (!text.includes('local_address')) return undefined;
  return text.split('\n').flatMap((line): readonly ListeningSocket[] => {
    const [, local = '', , state] = line.trim().split(/\s+/);
    const [, digits = '', port = ''] = /^([\dA-F]{8}|[\dA-F]{32}):([\dA-F]{4})$/.exec(local) ?? [];
    if (state !== LISTEN || digits === '') return [];
    return [{ ip: ipOf(digits), port: parseInt(port, 16) }];
  });
}

/** `::ffff:0:0/96`: the IPv4 addresses as IPv6. */
const MAPPED = 0xffffn << 32n;

/** The digits are words of four bytes, each in the byte order of the machine, which is little-endian. */
function ipOf(digits: string): IpAddress {
  const bytes = digits.match(/../g) ?? [];
  const words = Array.from({ length: bytes.length / 4 }, (_, index) =>
    bytes
      .slice(index * 4, index * 4 + 4)
      .reverse()
      .join(''),
  );
  const value = BigInt(`0x${words.join('')}`);
  if (words.length === 1) return { family: 4, value };
  const isMapped = value >> 32n === MAPPED >> 32n;
  return isMapped ? { family: 4, value: value - MAPPED } : { family: 6, value };
}

/** Whether a socket accepts connections to every address of the container. */
export function isWildcard({ ip }: ListeningSocket): boolean {
  return ip.value === 0n;
}

/** Whether a socket accepts connections only from the container itself. */
export function isLoopbackSocket({ ip: { family, value } }: ListeningSocket): boolean {
  return family === 4 ? value >> 24n === 127n : value === 1n;
}
