import { isIP } from 'node:net';
import { readNetworks } from '../containers/readContainer.ts';
import type { ContainerState } from '../model.ts';
import { asLine, asLines, asList, asRecord, asText } from '../wire/wire.ts';
import type { NetworkConnection } from './containerFacts.ts';

const MOST_ALIASES = 100;
const MOST_CONNECTIONS = 200;

/** Reads `NetworkSettings.Networks` of an inspected container, with what the list of containers does not have. */
export function readConnections(
  value: unknown,
  { id, state }: { readonly id: string; readonly state: ContainerState },
): readonly NetworkConnection[] {
  const wires = new Map(Object.entries(asRecord(value)).map(([name, one]) => [asLine(name), one]));
  return readNetworks(value, state)
    .slice(0, MOST_CONNECTIONS)
    .map((network) => {
      const wire = asRecord(wires.get(network.name));
      const gateway = asText(wire['Gateway']);
      const mac = asText(wire['MacAddress']);
      return {
        ...network,
        ...(isIP(gateway) !== 0 && { gateway }),
        ...(/^[\da-f]{2}(?::[\da-f]{2}){5}$/i.test(mac) && { mac }),
        aliases: aliasesIn(wire, id),
      };
    });
}

/** Every container can be reached by its short ID, too. */
function aliasesIn(wire: Readonly<Record<string, unknown>>, id: string): readonly string[] {
  const all = [wire['Aliases'], wire['DNSNames']].flatMap((names) =>
    asLines(asList(names).slice(0, MOST_ALIASES)),
  );
  return [...new Set(all)].filter((name) => !id.startsWith(name));
}
