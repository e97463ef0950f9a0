import { InputError } from '../errors.ts';
import { asList, asRecord } from '../wire/wire.ts';
import type { CreateRequest } from './createRequest.ts';
import { OPTIONS, type CreateArguments } from '../options/options.ts';

/**
 * Checks all of `args` and converts them to a request.
 *
 * @throws InputError whose message describes the first problem.
 */
export function createSpec(args: CreateArguments): CreateRequest {
  const given: Readonly<Record<string, unknown>> = args;
  const config: Record<string, unknown> = {};
  const host: Record<string, unknown> = {};
  for (const [name, { at = '', toWire }] of Object.entries(OPTIONS)) {
    const value = given[name] === undefined ? undefined : toWire(given[name]);
    const [part, field] = at.split('.');
    if (value === undefined || field === undefined) continue;
    const fields = part === 'HostConfig' ? host : config;
    // Two options can be entries of the same list, for example `env` and `unsetEnv`.
    fields[field] = field in fields ? [fields[field], value].flat() : value;
  }
  checkRemoval(args);
  separateMounts(host);
  const ports = Object.keys(asRecord(host['PortBindings']));
  const exposed = Object.fromEntries(ports.map((port) => [port, {}]));
  return {
    name: args.name,
    platform: args.platform,
    body: { ...config, ...(ports.length > 0 && { ExposedPorts: exposed }), HostConfig: host },
  };
}

/** Moves typed mounts from the binds to the field of their own. */
function separateMounts(host: Record<string, unknown>): void {
  const all = asList(host['Binds']);
  const typed = all.filter((one) => typeof one !== 'string');
  if (typed.length === 0) return;
  const binds = all.filter((one) => typeof one === 'string');
  if (binds.length > 0) host['Binds'] = binds;
  else delete host['Binds'];
  host['Mounts'] = typed;
}

/** Rejects the combination of `autoRemove` and a restart policy with a clear message. The engine rejects it, too. */
function checkRemoval({ autoRemove, restart = 'no' }: CreateArguments): void {
  if (autoRemove !== true || restart === 'no') return;
  throw InputError.of('Automatic removal conflicts with the restart policy "{0}".', restart);
}
