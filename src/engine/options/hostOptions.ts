/** What of the engine's machine a container may use and how much of it: the rarer fields of a create. */

import { isIP } from 'node:net';

import type { L10n } from '../../l10n.ts';
import { InputError } from '../errors.ts';
import { isAbsolutePath } from './mountSpec.ts';

/** What `HostConfig.Devices` has for one device. */
export interface DeviceMapping {
  readonly PathOnHost: string;
  readonly PathInContainer: string;
  /** Some of `rwm`: read, write, make nodes. */
  readonly CgroupPermissions: string;
}

/** What Docker and Podman need at least to run anything at all. */
const LEAST_MEMORY = 6 * 1024 ** 2;

/** Passes an amount of memory a container can run in. @param bytes of `text`. */
export function checkMemoryLimit(bytes: number, text: string, l10n: L10n): number {
  if (bytes >= LEAST_MEMORY) return bytes;
  throw new InputError(l10n.t('"{0}" is too little memory to run in; 6m is the least.', text));
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
export function checkCapability(name: string, l10n: L10n): string {
  if (/^[A-Za-z][A-Za-z0-9_]*$/.test(name)) return name;
  throw new InputError(l10n.t('"{0}" is not a capability. Write it as NET_ADMIN, or ALL.', name));
}

/** Passes `label=…`, `seccomp=…`, `no-new-privileges` and their like. */
export function checkSecurityOption(option: string, l10n: L10n): string {
  if (/^[a-z][a-z-]*(?:[=:]\S+)?$/.test(option)) return option;
  throw new InputError(
    l10n.t(
      '"{0}" is not a security option. Write it as no-new-privileges or label=disable.',
      option,
    ),
  );
}

/** Passes what a container calls itself by. */
export function checkHostname(name: string, l10n: L10n): string {
  const isOne = /^[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\.[a-zA-Z0-9-]+)*$/.test(name);
  if (isOne && name.length <= 64) return name;
  throw new InputError(
    l10n.t('"{0}" is not a host name. Letters, digits, - and . make one, up to 64 of them.', name),
  );
}

/** Passes a signal by its name or number. */
export function checkSignal(signal: string, l10n: L10n): string {
  if (/^(?:[A-Za-z][A-Za-z0-9+-]*|\d{1,2})$/.test(signal)) return signal;
  throw new InputError(l10n.t('"{0}" is not a signal. Write a name or a number.', signal));
}

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
