import type { Engine } from '../engine/engine.ts';
import type { Machine } from '../engine/discovery/endpoint.ts';
import type { DiscoveryResult } from '../engine/discovery/endpointCandidate.ts';

/** Makes engines as those of the window are made. Whoever has one made disposes it. */
export interface EngineFactory {
  readonly machine: Machine;
  /** Gantry's own. */
  readonly version: string;
  /** @param name stands before its requests in the log. */
  readonly create: (name: string, choose: () => Promise<DiscoveryResult>) => Engine;
}
