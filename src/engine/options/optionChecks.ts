/** What the values of a container's options must be, and what a request has for them. */

import { isIP } from 'node:net';

import type { L10n } from '../../l10n.ts';
import { InputError } from '../errors.ts';
import { isAbsolutePath } from './mountSpec.ts';
import { parseMemory } from './quantities.ts';
import { describeReferenceProblem, parseReference } from './reference.ts';

/** Passes what names an image: a reference, or an id (which a reference may not look like). */
export function checkImage(image: string, l10n: L10n): string {
  if (/^(?:sha256:)?[0-9a-f]{64}$/.test(image)) return image;
  const reference = parseReference(image);
  if (reference.ok) return image;
  throw new InputError(describeReferenceProblem(reference.problem, l10n));
}

/** Passes a container's name as engines take it. */
export const checkContainerName = matching(/^[a-zA-Z0-9][a-zA-Z0-9_.-]+$/, (name, l10n) =>
  l10n.t(
    '"{0}" is not a name for a container. Names are two or more letters, digits and _ . -, and begin with a letter or digit.',
    name,
  ),
);

/** Passes `K=V`. The value may be empty and may hold anything; a bare `K` would unset what the image sets. */
export const checkEnv = matching(/^[^=\s\0]+=[^\0]*$/, (entry, l10n) => {
  // The value may be a secret; the name is enough to find it by.
  const [name = ''] = entry.split('=', 1);
  const shown = entry.includes('=') ? `${name}=…` : name;
  return l10n.t('"{0}" is not a variable. Write it as NAME=value.', shown);
});

/** Passes the name of a variable. */
export const checkEnvName = matching(/^[^=\s\0]+$/, (name, l10n) =>
  l10n.t('"{0}" is not the name of a variable.', name.split('=', 1)[0] ?? ''),
);

/** Passes `no`, `always`, `unless-stopped` or `on-failure[:n]`. */
const checkRestart = matching(
  /^(?:no|always|unless-stopped|on-failure(?::\d{1,9})?)$/,
  (restart, l10n) =>
    l10n.t(
      '"{0}" is not a restart policy. Use no, always, unless-stopped, on-failure or on-failure:3.',
      restart,
    ),
);

/** Reads a restart policy. */
export function parseRestart(restart: string, l10n: L10n): object {
  const [Name, count] = checkRestart(restart, l10n).split(':');
  return { Name, ...(count !== undefined && { MaximumRetryCount: Number(count) }) };
}

/** Passes a name of a network or mode. */
export const checkNetwork = matching(/^\S+$/, (network, l10n) =>
  l10n.t('"{0}" is not the name of a network.', network),
);

/** Passes labels whose names are not empty. */
export function checkLabels(
  labels: Readonly<Record<string, string>>,
  l10n: L10n,
): Readonly<Record<string, string>> {
  if (Object.keys(labels).every((name) => name.trim() !== '')) return labels;
  throw new InputError(l10n.t('A label has no name.'));
}

/** Passes a full path in the container. */
export function checkWorkingDir(path: string, l10n: L10n): string {
  if (isAbsolutePath(path)) return path;
  throw new InputError(l10n.t('The working directory "{0}" is not a full path.', path));
}

/** Passes `user` or `user:group`, names or numbers. */
export const checkUser = matching(/^[^\s:]+(?::[^\s:]+)?$/, (user, l10n) =>
  l10n.t('"{0}" is not a user. Write user or user:group.', user),
);

/** Passes `os`, `os/arch` or `os/arch/variant`. */
export const checkPlatform = matching(/^[\w.-]+(?:\/[\w.-]+){0,2}$/, (platform, l10n) =>
  l10n.t('"{0}" is not a platform. Write it as linux/arm64.', platform),
);

/** What Docker and Podman need at least to run anything at all. */
const LEAST_MEMORY = 6 * 1024 ** 2;

/** Reads an amount of memory a container can run in; hands back bytes. */
export function parseMemoryLimit(text: string, l10n: L10n): number {
  const bytes = parseMemory(text, l10n);
  if (bytes >= LEAST_MEMORY) return bytes;
  throw new InputError(l10n.t('"{0}" is too little memory to run in; 6m is the least.', text));
}

/** What `HostConfig.Devices` has for one device. */
export interface DeviceMapping {
  readonly PathOnHost: string;
  readonly PathInContainer: string;
  /** Some of `rwm`: read, write, make nodes. */
  readonly CgroupPermissions: string;
}

/** Reads `/dev/x[:/dev/y][:rwm]`. */
export function parseDevice(text: string, l10n: L10n): DeviceMapping {
  const [source = '', ...rest] = text.split(':');
  const permissions =
    rest.length > 0 && /^[rwm]{1,3}$/.test(rest.at(-1) ?? '') ? rest.pop() : undefined;
  const [target = source, ...more] = rest;
  const areFull = source.startsWith('/') && target.startsWith('/');
  if (areFull && more.length === 0 && !/\s/.test(text)) {
    return {
      PathOnHost: source,
      PathInContainer: target,
      CgroupPermissions: permissions ?? 'rwm',
    };
  }
  throw new InputError(
    l10n.t('"{0}" is not a device. Write /dev/source, /dev/source:/dev/target or with :r.', text),
  );
}

/** Reads `/path[:options]`: a folder in memory, its options as `mount` takes them. */
export function parseTmpfs(text: string, l10n: L10n): readonly [path: string, options: string] {
  const colon = text.indexOf(':');
  const [path, options] = colon < 0 ? [text, ''] : [text.slice(0, colon), text.slice(colon + 1)];
  if (isAbsolutePath(path) && path.startsWith('/') && path !== '/' && /^[^\s:]*$/.test(options)) {
    return [path, options];
  }
  throw new InputError(
    l10n.t('"{0}" is not a folder in memory. Write /path or /path:size=64m.', text),
  );
}

/** Passes `name:address`, the address an IP or the engine's word for its own machine. */
export function checkExtraHost(text: string, l10n: L10n): string {
  const colon = text.indexOf(':');
  const [name, address] = [text.slice(0, Math.max(colon, 0)), text.slice(colon + 1)];
  const bare = address.replace(/^\[(.*)\]$/, '$1');
  if (/^[^\s:]+$/.test(name) && (isIP(bare) !== 0 || address === 'host-gateway')) return text;
  throw new InputError(
    l10n.t('"{0}" is not a host. Write name:address, the address an IP or host-gateway.', text),
  );
}

/** Passes the address of a name server. */
export function checkDns(address: string, l10n: L10n): string {
  if (isIP(address) !== 0) return address;
  throw new InputError(l10n.t('"{0}" is not the IP address of a name server.', address));
}

/** Passes the name of a capability: `NET_ADMIN`, `CAP_NET_ADMIN`, `ALL`. */
export const checkCapability = matching(/^[A-Za-z][A-Za-z0-9_]*$/, (name, l10n) =>
  l10n.t('"{0}" is not a capability. Write it as NET_ADMIN, or ALL.', name),
);

/** Passes `label=…`, `seccomp=…`, `no-new-privileges` and their like. */
export const checkSecurityOption = matching(/^[a-z][a-z-]*(?:[=:]\S+)?$/, (option, l10n) =>
  l10n.t('"{0}" is not a security option. Write it as no-new-privileges or label=disable.', option),
);

/** Passes what a container calls itself by. */
export function checkHostname(name: string, l10n: L10n): string {
  const isOne = /^[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\.[a-zA-Z0-9-]+)*$/.test(name);
  if (isOne && name.length <= 64) return name;
  throw new InputError(
    l10n.t('"{0}" is not a host name. Letters, digits, - and . make one, up to 64 of them.', name),
  );
}

/** Passes a signal by its name or number. */
export const checkSignal = matching(/^(?:[A-Za-z][A-Za-z0-9+-]*|\d{1,2})$/, (signal, l10n) =>
  l10n.t('"{0}" is not a signal. Write a name or a number.', signal),
);

/** Passes how long a container has to end by itself, in seconds; -1 for ever. */
export function checkStopTimeout(seconds: number, l10n: L10n, text = String(seconds)): number {
  if (Number.isSafeInteger(seconds) && seconds >= -1 && seconds < 2 ** 31) return seconds;
  throw new InputError(
    l10n.t('"{0}" is not a time to stop in. Write whole seconds, or -1 for no limit.', text),
  );
}

/** Passes how many processes there may be; -1 for any number. */
export function checkPidsLimit(count: number, l10n: L10n, text = String(count)): number {
  if (Number.isSafeInteger(count) && (count === -1 || count >= 1)) return count;
  throw new InputError(
    l10n.t('"{0}" is not a number of processes. Write one from 1 on, or -1 for no limit.', text),
  );
}

type TextCheck = (text: string, l10n: L10n) => string;

/** A check that passes what a pattern matches. @param message says what is wrong with any other text. */
function matching(pattern: RegExp, message: TextCheck): TextCheck {
  return (text, l10n) => {
    if (pattern.test(text)) return text;
    throw new InputError(message(text, l10n));
  };
}
