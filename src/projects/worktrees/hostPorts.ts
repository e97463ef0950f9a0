import { createHash } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { ResolvedPort, ResolvedProject } from './readResolvedProject.ts';

/** Returns the ports of the host that a project publishes, in order. With the network of the host there are none. */
export function wantedPorts({ services }: ResolvedProject): readonly WantedPort[] {
  return services.flatMap(({ name, networkMode, ports }) => {
    const published = networkMode === 'host' ? [] : ports.filter((one) => one.published);
    const seen = new Map<string, number>();
    return published.map((port) => {
      const key = [name, port.target, port.protocol, port.hostIp].join(' ');
      const number = seen.get(key) ?? 0;
      seen.set(key, number + 1);
      return wanted(name, port, `${key} ${number}`);
    });
  });
}

/** Ports of the host that a service publishes, one after the other. */
export interface WantedPort {
  /** Tells it from the others of the project, also if the files change. */
  readonly key: string;
  readonly service: string;
  readonly container: number;
  readonly protocol: string;
  readonly hostIp: string;
  /** The first one in the files. */
  readonly published: number;
  readonly count: number;
}

/** A port with the first one of the host that it has here. */
export interface HostPort extends WantedPort {
  readonly host: number;
}

/**
 * Chooses ports of the host: those that the project had before, and otherwise some that follow from its name, so that
 * they stay the same. What is not free is left for the next one that is.
 *
 * @param known the ports that the project had, by their keys.
 * @returns undefined if too few are free.
 */
export async function chooseHostPorts(
  project: string,
  wanted: readonly WantedPort[],
  { known, isFree, signal }: PortChoice,
): Promise<readonly HostPort[] | undefined> {
  const used = new Set<number>();
  const chosen: HostPort[] = [];
  for (const port of wanted) {
    const start = known.get(port.key) ?? firstPort(project, port.key);
    const host = await nextFree(start, port, async (one) => {
      signal.throwIfAborted();
      return !used.has(one) && (await isFree(one, port));
    });
    if (host === undefined) return undefined;
    for (let one = host; one < host + port.count; one += 1) used.add(one);
    chosen.push({ ...port, host });
  }
  return chosen;
}

interface PortChoice {
  readonly known: ReadonlyMap<string, number>;
  readonly isFree: (port: number, wanted: WantedPort) => boolean | Promise<boolean>;
  readonly signal: AbortSignal;
}

/** Below those that systems give to programs that ask for any. */
const FIRST = 20_000;
const COUNT = 10_000;

function firstPort(project: string, key: string): number {
  const hash = createHash('sha256').update(`${project}\0${key}`).digest();
  return FIRST + (hash.readUInt32BE(0) % COUNT);
}

async function nextFree(
  start: number,
  { count }: WantedPort,
  isFree: (port: number) => Promise<boolean>,
): Promise<number | undefined> {
  if (count > COUNT) return undefined;
  let run = 0;
  for (let steps = 0; steps < COUNT; steps += 1) {
    const port = FIRST + ((((start - FIRST + steps) % COUNT) + COUNT) % COUNT);
    // Those of a range are one after the other.
    run = (await isFree(port)) ? (port === FIRST ? 0 : run) + 1 : 0;
    if (run === count) return port - count + 1;
  }
  return undefined;
}

/** Whether nothing on this machine listens on a port. */
export async function isUnusedHere(
  port: number,
  { protocol, hostIp }: WantedPort,
): Promise<boolean> {
  if (protocol !== 'tcp' && protocol !== 'udp') return true;
  for (const host of hostIp === '' ? ['127.0.0.1', '0.0.0.0', '::'] : [hostIp])
    if (!(await (protocol === 'tcp' ? canListen(port, host) : canBind(port, host)))) return false;
  return true;
}

async function canListen(port: number, host: string): Promise<boolean> {
  const server = createServer();
  try {
    server.listen({ port, host, exclusive: true });
    await once(server, 'listening');
    return true;
  } catch (error) {
    return !isInUse(error);
  } finally {
    server.close();
  }
}

async function canBind(port: number, address: string): Promise<boolean> {
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
  try {
    socket.bind({ port, address, exclusive: true });
    await once(socket, 'listening');
    return true;
  } catch (error) {
    return !isInUse(error);
  } finally {
    socket.close();
  }
}

/** An address that this machine does not have says nothing. */
function isInUse(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EADDRINUSE' || code === 'EACCES';
}

function wanted(service: string, port: ResolvedPort, key: string): WantedPort {
  const { target, protocol, hostIp, published } = port;
  const { first = 0, count = 1 } = published ?? {};
  return { key, service, container: target, protocol, hostIp, published: first, count };
}

/**
 * Returns the variables by which a compose file can use the ports: `GANTRY_PORT_WEB_80`. Of several for one port of a
 * service, TCP counts, and of these the first.
 */
export function portVariables(ports: readonly VariablePort[]): Readonly<Record<string, string>> {
  const variables = new Map<string, string>();
  const last = ports.toSorted(
    (a, b) => Number(b.protocol === 'tcp') - Number(a.protocol === 'tcp'),
  );
  for (const { service, container, host } of last.toReversed()) {
    const name = service.toUpperCase().replace(/[^A-Z0-9]/g, '_');
    variables.set(`GANTRY_PORT_${name}_${container}`, String(host));
  }
  return Object.fromEntries(variables);
}

type VariablePort = Pick<HostPort, 'service' | 'container' | 'protocol' | 'host'>;
