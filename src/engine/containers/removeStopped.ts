import { EngineError, unlessNotFound } from '../errors.ts';
import type { Connection } from '../http/connection.ts';
import type { Container } from '../model.ts';
import { removeContainer } from './containerLifecycle.ts';
import { inspectContainer } from './containers.ts';
import { sentence } from '../../base/sentence.ts';

/**
 * Removes a container if it is still stopped: `DELETE /containers/{id}`, never with force.
 *
 * @param id the full ID.
 * @param options `volumes`: with its anonymous volumes.
 * @throws EngineError `conflict` if it was started in the meantime.
 */
export async function removeStopped(
  connection: Connection,
  id: string,
  options: { readonly volumes?: boolean },
  signal?: AbortSignal,
): Promise<{ readonly outcome: 'removed' | 'alreadyGone' }> {
  const now = await unlessNotFound(inspectContainer(connection, id, signal));
  if (!now) return { outcome: 'alreadyGone' };
  if (!isStopped(now)) {
    const engineMessage = sentence('The container was started in the meantime.');
    throw new EngineError('conflict', { engineMessage });
  }
  return removeContainer(connection, id, options, signal);
}

/** Whether a container is stopped, or was never started. */
export function isStopped({ state }: Pick<Container, 'state'>): boolean {
  return state === 'exited' || state === 'dead' || state === 'created';
}
