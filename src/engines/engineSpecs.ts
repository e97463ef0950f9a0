import type { Machine } from '../engine/discovery/endpoint.ts';
import type { DiscoveryResult, EngineEntry } from '../engine/discovery/endpointCandidate.ts';
import { discoverEndpoints, settingCandidate } from '../engine/discovery/discoverEndpoints.ts';
import type { L10n } from '../l10n.ts';
import { DEFAULT_ENGINE, type EngineSpec } from './engines.ts';

/** The engines wanted: the one of the command line's rules, then those of the setting. */
export function engineSpecs(settings: EngineSettings, l10n: L10n): readonly EngineSpec[] {
  const added = Object.entries(settings.engines()).map(([name, entry]) => ({
    id: engineIdOf(name),
    name,
    identity: JSON.stringify(entry),
  }));
  // Where it leads is looked at anew at each search, so it stays the same engine.
  return [{ id: DEFAULT_ENGINE, name: l10n.t('Default'), identity: '' }, ...added];
}

/** What the person has set about engines. */
export interface EngineSettings {
  /** `gantry.host`: where the default engine listens. */
  readonly host: () => string;
  /** `gantry.engines`: the others, by their names. */
  readonly engines: () => Readonly<Record<string, unknown>>;
}

/** The id of an engine of the setting: fit for the ids of rows. */
export function engineIdOf(name: string): string {
  return `engine:${encodeURIComponent(name)}`;
}

/** Where to look for an engine now. Never rejects for what somebody wrote: then the place has the error. */
export async function candidatesOf(
  spec: Pick<EngineSpec, 'id' | 'name'>,
  settings: EngineSettings,
  machine: Machine,
): Promise<DiscoveryResult> {
  if (spec.id === DEFAULT_ENGINE) return discoverEndpoints(settings.host(), machine);
  // What is neither a text nor an object with an address is refused there.
  const entry = settings.engines()[spec.name] as EngineEntry;
  return {
    candidates: [await settingCandidate(spec.name, entry, machine)],
    isChosen: true,
    steps: [],
  };
}
