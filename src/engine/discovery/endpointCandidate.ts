/** The nouns of the search for engines: a place, who named it, and the trail of what was looked at. */

import type { Endpoint } from './endpoint.ts';
import type { EngineError } from '../errors.ts';

/** One place where an engine may be. */
export interface EndpointCandidate {
  /** What a person calls it: a context's name, `Colima (work)`, `Podman (rootless)`. */
  readonly name: string;
  readonly found: CandidateOrigin;
  /** Where it listens; undefined exactly where there is an `error`. */
  readonly endpoint: Endpoint | undefined;
  /** Why it cannot be used. */
  readonly error: EngineError | undefined;
}

/** Who named a context as the one to use. */
export type ContextSource = 'DOCKER_CONTEXT' | 'config.json' | 'setting';

/** What made us look at a place. */
export type CandidateOrigin =
  | { readonly kind: 'setting' }
  | { readonly kind: 'variable'; readonly name: 'DOCKER_HOST' }
  | { readonly kind: 'context'; readonly name: string; readonly chosenBy?: ContextSource }
  | { readonly kind: 'usual'; readonly product: string }
  | { readonly kind: 'podmanConnection'; readonly name: string };

/**
 * What a look gave: `notSet` no such variable or setting; `set` it has a value; `absent` no such file or folder;
 * `found` it is there and was read; `damaged` it is there and makes no sense, or is not to be read.
 */
export type DiscoveryStepResult = 'notSet' | 'set' | 'absent' | 'found' | 'damaged';

/** One step of the search, for the report. Never has a secret in it. */
export interface DiscoveryStep {
  readonly at: 'setting' | 'variable' | 'file' | 'folder';
  /** A name or a path: `gantry.host`, `DOCKER_HOST`, `/home/me/.docker/config.json`. */
  readonly where: string;
  readonly result: DiscoveryStepResult;
  /** What it said, fit to show: an address without a password, a context's name, a number of contexts. */
  readonly value?: string;
  /** Whether this is what decided. */
  readonly isDecisive: boolean;
}

/** What the rules lead to. */
export interface DiscoveryResult {
  /** The chosen one alone; else, where nobody has chosen, the usual ones in the order to try them. */
  readonly candidates: readonly EndpointCandidate[];
  readonly isChosen: boolean;
  /** What was looked at, in this order. */
  readonly steps: readonly DiscoveryStep[];
}

/**
 * An entry of the setting `gantry.engines`: a URL, a socket path, `host:port` or `context:NAME`, or an address with
 * what encrypts it. `certPath` is a folder with `ca.pem`, `cert.pem` and `key.pem`, as far as they are needed.
 */
export type EngineEntry =
  | string
  | {
      readonly host: string;
      readonly certPath?: string;
      readonly skipTlsVerify?: boolean;
    };
