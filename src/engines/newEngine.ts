/** What an engine that is to be added must be like. */

import type { Machine } from '../engine/discovery/endpoint.ts';
import { failedWith, InputError } from '../engine/errors.ts';
import type { EngineEntry, EndpointCandidate } from '../engine/discovery/endpointCandidate.ts';
import { settingCandidate } from '../engine/discovery/discoverEndpoints.ts';
import { formatFailure } from '../failures/failures.ts';
import type { L10n } from '../l10n.ts';
import { oneLine } from '../plainText.ts';

/** An engine as a person adds it. */
export interface NewEngine {
  readonly name: string;
  /** An address, or `context:NAME`. */
  readonly host: string;
  /** For `tcp`: a folder with `ca.pem`, `cert.pem` and `key.pem`, as far as they are needed. */
  readonly certPath?: string;
  readonly skipTlsVerify?: boolean;
}

/** In characters, as a person counts them. */
const LONGEST_NAME = 60;

/** What is wrong with a name, as a sentence; undefined where it will do. */
export function nameProblem(
  name: string,
  isTaken: (name: string) => boolean,
  l10n: L10n,
): string | undefined {
  if (name.trim() === '') return l10n.t('The name of an engine must not be empty.');
  if (Array.from(name).length > LONGEST_NAME) {
    return l10n.t('The name of an engine may have {0} characters at most.', LONGEST_NAME);
  }
  if (oneLine(name) !== name) {
    return l10n.t(
      'The name of an engine must be one line, without blanks at its ends and without characters that nobody sees.',
    );
  }
  return isTaken(name) ? l10n.t('There is an engine "{0}" already.', name) : undefined;
}

/** What stands in the setting: the short form where it says all. */
export function entryOf({ host, certPath = '', skipTlsVerify = false }: NewEngine): EngineEntry {
  if (certPath === '' && !skipTlsVerify) return host;
  return {
    host,
    ...(certPath !== '' && { certPath }),
    ...(skipTlsVerify && { skipTlsVerify }),
  };
}

/**
 * Where a new engine is. Nothing is sent.
 *
 * @throws InputError where the address, the context or the certificates cannot be used.
 */
export async function newEngineCandidate(
  engine: NewEngine,
  machine: Machine,
  l10n: L10n,
): Promise<EndpointCandidate> {
  const { certPath = '', skipTlsVerify = false } = engine;
  const place = await settingCandidate(engine.name, entryOf(engine), machine);
  if (failedWith(place.error, 'certificateUnusable') && certPath !== '') {
    throw new InputError(
      l10n.t(
        'The folder {0} has no certificates that can be used: ca.pem, or cert.pem with key.pem, must be there.',
        certPath,
      ),
    );
  }
  if (!place.endpoint) throw new InputError(formatFailure(place.error, l10n));
  const isEncrypted = certPath !== '' || skipTlsVerify;
  if (isEncrypted && (place.found.kind === 'context' || place.endpoint.transport.kind !== 'tcp')) {
    throw new InputError(
      l10n.t('"certPath" and "skipTlsVerify" are for addresses with tcp:// alone.'),
    );
  }
  return place;
}

/** How a place that was found is written in the setting. */
export function hostOf({ found, endpoint }: EndpointCandidate): string {
  return found.kind === 'context' ? `context:${found.name}` : (endpoint?.url ?? '');
}

/** A name that is free: the one wished for, or one like it. */
export function freeEngineName(wish: string, isTaken: (name: string) => boolean): string {
  const base =
    oneLine(
      Array.from(wish)
        .slice(0, LONGEST_NAME - 4)
        .join(''),
    ) || 'engine';
  for (let count = 1; ; count++) {
    const name = count === 1 ? base : `${base} ${count}`;
    if (!isTaken(name)) return name;
  }
}

/** What to call an engine at an address: the machine it is on, or the socket it listens on. */
export function nameFor(host: string): string {
  const [, context] = /^context:(.+)$/.exec(host) ?? [];
  if (context !== undefined) return context;
  const [, machine = ''] = /^(?:tcp|ssh):\/\/(?:[^@/]*@)?(\[[^\]]*\]|[^:/]*)/i.exec(host) ?? [];
  if (machine !== '') return machine.replace(/^\[|\]$/g, '');
  const [, bare] = /^([^/\\:]+):\d+$/.exec(host) ?? [];
  return (
    bare ??
    host
      .split(/[/\\]/)
      .at(-1)
      ?.replace(/(?<=.)\.sock$/, '') ??
    ''
  );
}
