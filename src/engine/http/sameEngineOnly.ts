import type { Connection } from './connection.ts';
import { EngineError } from '../errors.ts';

/**
 * Restricts `connect` to the engine of this connection. Another engine does not know the containers of this one,
 * so its responses are unrelated to them.
 *
 * @returns a function that rejects with EngineError `engineReplaced` while another address is in use.
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

/** Resolves to the connection to an engine; a new one if the last was lost. */
export type Connect = (signal?: AbortSignal) => Promise<Connection>;
