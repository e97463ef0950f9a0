/** Tries an engine step by step, so that a reader sees how far it goes. */

import { openConnection, type Connection } from '../engine/http/connection.ts';
import { listContainers } from '../engine/containers/containers.ts';
import type { Endpoint, Machine } from '../engine/discovery/endpoint.ts';
import {
  probeConnection,
  probeHost,
  probeSocket,
  probeTls,
  type EndpointProbe,
} from '../engine/discovery/endpointProbe.ts';
import { EngineError } from '../engine/errors.ts';
import type { EndpointCandidate } from '../engine/discovery/endpointCandidate.ts';
import type { EngineInfo } from '../engine/model.ts';
import { engineTime, followEvents } from '../engine/system/system.ts';
import { formatFailure } from '../failures/failures.ts';
import type { L10n } from '../l10n.ts';

/**
 * Tries the engine at an address, and stops at the first failure. Never asks the user and never logs in.
 *
 * @param depth `ping`: asks only what answers there.
 * @param standing a connection that is open already: the only one to an engine over SSH.
 * @throws the signal's reason; nothing else.
 */
export async function checkEngine(
  { endpoint, error }: EndpointCandidate,
  depth: 'ping' | 'all',
  standing: Connection | undefined,
  options: CheckOptions,
  signal: AbortSignal,
): Promise<readonly CheckStep[]> {
  const { l10n } = options;
  if (!endpoint) {
    return [{ name: l10n.t('address'), outcome: 'bad', note: formatFailure(error, l10n) }];
  }
  if (endpoint.transport.kind === 'ssh' && !standing) {
    const note = l10n.t('Not tried while not connected, because SSH could ask for a password.');
    return [{ name: 'ssh', outcome: 'none', note }];
  }
  const connection = standing ?? openConnection(endpoint, connectionOptions(options));
  const [ping, ...more] = engineChecks(connection, options);
  const checks =
    depth === 'ping' ? [ping] : [...connectionChecks(endpoint, options), ping, ...more];
  const steps: CheckStep[] = [];
  try {
    for (const check of checks) {
      const step = await runCheck(check, endpoint, options, signal);
      steps.push(step);
      if (step.outcome === 'bad') break;
    }
  } finally {
    if (connection !== standing) connection.dispose();
  }
  return steps;
}

/** One thing that was tried. */
export interface CheckStep {
  readonly name: string;
  /** `none`: it was not ours to try. */
  readonly outcome: 'good' | 'bad' | 'none';
  /** What was found, and why it failed. May have text of strangers in it. */
  readonly note: string;
  readonly milliseconds?: number;
}

/** What a check needs. */
export interface CheckOptions {
  readonly machine: Machine;
  readonly userAgent: string;
  readonly l10n: L10n;
  /** Milliseconds for each step; tests are less patient. */
  readonly limitMs?: number;
}

/** A step that is to be tried; it throws why it failed. */
interface Check {
  readonly name: string;
  /** What is asked of the engine, for the sentence that it does not answer. */
  readonly operation?: string;
  readonly run: (signal: AbortSignal) => Promise<EndpointProbe>;
}

/** Milliseconds for a step, and for one that lists or opens something. */
const LIMIT_MS = 5_000;
const LIST_LIMIT_MS = 15_000;
/** The limits of the connection have better sentences, so they come first. */
const SPARE_MS = 500;

async function runCheck(
  { name, operation, run }: Check,
  { url }: Endpoint,
  { l10n, limitMs }: CheckOptions,
  signal: AbortSignal,
): Promise<CheckStep> {
  const limit = limitMs ?? (/^GET (?!\/_ping)/.test(operation ?? '') ? LIST_LIMIT_MS : LIMIT_MS);
  const late =
    operation === undefined
      ? new EngineError('connectTimeout', { endpoint: url })
      : new EngineError('timeout', { endpoint: url, operation, limitSeconds: limit / 1000 });
  const ending = new AbortController();
  const timer = setTimeout(() => {
    ending.abort(late);
  }, limit + SPARE_MS);
  const startedAt = performance.now();
  const { facts, error } = await run(AbortSignal.any([signal, ending.signal]))
    .catch((thrown: unknown) => ({ facts: '', error: thrown }))
    .finally(() => {
      clearTimeout(timer);
      // What a step has opened ends with it.
      ending.abort();
    });
  signal.throwIfAborted();
  const milliseconds = Math.round(performance.now() - startedAt);
  if (error === undefined) return { name, outcome: 'good', note: facts, milliseconds };
  const note = withFacts(formatFailure(error, l10n), facts);
  return { name, outcome: 'bad', note, milliseconds };
}

/** The sentence comes first: what strangers wrote may be long enough to be cut. */
function withFacts(sentence: string, facts: string): string {
  return facts === '' ? sentence : `${sentence} (${facts})`;
}

/** What has to succeed before an engine can be asked. */
function connectionChecks(endpoint: Endpoint, { machine, l10n }: CheckOptions): readonly Check[] {
  const { transport } = endpoint;
  if (transport.kind === 'ssh') return [];
  const connection = {
    name: l10n.t('connection'),
    run: (signal: AbortSignal) => probeConnection(endpoint, transport, signal),
  };
  if (transport.kind === 'socket') {
    const run = (): Promise<EndpointProbe> => probeSocket(endpoint, transport, machine);
    // A look at a pipe of Windows would take the place of a caller.
    return transport.path.startsWith('/')
      ? [{ name: l10n.t('socket'), run }, connection]
      : [connection];
  }
  const { host, tls } = transport;
  const name = {
    name: l10n.t('host'),
    run: (signal: AbortSignal) => probeHost(endpoint, host, signal),
  };
  if (!tls) return [name, connection];
  const run = async (signal: AbortSignal): Promise<EndpointProbe> => {
    const { facts, error } = await probeTls(endpoint, transport, tls, signal);
    if (!error || tls.verify) return { facts, error };
    const why = l10n.t('Not checked, as set: {0}', formatFailure(error, l10n));
    return { facts: withFacts(why, facts) };
  };
  return [name, connection, { name: 'TLS', run }];
}

/** What is asked of the engine itself. */
function engineChecks(
  connection: Connection,
  { l10n }: CheckOptions,
): readonly [ping: Check, ...more: Check[]] {
  return [
    {
      name: l10n.t('ping'),
      operation: 'GET /_ping',
      run: async (signal) => {
        const info = await connection.renew(signal);
        const product = productOf(info, l10n);
        const { engineApi, api } = info;
        return { facts: l10n.t('{0}, API {1}; Gantry uses {2}', product, engineApi, api) };
      },
    },
    {
      name: l10n.t('list'),
      operation: 'GET /containers/json',
      run: async (signal) => {
        const { length } = await listContainers(connection, { all: true }, signal);
        return { facts: l10n.t('Containers: {0}', length) };
      },
    },
    {
      name: l10n.t('events'),
      operation: 'GET /events',
      run: async (signal) => {
        const since = await engineTime(connection, signal);
        await followEvents(connection, since === undefined ? {} : { since }, signal);
        return { facts: '' };
      },
    },
  ];
}

/** The name and version of a product: `Docker 28.5.2`. */
export function productOf({ product, version: its = '' }: EngineInfo, l10n: L10n): string {
  const names = { docker: 'Docker', podman: 'Podman', unknown: l10n.t('An engine') } as const;
  return `${names[product]} ${its}`.trim();
}

function connectionOptions({ userAgent, limitMs }: CheckOptions): {
  readonly userAgent: string;
  readonly limits: { readonly callMs: number; readonly pingMs: number };
} {
  const limits = { callMs: limitMs ?? LIST_LIMIT_MS, pingMs: limitMs ?? LIMIT_MS };
  return { userAgent, limits };
}
