import * as l10n from '@vscode/l10n';
import type { Machine } from '../engine/http/endpoint.ts';
import type { DiscoveryResult, EngineEntry } from '../engine/discovery/endpointCandidate.ts';
import { discoverEndpoints, settingCandidate } from '../engine/discovery/discoverEndpoints.ts';
import { readEngineConfig } from '../engine/discovery/engineConfig.ts';
import type { Settings } from '../base/settings.ts';
import type { EngineSpec } from './engines.ts';
import { DEFAULT_ENGINE } from './engineUnit.ts';

/** Returns the configured engines: the default engine first, then those of the setting `gantry.engines`. */
export function engineSpecs(settings: EngineSettings): readonly EngineSpec[] {
  const added = Object.entries(settings.engines()).map(([name, entry]) => ({
    id: engineIdOf(name),
    name,
    identity: JSON.stringify(entry),
  }));
  // No identity: each discovery resolves its address again, so it stays the same engine.
  return [{ id: DEFAULT_ENGINE, name: l10n.t('Default'), identity: '' }, ...added];
}

type EngineSettings = Pick<Settings, 'host' | 'engines'>;

/** Returns the ID of an engine of the setting, encoded for use in row IDs. */
function engineIdOf(name: string): string {
  return `engine:${encodeURIComponent(name)}`;
}

/**
 * Discovers the current candidates of an engine. Does not reject if its settings are invalid: the candidate
 * then has the error.
 */
export async function candidatesOf(
  spec: Pick<EngineSpec, 'id' | 'name'>,
  settings: EngineSettings,
  machine: Machine,
): Promise<DiscoveryResult> {
  const host = settings.host();
  // `settingCandidate` rejects an entry that is neither a string nor an object with an address.
  const entry = settings.engines()[spec.name] as EngineEntry;
  const config = await readEngineConfig(machine);
  if (spec.id === DEFAULT_ENGINE) return discoverEndpoints(host, config);
  const candidate = await settingCandidate(spec.name, entry, config);
  return { candidates: [candidate], isChosen: true, steps: [] };
}
