/** Validation and naming of an engine that the user adds. */

import * as l10n from '@vscode/l10n';
import type { Machine } from '../engine/http/endpoint.ts';
import { failedWith, InputError } from '../engine/errors.ts';
import type { EngineEntry, EndpointCandidate } from '../engine/discovery/endpointCandidate.ts';
import { settingCandidate } from '../engine/discovery/discoverEndpoints.ts';
import { readEngineConfig } from '../engine/discovery/engineConfig.ts';
import { formatFailure } from './failures/failures.ts';
import { oneLine } from '../base/plainText.ts';

/** An engine as the user enters it. */
export interface NewEngine {
  readonly name: string;
  /** An address, or `context:NAME`. */
  readonly host: string;
  /** For `tcp`: a folder with those of `ca.pem`, `cert.pem` and `key.pem` that are needed. */
  readonly certPath?: string;
  readonly skipTlsVerify?: boolean;
}

/** Limit in characters (code points). */
const LONGEST_NAME = 60;

/** Returns the validation message for a name; undefined if it is valid. */
export function nameProblem(name: string, isUsed: (name: string) => boolean): string | undefined {
  if (name.trim() === '') return l10n.t('The engine name is empty.');
  if (Array.from(name).length > LONGEST_NAME)
    return l10n.t('The engine name can have up to {0} characters.', LONGEST_NAME);
  if (oneLine(name) !== name) {
    return l10n.t(
      'The engine name must be one line without leading or trailing spaces or invisible characters.',
    );
  }
  return isUsed(name) ? l10n.t('An engine named "{0}" already exists.', name) : undefined;
}

/** Returns the entry for the setting `gantry.engines`: the address alone if there are no TLS options. */
export function entryOf({ host, certPath = '', skipTlsVerify = false }: NewEngine): EngineEntry {
  if (certPath === '' && !skipTlsVerify) return host;
  return {
    host,
    ...(certPath !== '' && { certPath }),
    ...(skipTlsVerify && { skipTlsVerify }),
  };
}

/**
 * Resolves a new engine to its endpoint. Sends no request.
 *
 * @throws InputError if the address, the context or the certificates are invalid.
 */
export async function newEngineCandidate(
  engine: NewEngine,
  machine: Machine,
): Promise<EndpointCandidate> {
  const { certPath = '', skipTlsVerify = false } = engine;
  const config = await readEngineConfig(machine);
  const candidate = await settingCandidate(engine.name, entryOf(engine), config);
  if (failedWith(candidate.error, 'certificateUnusable') && certPath !== '') {
    throw new InputError(
      l10n.t('No usable certificates in {0}. Add ca.pem, or cert.pem and key.pem.', certPath),
    );
  }
  if (!candidate.endpoint) throw new InputError(formatFailure(candidate.error));
  const isEncrypted = certPath !== '' || skipTlsVerify;
  if (
    isEncrypted &&
    (candidate.found.kind === 'context' || candidate.endpoint.transport.kind !== 'tcp')
  ) {
    throw new InputError(
      l10n.t('"certPath" and "skipTlsVerify" are only supported for tcp:// addresses.'),
    );
  }
  return candidate;
}

/** Returns the candidate's address in the form of the setting. */
export function hostSettingOf({ found, endpoint }: EndpointCandidate): string {
  return found.kind === 'context' ? `context:${found.name}` : (endpoint?.url ?? '');
}

/** Returns a name that is not used: the suggested one, or the same with a number. */
export function freeEngineName(wish: string, isUsed: (name: string) => boolean): string {
  const base =
    oneLine(
      Array.from(wish)
        .slice(0, LONGEST_NAME - 4)
        .join(''),
    ) || 'engine';
  for (let count = 1; ; count++) {
    const name = count === 1 ? base : `${base} ${count}`;
    if (!isUsed(name)) return name;
  }
}

/** Derives an engine's name from its address: the context, the host with its port, or the file name of the socket. */
export function nameFor(host: string): string {
  const [, context] = /^context:(.+)$/.exec(host) ?? [];
  if (context !== undefined) return context;
  const [, machine = '', port = ''] =
    /^(?:tcp|ssh):\/\/(?:[^@/]*@)?(\[[^\]]*\]|[^:/]*)(:\d+)?/i.exec(host) ?? [];
  // Several engines may listen on one host.
  if (/^tcp:/i.test(host) && port !== '') return `${machine}${port}`;
  if (machine !== '') return machine.replace(/^\[|\]$/g, '');
  const [bare] = /^[^/\\:]+:\d+$/.exec(host) ?? [];
  return (
    bare ??
    host
      .split(/[/\\]/)
      .at(-1)
      ?.replace(/(?<=.)\.sock$/, '') ??
    ''
  );
}
