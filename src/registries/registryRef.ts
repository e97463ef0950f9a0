import { InputError } from '../engine/errors.ts';
import { parseReference } from '../engine/options/reference.ts';
import type { L10n } from '../l10n.ts';

/** What is asked of a registry: the registry alone, or one repository in it. */
export interface RegistryRef {
  /** `host` or `host:port`; `docker.io` for Docker Hub. */
  readonly registry: string;
  /** The path in the registry: some files keep credentials for a part of it. */
  readonly repository?: string;
}

/** Docker Hub as references name it. */
export const DOCKER_HUB = 'docker.io';
/** Docker Hub as credentials are kept for it. */
export const DOCKER_HUB_KEY = 'https://index.docker.io/v1/';

/** The key under which Docker's command line keeps a registry. */
export function registryKey(registry: string): string {
  return registry === DOCKER_HUB ? DOCKER_HUB_KEY : registry;
}

/** The registry that a key stands for: older keys have a scheme or a path. Undefined for what is no registry. */
export function registryFromKey(key: string): string | undefined {
  // Tokens of Docker Desktop, kept beside the entry of Docker Hub under keys that look like one.
  if (/\/(?:access|refresh)-token$/.test(key)) return undefined;
  const host = key.replace(/^https?:\/\//, '').replace(/\/.*$/s, '');
  if (host === '') return undefined;
  return host === `index.${DOCKER_HUB}` ? DOCKER_HUB : host;
}

/** Other names that people know Docker Hub by. */
const HUB_NAMES = /^(?:(?:index|registry-1|registry|hub)\.)?docker\.(?:io|com)$/;

/**
 * Reads a registry as a person types it: `host`, `host:port`, or its address in a browser.
 *
 * @throws InputError that says what is wrong.
 */
export function readRegistry(text: string, l10n: L10n): string {
  const host = text
    .trim()
    .replace(/^https?:\/\//i, '')
    .replace(/\/.*$/s, '')
    .toLowerCase();
  if (host === '')
    throw new InputError(l10n.t('The registry is empty. Write it as host or host:port.'));
  if (host.includes('@')) {
    // What is before it may be a password, and is not repeated.
    throw new InputError(
      l10n.t('Write the registry alone, as host or host:port, without a user name.'),
    );
  }
  if (HUB_NAMES.test(host)) return DOCKER_HUB;
  // By the rules for references, so that there can be an image of that registry.
  const reference = parseReference(`${host}/x`);
  if (!reference.ok || reference.value.registry !== host) {
    throw new InputError(
      l10n.t(
        '"{0}" is not a registry. Write it as host or host:port, for example ghcr.io.',
        text.trim(),
      ),
    );
  }
  return host;
}
