// Looks for the engine a person has, where Gantry itself will look, and asks it no more than whether
// it is there.
import { request, type RequestOptions } from 'node:http';
import { homedir } from 'node:os';
import type { Endpoint } from '../src/engine/discovery/endpoint.ts';
import { discoverEndpoints } from '../src/engine/discovery/discoverEndpoints.ts';

/** An engine is quick to answer a ping; one that hangs is none to show. */
const PATIENCE = 3_000;

/**
 * The engine that a variable or a context leads to, whether it answers or not; else the first that answers.
 *
 * @throws EngineError where a variable or context leads nowhere
 */
export async function findEngine(): Promise<Endpoint | undefined> {
  const machine = { platform: process.platform, home: homedir(), env: process.env };
  const { candidates, isChosen } = await discoverEndpoints('', machine);
  for (const { endpoint, error } of candidates) {
    if (isChosen && error) throw error;
    if (endpoint && (isChosen || (await answers(endpoint)))) return endpoint;
  }
  return undefined;
}

/** Whether something at this address answers a ping as engines do. */
export function answers({ transport }: Endpoint): Promise<boolean> {
  // What needs a login or a certificate is the extension's to reach.
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
    sent.on('error', () => {
      resolve(false);
    });
    sent.end();
  });
}
