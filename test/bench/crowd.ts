import { ask, askWell } from '../bed/http.ts';
import { BED_IMAGE } from '../bed/images.ts';

/** Creates containers that are never started, a few at a time, numbered from `first`. Resolves to their IDs. */
export async function createCrowd(
  socket: string,
  count: number,
  first = 0,
): Promise<readonly string[]> {
  const ids: string[] = [];
  const numbers = Array.from({ length: count }, (_, index) => first + index).values();
  const worker = async (): Promise<void> => {
    for (const number of numbers) ids.push(await createOne(socket, `crowd-${number}`));
  };
  await Promise.all(Array.from({ length: 4 }, worker));
  return ids;
}

/** Creates a container that sleeps when started and stops immediately with SIGKILL. `wish` overrides its body. */
export async function createOne(socket: string, name: string, wish: object = {}): Promise<string> {
  const body = { Image: BED_IMAGE, Cmd: ['sleep', '1000000'], StopSignal: 'SIGKILL', ...wish };
  const text = await askWell(socket, 'POST', `/v1.41/containers/create?name=${name}`, { body });
  return (JSON.parse(text) as { readonly Id: string }).Id;
}

/** Sends an operation for a container. */
export async function verb(socket: string, id: string, operation: string): Promise<void> {
  await askWell(socket, 'POST', `/v1.41/containers/${id}/${operation}`);
}

/** Force-removes a container. */
export async function removeOne(socket: string, id: string): Promise<void> {
  await ask(socket, 'DELETE', `/v1.41/containers/${id}?force=1`);
}

/** Waits until a container has exited. */
export async function waitForEnd(socket: string, id: string): Promise<void> {
  await askWell(socket, 'POST', `/v1.41/containers/${id}/wait`, { timeout: 600_000 });
}
