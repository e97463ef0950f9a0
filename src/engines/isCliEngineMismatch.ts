import type { Machine } from '../engine/discovery/endpoint.ts';
import { candidateKey } from '../engine/discovery/listCandidates.ts';
import type { DiscoveryResult } from '../engine/discovery/endpointCandidate.ts';

/**
 * Whether the setting `gantry.host` leads to another engine than the command line in a terminal would use.
 *
 * @param withHost what the rules lead to with the setting.
 * @param without the same without it.
 */
export async function isCliEngineMismatch(
  withHost: DiscoveryResult,
  without: DiscoveryResult,
  machine: Machine,
): Promise<boolean> {
  // Where nobody has chosen, the first is what the command line takes.
  const [[ours], [theirs]] = [withHost.candidates, without.candidates];
  if (!withHost.isChosen || !ours || !theirs) return false;
  if (!ours.endpoint || !theirs.endpoint) return ours.error?.reason !== theirs.error?.reason;
  const keys = await Promise.all([candidateKey(ours, machine), candidateKey(theirs, machine)]);
  return keys[0] !== keys[1];
}
