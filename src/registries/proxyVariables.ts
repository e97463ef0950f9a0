/** The proxies in the configuration of the Docker CLI, which it gives to new containers and builds as variables. */

import { readField, readJsonFile } from '../engine/discovery/dockerConfig.ts';
import type { Machine } from '../engine/http/endpoint.ts';
import { dockerFolder, pathBelow } from '../engine/discovery/folders.ts';
import { asRecord, asText } from '../engine/wire/wire.ts';

/** Values by name. They may contain passwords: never log or save them. */
export type ProxyVariables = Readonly<Record<string, string>>;

/** Variables by the field of the configuration. Each is set in upper and in lower case. */
const FIELDS: Readonly<Record<string, string>> = {
  httpProxy: 'HTTP_PROXY',
  httpsProxy: 'HTTPS_PROXY',
  noProxy: 'NO_PROXY',
  ftpProxy: 'FTP_PROXY',
  allProxy: 'ALL_PROXY',
};

/**
 * Reads the variables for an engine: its own entry of `proxies` in `config.json`, else `default`. Never rejects.
 *
 * @param host the URL of the engine, which is the key of an entry.
 */
export async function readProxyVariables(machine: Machine, host: string): Promise<ProxyVariables> {
  const file = pathBelow(machine, dockerFolder(machine), 'config.json');
  if (file === undefined) return {};
  const { record } = await readJsonFile(machine, file);
  const proxies = asRecord(readField(record, 'proxies'));
  const own = asRecord(proxies[Object.hasOwn(proxies, host) ? host : 'default']);
  return Object.fromEntries(
    Object.entries(FIELDS).flatMap(([field, name]) => {
      const value = asText(readField(own, field));
      return value === '' ? [] : [name, name.toLowerCase()].map((one) => [one, value] as const);
    }),
  );
}

/** Whether the value of a variable may have the user name or the password of a proxy. */
export function hasCredentials(value: string): boolean {
  return value.includes('@');
}

/** Adds the variables that an environment does not set or unset itself. */
export function withProxyVariables(
  env: readonly string[],
  proxies: ProxyVariables,
): readonly string[] {
  const names = new Set(env.map((entry) => entry.split('=', 1)[0]));
  const added = Object.entries(proxies).filter(([name]) => !names.has(name));
  return [...env, ...added.map(([name, value]) => `${name}=${value}`)];
}

/** Removes the variables that {@link withProxyVariables} would add again, and no others. */
export function withoutProxyVariables(
  env: readonly string[],
  proxies: ProxyVariables,
): readonly string[] {
  return env.filter((entry) => {
    const [name = ''] = entry.split('=', 1);
    return !Object.hasOwn(proxies, name) || entry !== `${name}=${proxies[name]}`;
  });
}
