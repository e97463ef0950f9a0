import { EngineError } from '../errors.ts';
import { isHtmlPage } from '../wire/parseJson.ts';
import type { EngineInfo } from '../model.ts';

/** The newest API version that we know. */
export const OUR_API = '1.52';

/** The oldest API version that we support: that of Docker 20.10. */
export const OLDEST_API = '1.41';

/** Compares two versions by their first two numbers: 1.9 is older than 1.10. Negative if `a` is older. */
export function compareApi(a: string, b: string): number {
  const [majorA = 0, minorA = 0] = a.split('.').map(Number);
  const [majorB = 0, minorB = 0] = b.split('.').map(Number);
  return majorA - majorB || minorA - minorB;
}

/**
 * Reads the response of `GET /_ping` and selects the API version to use.
 *
 * @throws EngineError `notAnEngine` or `proxyPage` if it does not come from an engine; `tooOld` below {@link
 *   OLDEST_API}.
 */
export function readPing(
  headers: Readonly<Record<string, string>>,
  text: string,
  endpoint: string,
): EngineInfo {
  const announced = headers['api-version'];
  const isVersion = announced !== undefined && /^\d+\.\d+$/.test(announced);
  if (!isVersion && text.trim() !== 'OK') {
    const isWeb = isHtmlPage(headers['content-type'] ?? '', text);
    throw new EngineError(isWeb ? 'proxyPage' : 'notAnEngine', { endpoint });
  }
  const engineApi = isVersion ? announced : OUR_API;
  if (compareApi(engineApi, OLDEST_API) < 0)
    throw new EngineError('tooOld', { endpoint, engineMessage: `API ${engineApi}` });
  return {
    ...readServer(headers),
    engineApi,
    api: compareApi(engineApi, OUR_API) < 0 ? engineApi : OUR_API,
  };
}

function readServer(
  headers: Readonly<Record<string, string>>,
): Pick<EngineInfo, 'product' | 'version'> {
  // A proxy may replace the server header.
  const podman = headers['libpod-api-version'];
  if (podman !== undefined) return { product: 'podman', version: podman };
  const [, name = '', version] = /^(\w+)\/([^\s]+)/.exec(headers['server'] ?? '') ?? [];
  const product = name === 'Docker' ? 'docker' : name === 'Libpod' ? 'podman' : 'unknown';
  return version === undefined ? { product } : { product, version };
}

/**
 * Whether the engine refused the API version of the request. The request itself was not processed, so it may be
 * sent again. Only the wording of the message shows it.
 */
export function isVersionRefusal(failure: EngineError): boolean {
  return failure.status === 400 && /client version \S+ is too (?:new|old)/.test(failure.message);
}

/**
 * Whether a 400 comes from an engine of another version than the one negotiated with, because it was replaced.
 * The request may have been processed in part, so only a read may be sent again.
 */
export function isOfAnotherVersion(
  info: EngineInfo,
  failure: EngineError,
  headers: Readonly<Record<string, string>>,
): boolean {
  const announced = headers['api-version'];
  return failure.status === 400 && announced !== undefined && announced !== info.engineApi;
}
