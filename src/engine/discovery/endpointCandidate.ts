/** The types of the discovery: a candidate, its origin, and the steps of the search. */

import type { Endpoint } from '../http/endpoint.ts';
import type { EngineError } from '../errors.ts';

/** Where an engine may be. */
export interface EndpointCandidate {
  /** The name to show: the name of a context, `Colima (work)`, `Podman (rootless)`. */
  readonly name: string;
  readonly found: CandidateOrigin;
  /** Its endpoint; undefined if and only if there is an `error`. */
  readonly endpoint: Endpoint | undefined;
  /** Why it cannot be used. */
  readonly error: EngineError | undefined;
}

export type ContextSource = 'DOCKER_CONTEXT' | 'config.json' | 'setting';

/** Why a candidate was checked. */
export type CandidateOrigin =
  | { readonly kind: 'setting' }
  | { readonly kind: 'variable'; readonly name: 'DOCKER_HOST' }
  | { readonly kind: 'context'; readonly name: string; readonly chosenBy?: ContextSource }
  | { readonly kind: 'usual'; readonly product: string }
  | { readonly kind: 'podmanConnection'; readonly name: string };

/**
 * The result of checking a source. `notSet`: the variable or setting is not set; `set`: it has a value; `absent`:
 * no such file or folder; `found`: it was read; `damaged`: it is invalid or cannot be read.
 */
export type DiscoveryStepResult = 'notSet' | 'set' | 'absent' | 'found' | 'damaged';

/** One step of the search, for the report. Contains no secrets. */
export interface DiscoveryStep {
  readonly at: 'setting' | 'variable' | 'file' | 'folder';
  /** A name or a path: `gantry.host`, `DOCKER_HOST`, `/home/me/.docker/config.json`. */
  readonly where: string;
  readonly result: DiscoveryStepResult;
  /** Its value without secrets: an address without a password, the name of a context, the number of contexts. */
  readonly value?: string;
  /** Whether this source selected the engine. */
  readonly isDecisive: boolean;
}

export interface DiscoveryResult {
  /** Only the selected candidate; if none is selected, the well-known sockets in the order to try them. */
  readonly candidates: readonly EndpointCandidate[];
  readonly isChosen: boolean;
  /** The sources that were checked, in this order. */
  readonly steps: readonly DiscoveryStep[];
}

/**
 * An entry of the setting `gantry.engines`: a URL, a socket path, `host:port` or `context:NAME`, or an address
 * with TLS options. `certPath` is a folder with `ca.pem`, `cert.pem` and `key.pem`, as far as they are needed.
 */
export type EngineEntry =
  | string
  | {
      readonly host: string;
      readonly certPath?: string;
      readonly skipTlsVerify?: boolean;
    };
