import type { Connection } from './http/connection.ts';
import { EngineError } from './errors.ts';

/**
 * Narrows `connect` to the engine of this connection. Another engine knows nothing of its containers, which says
 * nothing about them.
 *
 * @returns rejects with EngineError `engineReplaced` while another address is in use.
 */
export function sameEngineOnly(
  { endpoint }: Pick<Connection, 'endpoint'>,
  connect: Connect,
): Connect {
  return async (signal) => {
    const connection = await connect(signal);
    if (connection.endpoint.url === endpoint.url) return connection;
    throw new EngineError('engineReplaced', { endpoint: endpoint.url });
  };
}

/** Gets the connection to an engine: another one after the last was lost. */
export type Connect = (signal?: AbortSignal) => Promise<Connection>;
