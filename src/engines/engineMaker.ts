import type { Engine } from '../engine/engine.ts';
import type { Machine } from '../engine/discovery/endpoint.ts';
import type { Choice } from '../engine/discovery/place.ts';

/** Makes engines as those of the window are made. Whoever has one made disposes it. */
export interface EngineMaker {
  readonly machine: Machine;
  /** Gantry's own. */
  readonly version: string;
  /** @param name stands before its requests in the log. */
  readonly make: (name: string, choose: () => Promise<Choice>) => Engine;
}
