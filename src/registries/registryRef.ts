import * as l10n from '@vscode/l10n';
import { InputError } from '../engine/errors.ts';
import { parseReference } from '../engine/options/reference.ts';

/** A registry, or one repository in it. */
export interface RegistryRef {
  /** `host` or `host:port`; `docker.io` for Docker Hub. */
  readonly registry: string;
  /** The path in the registry. Some files keep credentials per path. */
  readonly repository?: string;
}

/** Docker Hub as written in image references. */
export const DOCKER_HUB = 'docker.io';
/** The key of Docker Hub in credentials files. */
export const DOCKER_HUB_KEY = 'https://index.docker.io/v1/';

/** Returns the key under which the Docker CLI stores the credentials of a registry. */
export function registryKey(registry: string): string {
  return registry === DOCKER_HUB ? DOCKER_HUB_KEY : registry;
}

/** Returns the registry of a key, or undefined if it is not a registry. Older keys have a scheme or a path. */
export function registryFromKey(key: string): string | undefined {
  // Docker Desktop stores its tokens next to the Docker Hub entry, under keys that look like one.
  if (/\/(?:access|refresh)-token$/.test(key)) return undefined;
  const host = key.replace(/^https?:\/\//, '').replace(/\/.*$/s, '');
  if (host === '') return undefined;
  return host === `index.${DOCKER_HUB}` ? DOCKER_HUB : host;
}

/** Other host names of Docker Hub. */
const HUB_NAMES = /^(?:(?:index|registry-1|registry|hub)\.)?docker\.(?:io|com)$/;

/**
 * Parses a registry that the user typed: `host`, `host:port`, or a URL copied from the browser.
 *
 * @throws InputError that describes the problem.
 */
export function readRegistry(text: string): string {
  const host = text
    .trim()
    .replace(/^https?:\/\//i, '')
    .replace(/\/.*$/s, '')
    .toLowerCase();
  if (host === '')
    throw new InputError(l10n.t('The registry is empty. Use the form host or host:port.'));
  if (host.includes('@')) {
    // Do not repeat the text: the part before the `@` may contain a password.
    throw new InputError(l10n.t('Remove the user name. Use the form host or host:port.'));
  }
  if (HUB_NAMES.test(host)) return DOCKER_HUB;
  // Validate with the rules for image references, so that images of this registry can exist.
  const reference = parseReference(`${host}/x`);
  if (!reference.ok || reference.value.registry !== host) {
    throw new InputError(
      l10n.t(
        '"{0}" is not a registry. Use the form host or host:port, for example ghcr.io.',
        text.trim(),
      ),
    );
  }
  return host;
}
