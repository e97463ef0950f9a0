import { isIP } from 'node:net';
import { asList, asRecord, asText } from '../wire/wire.ts';
import type { PortFacts } from './containerFacts.ts';

const MOST_PORTS = 1000;
const MOST_BINDINGS = 20;

/**
 * Reads the ports of an inspected container. While it does not run, engines report those that it asks for.
 *
 * @param raw the whole response.
 */
export function readPortFacts(raw: Readonly<Record<string, unknown>>): readonly PortFacts[] {
  const wanted = asRecord(asRecord(raw['HostConfig'])['PortBindings']);
  const exposed = asRecord(asRecord(raw['Config'])['ExposedPorts']);
  const open = asRecord(asRecord(raw['NetworkSettings'])['Ports']);
  const all = { ...exposed, ...wanted, ...open };
  return Object.entries(all)
    .slice(0, MOST_PORTS)
    .flatMap(([name, bindings]) => readPort(name, bindings))
    .sort((a, b) => a.port - b.port || (a.protocol < b.protocol ? -1 : 1));
}

function readPort(name: string, bindings: unknown): readonly PortFacts[] {
  const [, port = '', protocol = 'tcp'] = /^(\d{1,5})(?:\/([a-z]{1,16}))?$/.exec(name) ?? [];
  if (port === '' || Number(port) > 65_535) return [];
  const published = asList(bindings)
    .slice(0, MOST_BINDINGS)
    .flatMap((one) => {
      const wire = asRecord(one);
      const ip = asText(wire['HostIp']);
      const hostPort = asText(wire['HostPort']);
      const isPort = /^\d{1,5}$/.test(hostPort) && Number(hostPort) > 0;
      return isPort && Number(hostPort) <= 65_535
        ? [{ ip: isIP(ip) === 0 ? '' : ip, port: Number(hostPort) }]
        : [];
    });
  return [{ port: Number(port), protocol, published: withoutSecondFamily(published) }];
}

/** The same port is already listed for IPv4. */
function withoutSecondFamily(published: PortFacts['published']): PortFacts['published'] {
  const everywhere = new Set(
    published.filter(({ ip }) => ip === '0.0.0.0').map(({ port }) => port),
  );
  return published.filter(({ ip, port }) => ip !== '::' || !everywhere.has(port));
}
