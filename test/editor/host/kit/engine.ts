// The engine under test by its own API in its newest version, without the product's code.
import { ask, askWell, until } from '../../../bed/http.ts';
import { bed } from '../../../bed/env.ts';

let newest: Promise<string> | undefined;

/** The newest version is what the product speaks; Podman takes none for a later one. */
async function versioned(path: string): Promise<string> {
  // Asked once: Podman takes a second for it, to look for the packages of its programs.
  newest ??= askWell(bed().socket, 'GET', '/version').then(
    (text) => (JSON.parse(text) as { readonly ApiVersion: string }).ApiVersion,
  );
  return `/v${await newest}${path}`;
}

/** One request whose answer has to be good; resolves to its JSON, undefined for an empty one. */
export async function raw(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: object,
): Promise<unknown> {
  const how = body === undefined ? {} : { body };
  const text = await askWell(bed().socket, method, await versioned(path), how);
  return text.trim() === '' ? undefined : (JSON.parse(text) as unknown);
}

/** The status of one request, whatever it is. */
export async function statusOf(method: 'GET' | 'POST' | 'DELETE', path: string): Promise<number> {
  return (await ask(bed().socket, method, await versioned(path))).status;
}

/** The value at a path in JSON; undefined where there is none. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (inner, key) => (inner as Record<string | number, unknown> | null | undefined)?.[key],
    value,
  );
}

/** The engine's own word on a container. */
export function inspect(id: string): Promise<unknown> {
  return raw('GET', `/containers/${id}/json`);
}

/** Whether a container is there. */
export async function isThere(id: string): Promise<boolean> {
  return (await statusOf('GET', `/containers/${id}/json`)) === 200;
}

/** What an engine lists of a container or an image that is used here. */
export interface Listed {
  readonly Id: string;
  readonly Names?: readonly string[] | null;
  readonly RepoTags?: readonly string[] | null;
}

export async function allContainers(): Promise<readonly Listed[]> {
  return (await raw('GET', '/containers/json?all=1')) as readonly Listed[];
}

export async function allImages(): Promise<readonly Listed[]> {
  let text = '';
  // Podman cannot list while somebody removes an image, and others may work on the same engine.
  await until(async () => {
    const answer = await ask(bed().socket, 'GET', await versioned('/images/json?all=1'));
    text = answer.text;
    return answer.status === 200;
  }, 'the list of images');
  return JSON.parse(text) as readonly Listed[];
}
