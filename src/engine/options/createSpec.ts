/**
 * A container as a person describes it, to the request that creates it. All is checked here, before any
 * request, so that nothing half-made is left behind.
 */

import type { L10n } from '../../l10n.ts';
import { InputError } from '../errors.ts';
import { asRecord } from '../wire.ts';
import type { CreateRequest } from './createRequest.ts';
import { OPTIONS, type CreateArguments } from './options.ts';

/** Checks all of `args` and makes the request of it. Throws InputError, its message naming the first fault. */
export function createSpec(args: CreateArguments, l10n: L10n): CreateRequest {
  const given: Readonly<Record<string, unknown>> = args;
  const config: Record<string, unknown> = {};
  const host: Record<string, unknown> = {};
  for (const [name, { at = '', toWire }] of Object.entries(OPTIONS)) {
    const value = given[name] === undefined ? undefined : toWire(given[name], l10n);
    const [part, field] = at.split('.');
    if (value === undefined || field === undefined) continue;
    const fields = part === 'HostConfig' ? host : config;
    // Two options may be entries of one list.
    fields[field] = field in fields ? [fields[field], value].flat() : value;
  }
  checkRemoval(args, l10n);
  const ports = Object.keys(asRecord(host['PortBindings']));
  const exposed = Object.fromEntries(ports.map((port) => [port, {}]));
  return {
    name: args.name,
    platform: args.platform,
    body: { ...config, ...(ports.length > 0 && { ExposedPorts: exposed }), HostConfig: host },
  };
}

/** The engine refuses a container that is to go and to come back at its end; the reason is said here. */
function checkRemoval({ autoRemove, restart = 'no' }: CreateArguments, l10n: L10n): void {
  if (autoRemove !== true || restart === 'no') return;
  throw new InputError(
    l10n.t('To be removed when it stops and to be restarted ("{0}") exclude each other.', restart),
  );
}
