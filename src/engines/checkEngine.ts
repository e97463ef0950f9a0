/** Checks an engine step by step, so that the user sees at which step it fails. */

import * as l10n from '@vscode/l10n';
import { openConnection, type Connection } from '../engine/http/connection.ts';
import { listContainers } from '../engine/containers/containers.ts';
import type { Endpoint, Machine } from '../engine/http/endpoint.ts';
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
import { formatFailure } from './failures/failures.ts';

/**
 * Runs the checks of one engine in order and stops at the first failure. Never prompts the user and never logs in.
 *
 * @param depth `ping` runs only `GET /_ping`; `all` checks the connection first and the API calls after it.
 * @param standing an open connection to use. Required for SSH: without one, an SSH engine is not checked.
 * @returns the steps that ran. A failed check is the last step; it does not reject.
 * @throws the abort reason of the signal, nothing else.
 */
export async function checkEngine(
  { endpoint, error }: EndpointCandidate,
  depth: 'ping' | 'all',
  standing: Connection | undefined,
  options: CheckOptions,
  signal: AbortSignal,
): Promise<readonly CheckStep[]> {
  const { userAgent, limitMs } = options;
  if (!endpoint) return [{ name: l10n.t('address'), outcome: 'bad', note: formatFailure(error) }];
  if (endpoint.transport.kind === 'ssh' && !standing) {
    const note = l10n.t(
      'Skipped because SSH could ask for a password. Connect to the engine first.',
    );
    return [{ name: 'ssh', outcome: 'none', note }];
  }
  const limits = { callMs: limitMs ?? LIST_LIMIT_MS, pingMs: limitMs ?? LIMIT_MS };
  const connection = standing ?? openConnection(endpoint, { userAgent, limits });
  const [ping, ...more] = engineChecks(connection);
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

export interface CheckStep {
  readonly name: string;
  /** `none`: not checked. */
  readonly outcome: 'good' | 'bad' | 'none';
  /** Facts found, and why the check failed. May contain untrusted text, such as a server's response. */
  readonly note: string;
  readonly milliseconds?: number;
}

export interface CheckOptions {
  readonly machine: Machine;
  readonly userAgent: string;
  /** Limit of each step in milliseconds. Default: 5 s, or 15 s for a step that lists or opens a stream. */
  readonly limitMs?: number;
}

/** A check to run. A failure is returned as `error` or thrown. */
interface Check {
  readonly name: string;
  /** The API operation, named in the timeout message. */
  readonly operation?: string;
  readonly run: (signal: AbortSignal) => Promise<EndpointProbe>;
}

/** Limits in milliseconds: for a step, and for a step that lists or opens a stream. */
const LIMIT_MS = 5_000;
const LIST_LIMIT_MS = 15_000;
/** Added to a step's limit, because the connection's own timeouts have better messages and should come first. */
const SPARE_MS = 500;

async function runCheck(
  { name, operation, run }: Check,
  { url }: Endpoint,
  { limitMs }: CheckOptions,
  signal: AbortSignal,
): Promise<CheckStep> {
  const limit = limitMs ?? (/^GET (?!\/_ping)/.test(operation ?? '') ? LIST_LIMIT_MS : LIMIT_MS);
  const late =
    operation === undefined
      ? new EngineError('connectTimeout', { endpoint: url })
      : new EngineError('timeout', { endpoint: url, operation, limitSeconds: limit / 1000 });
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(late), limit + SPARE_MS);
  const startedAt = performance.now();
  const { facts, error } = await run(AbortSignal.any([signal, ending.signal]))
    .catch((thrown: unknown) => ({ facts: '', error: thrown }))
    .finally(() => {
      clearTimeout(timer);
      // Also closes what the step has opened, such as the event stream.
      ending.abort();
    });
  signal.throwIfAborted();
  const milliseconds = Math.round(performance.now() - startedAt);
  if (error === undefined) return { name, outcome: 'good', note: facts, milliseconds };
  const note = withFacts(formatFailure(error), facts);
  return { name, outcome: 'bad', note, milliseconds };
}

/** The message comes first, because untrusted text may be long and truncated. */
function withFacts(sentence: string, facts: string): string {
  return facts === '' ? sentence : `${sentence} (${facts})`;
}

/** The checks below the engine API: host name, socket, connection and TLS. */
function connectionChecks(endpoint: Endpoint, { machine }: CheckOptions): readonly Check[] {
  const { transport } = endpoint;
  if (transport.kind === 'ssh') return [];
  const connection = {
    name: l10n.t('connection'),
    run: (signal: AbortSignal) => probeConnection(endpoint, transport, signal),
  };
  if (transport.kind === 'socket') {
    const run = (): Promise<EndpointProbe> => probeSocket(endpoint, transport, machine);
    // A named pipe on Windows is not probed: opening it would take an instance from another client.
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
    const why = l10n.t(
      'Certificate verification is turned off (skipTlsVerify). Otherwise: {0}',
      formatFailure(error),
    );
    return { facts: withFacts(why, facts) };
  };
  return [name, connection, { name: 'TLS', run }];
}

/** The checks of the engine API: ping, container list and event stream. */
function engineChecks(connection: Connection): readonly [ping: Check, ...more: Check[]] {
  return [
    {
      name: l10n.t('ping'),
      operation: 'GET /_ping',
      run: async (signal) => {
        const info = await connection.renew(signal);
        const product = productOf(info);
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
        await followEvents(connection, { since }, signal);
        return { facts: '' };
      },
    },
  ];
}

/** Returns the product name and version, for example `Docker 28.5.2`. */
export function productOf({ product, version: its = '' }: EngineInfo): string {
  const names = { docker: 'Docker', podman: 'Podman', unknown: l10n.t('An engine') } as const;
  return `${names[product]} ${its}`.trim();
}
