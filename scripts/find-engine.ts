// Finds the user's container engine as Gantry does, and sends it nothing but a ping.
import { request, type RequestOptions } from 'node:http';
import { homedir } from 'node:os';
import type { Endpoint } from '../src/engine/http/endpoint.ts';
import { discoverEndpoints } from '../src/engine/discovery/discoverEndpoints.ts';
import { readEngineConfig } from '../src/engine/discovery/engineConfig.ts';

/** Timeout of a ping in milliseconds. An engine that takes longer is not offered. */
const PATIENCE = 3_000;

/**
 * Resolves to the engine of an environment variable or Docker context, whether it responds or not; otherwise to
 * the first engine that responds.
 *
 * @throws EngineError if the variable or context has no valid endpoint
 */
export async function findEngine(): Promise<Endpoint | undefined> {
  const machine = { platform: process.platform, home: homedir(), env: process.env };
  const { candidates, isChosen } = await discoverEndpoints('', await readEngineConfig(machine));
  for (const { endpoint, error } of candidates) {
    if (isChosen && error) throw error;
    if (endpoint && (isChosen || (await answers(endpoint)))) return endpoint;
  }
  return undefined;
}

/** Resolves to whether the server at this address responds to a ping with status 200. */
export function answers({ transport }: Endpoint): Promise<boolean> {
  // Logins and certificates are left to the extension.
  if (transport.kind === 'ssh' || (transport.kind === 'tcp' && transport.tls))
    return Promise.resolve(false);
  const where: RequestOptions =
    transport.kind === 'socket'
      ? { socketPath: transport.path, path: '/_ping' }
      : { host: transport.host, port: transport.port, path: `${transport.base}/_ping` };
  return new Promise((resolve) => {
    const sent = request({ ...where, agent: false, timeout: PATIENCE }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    sent.on('timeout', () => sent.destroy());
    sent.on('error', () => resolve(false));
    sent.end();
  });
}
