import type { Machine } from '../engine/http/endpoint.ts';
import { candidateKey } from '../engine/discovery/listCandidates.ts';
import type { DiscoveryResult, EndpointCandidate } from '../engine/discovery/endpointCandidate.ts';
import { readEngineConfig } from '../engine/discovery/engineConfig.ts';
import { discoverEndpoints } from '../engine/discovery/discoverEndpoints.ts';

/**
 * Compares the engine that the setting `gantry.host` selects with the one that the Docker CLI uses in a terminal.
 *
 * @returns the discovery result with the setting, and the Docker CLI's engine if it is a different one.
 */
export async function compareWithCli(
  hostSetting: string,
  machine: Machine,
): Promise<{ readonly chosen: DiscoveryResult; readonly cli: EndpointCandidate | undefined }> {
  const config = await readEngineConfig(machine);
  const [chosen, without] = await Promise.all([
    discoverEndpoints(hostSetting, config),
    discoverEndpoints('', config),
  ]);
  // If nothing is chosen, the first candidate is the one that the Docker CLI uses.
  const [ours] = chosen.candidates;
  const [theirs] = without.candidates;
  const isOther = chosen.isChosen && ours && theirs && !(await isSameEngine(ours, theirs, machine));
  return { chosen, cli: isOther === true ? theirs : undefined };
}

async function isSameEngine(
  a: EndpointCandidate,
  b: EndpointCandidate,
  machine: Machine,
): Promise<boolean> {
  if (!a.endpoint || !b.endpoint) return a.error?.reason === b.error?.reason;
  return (await candidateKey(a, machine)) === (await candidateKey(b, machine));
}
