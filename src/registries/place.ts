/** What is asked of a registry: the registry alone, or one repository in it. */
export interface RegistryPlace {
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
export function keyOf(registry: string): string {
  return registry === DOCKER_HUB ? DOCKER_HUB_KEY : registry;
}

/** The registry that a key stands for: older keys have a scheme or a path. Undefined for what is no registry. */
export function registryOf(key: string): string | undefined {
  // Tokens of Docker Desktop, kept beside the entry of Docker Hub under keys that look like one.
  if (/\/(?:access|refresh)-token$/.test(key)) return undefined;
  const host = key.replace(/^https?:\/\//, '').replace(/\/.*$/s, '');
  if (host === '') return undefined;
  return host === `index.${DOCKER_HUB}` ? DOCKER_HUB : host;
}
