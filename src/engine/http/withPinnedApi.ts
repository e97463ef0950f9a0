import { capabilitiesOf } from '../capabilities.ts';
import { EngineError } from '../errors.ts';
import type { EngineInfo } from '../model.ts';
import { compareApi, OLDEST_API, OUR_API } from '../version.ts';

/**
 * What to speak where the person has pinned a version, as `DOCKER_API_VERSION` does: never a newer one, and
 * never one whose answers we do not know.
 *
 * @param pinned for example `1.44`, also written `v1.44`; undefined or empty pins nothing.
 * @throws EngineError `pinRefused`, its words naming the version, where the engine or we do not speak it.
 */
export function withPinnedApi(
  info: EngineInfo,
  pinned: string | undefined,
  endpoint: string,
): EngineInfo {
  const version = pinned?.trim().replace(/^v/, '') ?? '';
  if (version === '') return info;
  const why = objectionTo(version, info);
  if (why !== undefined) throw new EngineError('pinRefused', { endpoint, engineMessage: why });
  return { ...info, api: compareApi(version, OUR_API) < 0 ? version : OUR_API };
}

/** In signs, for these words are shown in every language. */
function objectionTo(version: string, info: EngineInfo): string | undefined {
  if (!/^\d+\.\d+$/.test(version)) return JSON.stringify(version);
  if (compareApi(version, OLDEST_API) < 0) return `${version} < ${OLDEST_API}`;
  const isTooNew = compareApi(version, info.engineApi) > 0;
  if (isTooNew && capabilitiesOf(info).refusesNewerApi) return `${version} > ${info.engineApi}`;
  return undefined;
}
