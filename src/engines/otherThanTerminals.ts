import type { Machine } from '../engine/discovery/endpoint.ts';
import { keyOf } from '../engine/discovery/offered.ts';
import type { Choice } from '../engine/discovery/place.ts';

/**
 * Whether the setting `gantry.host` leads to another engine than the command line in a terminal would use.
 *
 * @param withHost what the rules lead to with the setting.
 * @param without the same without it.
 */
export async function isOtherThanTerminals(
  withHost: Choice,
  without: Choice,
  machine: Machine,
): Promise<boolean> {
  // Where nobody has chosen, the first is what the command line takes.
  const [[ours], [theirs]] = [withHost.places, without.places];
  if (!withHost.isChosen || !ours || !theirs) return false;
  if (!ours.endpoint || !theirs.endpoint) return ours.error?.reason !== theirs.error?.reason;
  const keys = await Promise.all([keyOf(ours, machine), keyOf(theirs, machine)]);
  return keys[0] !== keys[1];
}
