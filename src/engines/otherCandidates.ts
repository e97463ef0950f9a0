import type { Machine } from '../engine/http/endpoint.ts';
import type { DiscoveryResult, EndpointCandidate } from '../engine/discovery/endpointCandidate.ts';
import { candidateKey, listCandidates } from '../engine/discovery/listCandidates.ts';
import type { EngineUnit } from './engineUnit.ts';

/**
 * Returns the candidates on this machine that none of these engines uses.
 *
 * @param choices the discovery result of each engine, in the same order.
 */
export async function otherCandidates(
  engines: readonly EngineUnit[],
  choices: readonly DiscoveryResult[],
  machine: Machine,
): Promise<readonly EndpointCandidate[]> {
  const used = choices.flatMap(({ candidates, isChosen }, index) => {
    const url = engines[index]?.engine.endpoint?.url;
    return isChosen ? candidates : candidates.filter(({ endpoint }) => endpoint?.url === url);
  });
  const keyOf = (candidate: EndpointCandidate): Promise<string> => candidateKey(candidate, machine);
  const known = new Set(await Promise.all(used.map(keyOf)));
  const offered = await listCandidates(machine);
  const keys = await Promise.all(offered.map(keyOf));
  return offered.filter((_, index) => !known.has(keys[index] ?? ''));
}
