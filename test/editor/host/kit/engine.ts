// Access to the engine under test through its newest API version, without the product's code.
import { ask, askWell } from '../../../bed/http.ts';
import { until } from '../../../bed/until.ts';
import { bed } from '../../../bed/env.ts';

/** The newest version of each engine by its socket. */
const newest = new Map<string, Promise<string>>();

/** Adds the newest version, which the product uses; Podman treats a request without a version as a later one. */
async function versioned(path: string): Promise<string> {
  const { socket } = bed();
  // Requested only once: Podman takes a second for it, because it looks up the packages of its programs.
  const version = newest.get(socket) ?? newestOf(socket);
  newest.set(socket, version);
  return `/v${await version}${path}`;
}

async function newestOf(socket: string): Promise<string> {
  const text = await askWell(socket, 'GET', '/version');
  return (JSON.parse(text) as { readonly ApiVersion: string }).ApiVersion;
}

/** Sends a request that must succeed; resolves to the JSON of the response, or undefined if it is empty. */
export async function raw(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: object,
): Promise<unknown> {
  const how = body === undefined ? {} : { body };
  const text = await askWell(bed().socket, method, await versioned(path), how);
  return text.trim() === '' ? undefined : (JSON.parse(text) as unknown);
}

/** Sends a request and resolves to the status of the response. */
export async function statusOf(method: 'GET' | 'POST' | 'DELETE', path: string): Promise<number> {
  return (await ask(bed().socket, method, await versioned(path))).status;
}

/** Returns the value at a path in JSON, or undefined if there is none. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (inner, key) => (inner as Record<string | number, unknown> | null | undefined)?.[key],
    value,
  );
}

/** Inspects a container: `GET /containers/{id}/json`. */
export function inspect(id: string): Promise<unknown> {
  return raw('GET', `/containers/${id}/json`);
}

/** Creates a file in a running container. */
export async function touch(id: string, path: string): Promise<void> {
  const Cmd = ['touch', path];
  const exec = (await raw('POST', `/containers/${id}/exec`, { Cmd })) as { readonly Id: string };
  await raw('POST', `/exec/${exec.Id}/start`, { Detach: true });
}

/** Resolves to whether a container exists. */
export async function isThere(id: string): Promise<boolean> {
  return (await statusOf('GET', `/containers/${id}/json`)) === 200;
}

/** The list fields of a container or an image that are used here. */
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
  // Podman cannot list images while one is being removed, and other tests may use the same engine.
  await until(async () => {
    const answer = await ask(bed().socket, 'GET', await versioned('/images/json?all=1'));
    text = answer.text;
    return answer.status === 200;
  }, 'the list of images');
  return JSON.parse(text) as readonly Listed[];
}
