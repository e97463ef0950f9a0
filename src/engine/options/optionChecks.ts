/**
 * Checks the options of a container, and converts them to the API form. The engine is the judge of its options: what
 * is rejected here, no engine accepts, or one would silently do something else.
 */

import { isIP } from 'node:net';
import { InputError } from '../errors.ts';
import { quotable } from '../../base/plainText.ts';
import { ABSOLUTE_PATH } from './mountSpec.ts';
import { parseReference, requireValid } from './reference.ts';
import { sentence, type Sentence } from '../../base/sentence.ts';

/** Accepts an image reference or an image ID. An ID is not a valid reference, so it is checked separately. */
export function checkImage(image: string): string {
  if (!/^(?:sha256:)?[0-9a-f]{64}$/.test(image)) requireValid(parseReference(image));
  return image;
}

/** Accepts a valid container name. Docker requires two characters, Podman one. */
export const checkContainerName = matching(/^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/, (name) =>
  sentence(
    '"{0}" is not a container name. Use letters, digits, _, ., or -, starting with a letter or digit.',
    name,
  ),
);

/**
 * Accepts `K=V`. Both can contain anything but NUL, and the value can be empty. A bare `K` would unset a variable of
 * the image.
 */
export const checkEnv = matching(/^[^=\0]+=[^\0]*$/, (entry) => {
  // The value can be a secret, so only the name is shown.
  const [name = ''] = entry.split('=', 1);
  const shown = entry.includes('=') ? `${name}=…` : name;
  return sentence('"{0}" is not an environment variable. Use the form NAME=value.', shown);
});

/** Accepts the name of an environment variable. */
export const checkEnvName = matching(/^[^=\0]+$/, (name) =>
  sentence('"{0}" is not a variable name.', name.split('=', 1)[0] ?? ''),
);

/** Accepts `no`, `always`, `unless-stopped` or `on-failure[:n]`. */
const checkRestart = matching(
  /^(?:no|always|unless-stopped|on-failure(?::\d{1,15})?)$/,
  (restart) =>
    sentence(
      '"{0}" is not a restart policy. Use no, always, unless-stopped, on-failure, or on-failure:3.',
      restart,
    ),
);

/** Parses a restart policy. */
export function parseRestart(restart: string): object {
  const [Name, count] = checkRestart(restart).split(':');
  return { Name, ...(count !== undefined && { MaximumRetryCount: Number(count) }) };
}

/** Accepts a network name or a network mode. Names can contain spaces. */
export const checkNetwork = matching(/\S/, (network) =>
  sentence('"{0}" is not a valid network name.', network),
);

/** Accepts labels without empty names, as users type them. A container made elsewhere can have one. */
export function checkLabels(
  labels: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  if (Object.keys(labels).every((name) => name.trim() !== '')) return labels;
  throw InputError.of('A label needs a name.');
}

/** Accepts an absolute path in the container. */
export const checkWorkingDir = matching(ABSOLUTE_PATH, (path) =>
  sentence('The working directory "{0}" is not an absolute path.', path),
);

/** Accepts `user` or `user:group`, as names or numbers. Each part can be empty: `:`, `1000:`, `:0`. */
export const checkUser = matching(/^[^\0]+$/, (user) =>
  sentence('"{0}" is not a user. Use the form user or user:group.', user),
);

/** Accepts `os`, `os/arch` or `os/arch/variant`; `os` can have a version in parentheses. */
export const checkPlatform = matching(/^\S+$/, (platform) =>
  sentence('"{0}" is not a platform. Use the form linux/arm64.', platform),
);

/**
 * Parses `/dev/x[:/dev/y][:rwm]`. The last part grants read, write and mknod. Instead of a path, engines accept the
 * name of a CDI device (`vendor.com/class=name`), and on Windows a class (`class/…`).
 */
export function parseDevice(text: string): object {
  const [source = '', ...rest] = text.split(':');
  const permissions = /^[rwm]{1,3}$/.test(rest.at(-1) ?? '') ? rest.pop() : undefined;
  const [target = source, ...more] = rest;
  const areFull = source.includes('/') && (target.startsWith('/') || target === source);
  if (areFull && more.length === 0) {
    const rights = permissions ?? 'rwm';
    return { PathOnHost: source, PathInContainer: target, CgroupPermissions: rights };
  }
  throw InputError.of(
    '"{0}" is not a device. Use the form /dev/source, /dev/source:/dev/target, or /dev/source:/dev/target:r.',
    quotable(text),
  );
}

/** Parses `/path[:options]`: a tmpfs mount with options of `mount`. */
export function parseTmpfs(text: string): readonly [path: string, options: string] {
  const colon = text.indexOf(':');
  const [path, options] = colon < 0 ? [text, ''] : [text.slice(0, colon), text.slice(colon + 1)];
  if (path.startsWith('/') && path !== '/') return [path, options];
  throw InputError.of(
    '"{0}" is not a tmpfs mount. Use the form /path or /path:size=64m.',
    quotable(text),
  );
}

/**
 * Accepts `name:address`, or `name=address` as the CLI does. The address is an IP address, or `host-gateway` for the
 * host. Brackets are left out: the CLI accepts them around an IPv6 address, but engines do not.
 */
export function checkExtraHost(text: string): string {
  const end = text.search(/[:=]/);
  const name = text.slice(0, Math.max(end, 0));
  const address = text.slice(end + 1);
  const bare = address.replace(/^\[(.*)\]$/, '$1');
  if (/^\S+$/.test(name) && (isIP(bare) !== 0 || address === 'host-gateway'))
    return `${name}:${bare}`;
  throw InputError.of(
    '"{0}" is not an extra host. Use the form name:address, with an IP address or host-gateway.',
    quotable(text),
  );
}

/** Accepts the IP address of a DNS server. */
export function checkDns(address: string): string {
  if (isIP(address) !== 0) return address;
  throw InputError.of('"{0}" is not the IP address of a DNS server.', quotable(address));
}

/** Accepts the name of a capability: `NET_ADMIN`, `CAP_NET_ADMIN`, `ALL`. */
export const checkCapability = matching(/^[A-Za-z][A-Za-z0-9_]*$/, (name) =>
  sentence('"{0}" is not a capability. Use a name such as NET_ADMIN, or ALL.', name),
);

/** Accepts `label=…`, `no-new-privileges`, `seccomp=` with a whole profile in JSON, and the like. */
export const checkSecurityOption = matching(/\S/, (option) =>
  sentence(
    '"{0}" is not a security option. Use the form no-new-privileges or label=disable.',
    option,
  ),
);

/**
 * Accepts the host name of a container. Engines write it to `/etc/hosts` as it is, so it must be one line. With more
 * than 64 characters no kernel starts the container.
 */
export const checkHostname = matching(/^[^\p{Cc}]{1,64}$/u, (name) =>
  sentence('"{0}" is not a host name. Use up to 64 letters, digits, -, _, or . characters.', name),
);

/** Accepts a signal name or number. */
export const checkSignal = matching(/^(?:[A-Za-z][A-Za-z0-9+-]*|\d{1,2})$/, (signal) =>
  sentence('"{0}" is not a signal. Use a name or number, for example SIGTERM.', signal),
);

/** Accepts a stop timeout in seconds; -1, or any negative number, for no limit. */
export function checkStopTimeout(seconds: number, text = String(seconds)): number {
  if (Number.isSafeInteger(seconds) && Math.abs(seconds) < 2 ** 31) return seconds;
  throw InputError.of(
    '"{0}" is not a stop timeout. Use a number of seconds, or -1 for no limit.',
    quotable(text),
  );
}

/** Accepts a PIDs limit; 0 or -1 for no limit. */
export function checkPidsLimit(count: number, text = String(count)): number {
  if (Number.isSafeInteger(count) && count >= -1) return count;
  throw InputError.of(
    '"{0}" is not a PIDs limit. Use an integer of 1 or more, or -1 for no limit.',
    quotable(text),
  );
}

type TextCheck = (text: string) => string;

/**
 * Returns a check that accepts texts which match a pattern.
 *
 * @param message describes the problem of any other text.
 */
function matching(pattern: RegExp, message: (text: string) => Sentence): TextCheck {
  return (text) => {
    if (pattern.test(text)) return text;
    throw new InputError(message(quotable(text)));
  };
}
