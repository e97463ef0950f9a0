/** Asks a container which address a name has for its programs. */

import { runExec } from '../exec/runExec.ts';
import { failedWith } from '../errors.ts';
import type { Connection } from '../http/connection.ts';
import { parseIp, type IpAddress } from './ipRange.ts';

/** Looks a name up in a running container: with `getent`, else in `/etc/hosts` and with `nslookup`. */
export async function lookUpName(
  connection: Connection,
  containerId: string,
  name: string,
  signal?: AbortSignal,
): Promise<Lookup> {
  try {
    const getent = await runExec(connection, containerId, ['getent', 'hosts', name], {}, signal);
    if (getent) return readGetent(getent.output, getent.exitCode);
    const hosts = await runExec(connection, containerId, ['cat', '/etc/hosts'], {}, signal);
    const own = readHosts(hosts?.output ?? '', name);
    if (own.length > 0) return own;
    const asked = await runExec(connection, containerId, ['nslookup', name], {}, signal);
    return asked && readNslookup(asked.output, asked.exitCode);
  } catch (error) {
    if (failedWith(error, 'timeout')) return undefined;
    throw error;
  }
}

/** The addresses of a name; none if it does not resolve; undefined if nothing in the container can look it up. */
export type Lookup = readonly IpAddress[] | undefined;

/** The exit code of `getent` if the name is not found. */
const GETENT_NOT_FOUND = 2;

/** Reads the output of `getent hosts`: an address and names in each line. */
export function readGetent(output: string, exitCode: number | undefined): Lookup {
  const found = addressesIn(output.split('\n').map((line) => line.trim().split(/\s+/)[0] ?? ''));
  return found.length > 0 || exitCode === GETENT_NOT_FOUND ? found : undefined;
}

/** Returns the addresses of a name in `/etc/hosts`. */
export function readHosts(text: string, name: string): readonly IpAddress[] {
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = (line.split('#', 1)[0] ?? '').trim().split(/\s+/);
    return names.includes(name) ? addressesIn([address]) : [];
  });
}

/**
 * Reads the output of `nslookup`, of busybox or BIND. The first address is that of the server, before any name. A
 * server that does not answer, or fails, is inconclusive.
 */
export function readNslookup(output: string, exitCode: number | undefined): Lookup {
  const answer = output.slice(/^Name:/m.exec(output)?.index ?? output.length);
  const found = [...answer.matchAll(/^Address(?: \d{1,3})?: ([^\s#]+)/gm)];
  const addresses = addressesIn(found.map(([, address = '']) => address));
  if (addresses.length > 0) return addresses;
  const isAnswered = /NXDOMAIN|can't resolve|Name or service not known|No answer/.test(output);
  return exitCode !== 0 && isAnswered ? [] : undefined;
}

function addressesIn(texts: readonly string[]): readonly IpAddress[] {
  return texts.flatMap((text) => parseIp(text) ?? []);
}
