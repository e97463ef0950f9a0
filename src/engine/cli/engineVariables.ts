import { isIPv6 } from 'node:net';
import type { Endpoint, SshTransport } from '../http/endpoint.ts';

/** The variables by which Docker and Podman choose an engine. A context would override the address. */
const CHOOSING = [
  ...['DOCKER_HOST', 'DOCKER_CONTEXT', 'DOCKER_TLS', 'DOCKER_TLS_VERIFY', 'DOCKER_CERT_PATH'],
  ...['CONTAINER_HOST', 'CONTAINER_CONNECTION', 'CONTAINER_SSHKEY'],
];

/** Returns the variables that make the Docker and Podman CLIs use an engine. None is a secret. */
export function engineVariables({ url, transport }: Endpoint): Readonly<Record<string, string>> {
  if (transport.kind === 'ssh') return addressed(sshAddress(transport), transport.identity);
  if (transport.kind === 'socket' || !transport.tls) return addressed(url);
  const { verify, folder } = transport.tls;
  return {
    ...addressed(url),
    // Any value counts, even 0.
    ...(verify ? { DOCKER_TLS_VERIFY: '1' } : { DOCKER_TLS: '1' }),
    ...(folder !== undefined && { DOCKER_CERT_PATH: folder }),
  };
}

/** Returns an environment with these variables, and without others that choose an engine. */
export function engineEnvironment(
  env: NodeJS.ProcessEnv,
  variables: Readonly<Record<string, string>>,
): NodeJS.ProcessEnv {
  const rest = Object.entries(env).filter(([name]) => !CHOOSING.includes(name));
  return { ...Object.fromEntries(rest), ...variables };
}

function addressed(url: string, key?: string): Readonly<Record<string, string>> {
  return {
    DOCKER_HOST: url,
    CONTAINER_HOST: url,
    ...(key !== undefined && { CONTAINER_SSHKEY: key }),
  };
}

function sshAddress({ user, host, port, socket }: SshTransport): string {
  const name = isIPv6(host) ? `[${host}]` : host;
  const before = user === undefined ? '' : `${user}@`;
  return `ssh://${before}${name}${port === undefined ? '' : `:${port}`}${socket ?? ''}`;
}
