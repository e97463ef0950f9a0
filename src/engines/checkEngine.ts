/** Tries an engine step by step, so that whoever reads it sees how far it goes. */

import { openConnection, type Connection } from '../engine/http/connection.ts';
import { listContainers } from '../engine/containers/containers.ts';
import type { Endpoint } from '../engine/discovery/endpoint.ts';
import { EngineError, failedWith } from '../engine/errors.ts';
import type { EndpointCandidate } from '../engine/discovery/endpointCandidate.ts';
import type { EngineInfo } from '../engine/model.ts';
import { engineTime, followEvents, oldestApiOf } from '../engine/system/system.ts';
import type { L10n } from '../l10n.ts';
import {
  LIMIT_MS,
  LIST_LIMIT_MS,
  CheckRun,
  type ConnectionCheck,
  type CheckOptions,
  type CheckResult,
} from './checkRun.ts';
import { connectionChecks } from './connectionChecks.ts';

/**
 * Tries the engine at a place, and stops at the first failure. Never asks anybody and never logs in.
 *
 * @param standing a connection that is open already: the only way to an engine over ssh.
 * @throws the signal's reason; nothing else.
 */
export async function checkEngine(
  place: EndpointCandidate,
  standing: Connection | undefined,
  parts: CheckOptions,
  signal: AbortSignal,
): Promise<CheckResult> {
  const { endpoint, error } = place;
  const run = new CheckRun(endpoint?.url ?? '', parts, signal);
  const { l10n } = parts;
  await run.check({
    name: l10n.t('address'),
    run: () => {
      if (!endpoint) throw error ?? new EngineError('badEndpoint');
      return l10n.t('{0} can be read.', endpoint.url);
    },
  });
  if (!endpoint || !(await run.all(connectionChecks(endpoint, standing !== undefined, parts)))) {
    return run.result;
  }
  const connection = standing ?? openConnection(endpoint, optionsOf(parts));
  try {
    await run.all(engineChecks(connection, run, parts));
  } finally {
    if (connection !== standing) connection.dispose();
  }
  return run.result;
}

/**
 * Whether somebody answers at a place, asked once. Never asks anybody and never logs in.
 *
 * @throws the signal's reason; nothing else.
 */
export async function pingEndpoint(
  endpoint: Endpoint,
  limitMs: number,
  parts: CheckOptions,
  signal: AbortSignal,
): Promise<CheckResult> {
  const run = new CheckRun(endpoint.url, { ...parts, limitMs }, signal);
  const connection = openConnection(endpoint, optionsOf({ ...parts, limitMs }));
  try {
    await run.check({
      name: parts.l10n.t('answer'),
      operation: 'GET /_ping',
      run: async (ours) => productOf((run.info = await connection.info(ours)), parts.l10n),
    });
  } finally {
    connection.dispose();
  }
  return run.result;
}

/** What is asked of the engine itself. */
function engineChecks(
  connection: Connection,
  run: CheckRun,
  { l10n }: CheckOptions,
): readonly ConnectionCheck[] {
  return [
    {
      name: l10n.t('ping'),
      operation: 'GET /_ping',
      run: (signal) => ping(connection, run, l10n, signal),
    },
    {
      name: l10n.t('version'),
      operation: 'GET /version',
      run: (signal) => version(connection, run, l10n, signal),
    },
    {
      name: l10n.t('list'),
      operation: 'GET /containers/json',
      run: async (signal) => {
        const { length } = await listContainers(connection, { all: true }, signal);
        return l10n.t('The engine lists its containers. Number: {0}.', length);
      },
    },
    {
      name: l10n.t('events'),
      operation: 'GET /events',
      run: async (signal) => {
        const since = await engineTime(connection, signal);
        await followEvents(connection, since === undefined ? {} : { since }, signal);
        return l10n.t('The stream of events opens.');
      },
    },
  ];
}

/** Whether it answers as an engine does; what is wrong with its version is the next step's to say. */
async function ping(
  connection: Connection,
  run: CheckRun,
  l10n: L10n,
  signal: AbortSignal,
): Promise<string> {
  try {
    run.info = await connection.renew(signal);
    return l10n.t('An engine answers with status 200 and API {0}.', run.info.engineApi);
  } catch (error) {
    if (!failedWith(error, 'tooOld', 'tooNew', 'pinRefused')) throw error;
    run.versionProblem = error;
    return l10n.t('An engine answers with status 200.');
  }
}

async function version(
  connection: Connection,
  run: CheckRun,
  l10n: L10n,
  signal: AbortSignal,
): Promise<string> {
  if (run.versionProblem) throw run.versionProblem;
  const info = await connection.info(signal);
  const oldest = await oldestApiOf(connection, signal);
  const product = productOf(info, l10n);
  return oldest === undefined
    ? l10n.t('{0} speaks API {1}; Gantry uses {2}.', product, info.engineApi, info.api)
    : l10n.t(
        '{0} speaks API {1} to {2}; Gantry uses {3}.',
        product,
        oldest,
        info.engineApi,
        info.api,
      );
}

/** The name and version of a product: `Docker 28.5.2`. */
export function productOf({ product, version: its = '' }: EngineInfo, l10n: L10n): string {
  const names = { docker: 'Docker', podman: 'Podman', unknown: l10n.t('An engine') } as const;
  return `${names[product]} ${its}`.trim();
}

function optionsOf({ userAgent, limitMs }: CheckOptions): {
  readonly userAgent: string;
  readonly limits: { readonly callMs: number; readonly pingMs: number };
} {
  const limits = { callMs: limitMs ?? LIST_LIMIT_MS, pingMs: limitMs ?? LIMIT_MS };
  return { userAgent, limits };
}
