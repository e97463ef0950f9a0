import { EngineError } from './errors.ts';
import { isPage } from './failures.ts';
import type { EngineInfo } from './model.ts';

/** The newest API version whose shapes we know. */
export const OUR_API = '1.52';

/** The oldest we work with: Docker 20.10's. */
export const OLDEST_API = '1.41';

/** Compares two API versions as pairs of integers: 1.9 is older than 1.10. Negative where `a` is older. */
export function compareApi(a: string, b: string): number {
  const [majorA = 0, minorA = 0] = a.split('.').map(Number);
  const [majorB = 0, minorB = 0] = b.split('.').map(Number);
  return majorA - majorB || minorA - minorB;
}

/**
 * What a `_ping` answer says of the engine, with the version to speak.
 *
 * @throws EngineError `notAnEngine` or `proxyPage` where this is no answer of an engine; `tooOld` below
 *   {@link OLDEST_API}.
 */
export function readPing(
  headers: Readonly<Record<string, string>>,
  text: string,
  endpoint: string,
): EngineInfo {
  const announced = headers['api-version'];
  const isVersion = announced !== undefined && /^\d+\.\d+$/.test(announced);
  if (!isVersion && text.trim() !== 'OK') {
    const isWeb = isPage(headers['content-type'] ?? '', text);
    throw new EngineError(isWeb ? 'proxyPage' : 'notAnEngine', { endpoint });
  }
  const engineApi = isVersion ? announced : OUR_API;
  if (compareApi(engineApi, OLDEST_API) < 0) {
    throw new EngineError('tooOld', { endpoint, engineMessage: `API ${engineApi}` });
  }
  return {
    ...readServer(headers),
    engineApi,
    api: compareApi(engineApi, OUR_API) < 0 ? engineApi : OUR_API,
  };
}

function readServer(
  headers: Readonly<Record<string, string>>,
): Pick<EngineInfo, 'product' | 'version'> {
  // A proxy may put its own name in the place of the engine's.
  const podman = headers['libpod-api-version'];
  if (podman !== undefined) return { product: 'podman', version: podman };
  const [, name = '', version] = /^(\w+)\/([^\s]+)/.exec(headers['server'] ?? '') ?? [];
  const product = name === 'Docker' ? 'docker' : name === 'Libpod' ? 'podman' : 'unknown';
  return version === undefined ? { product } : { product, version };
}

/**
 * Whether a refusal may come from a version that no longer fits, because the engine was replaced under us.
 * Only a 400 can: a request that failed in any other way must not be sent twice.
 */
export function isVersionRefusal(
  info: EngineInfo,
  failure: EngineError,
  headers: Readonly<Record<string, string>>,
): boolean {
  if (failure.status !== 400) return false;
  const announced = headers['api-version'];
  if (announced !== undefined && announced !== info.engineApi) return true;
  // Only this wording tells a raised minimum, which no header carries.
  return /client version \S+ is too (?:new|old)/.test(failure.message);
}
