/** Moves published ports to where they are free. Pure. */

import { parsePort } from '../../engine/options/portBinding.ts';
import type { L10n } from '../../l10n.ts';
import type { SuggestPort } from './createImageRows.ts';

/**
 * The same ports, those at taken numbers at free ones; where none is known, at one of the engine's choice. What another
 * of them names is not free. A range that is taken in part becomes a port for each of it. Throws InputError where one is no port.
 */
export async function reassignPorts(
  ports: readonly string[],
  taken: ReadonlySet<number>,
  suggest: SuggestPort,
  l10n: L10n,
): Promise<readonly string[]> {
  const all = ports.map((text) => ({ text, bindings: parsePort(text, l10n) }));
  const given = new Set(
    all.flatMap(({ bindings }) => bindings.map(({ hostPort }) => Number(hostPort))),
  );
  const moved: string[] = [];
  for (const { text, bindings } of all) {
    if (!bindings.some(({ hostPort }) => taken.has(Number(hostPort)))) {
      moved.push(text);
      continue;
    }
    for (const { hostIp, hostPort, containerPort } of bindings) {
      const number = Number(hostPort);
      const [, protocol = 'tcp'] = containerPort.split('/');
      const free = taken.has(number) ? await suggest(number, protocol, given) : number;
      if (free !== undefined) given.add(free);
      const ip = hostIp.includes(':') ? `[${hostIp}]` : hostIp;
      moved.push(`${ip === '' ? '' : `${ip}:`}${free ?? 0}:${containerPort}`);
    }
  }
  return moved;
}
