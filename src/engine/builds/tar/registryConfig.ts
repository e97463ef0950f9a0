/** The credentials of a build by tar, as a request header. */

import type { RegistryAuth } from '../../wire/registryAuth.ts';
import { reveal } from '../../../base/secret.ts';
import { baseRegistries } from '../dockerfile/baseRegistries.ts';
import type { StartedRequest } from '../dockerfile/readDockerfile.ts';
import type { BuildProviders } from '../model.ts';

/** The key of Docker Hub, as the Docker CLI writes it. */
const HUB_KEY = 'https://index.docker.io/v1/';
/** The most registries of one build. */
const MOST_REGISTRIES = 100;

/**
 * Returns `X-Registry-Config` for the registries of the images that a Dockerfile names, and for no others; no header
 * if there are no credentials. The padding stays, because engines ignore a value without it.
 */
export async function registryConfig(
  request: StartedRequest,
  providers: Pick<BuildProviders, 'credentials'>,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  const known: [string, RegistryAuth][] = [];
  const registries = [...baseRegistries(request.source.text, request)].slice(0, MOST_REGISTRIES);
  for (const [registry, repository] of registries) {
    const auth = await providers.credentials(registry, signal, repository);
    if (auth) known.push([registry === 'docker.io' ? HUB_KEY : registry, auth]);
  }
  if (known.length === 0) return {};
  const values = Object.fromEntries(known.map(([key, auth]) => [key, wireAuth(auth)]));
  const header = Buffer.from(JSON.stringify(values))
    .toString('base64')
    .replaceAll('+', '-')
    .replaceAll('/', '_');
  return { 'X-Registry-Config': header };
}

function wireAuth({ username, password, identitytoken, registrytoken }: RegistryAuth): object {
  return {
    username,
    password: password && reveal(password),
    identitytoken: identitytoken && reveal(identitytoken),
    registrytoken: registrytoken && reveal(registrytoken),
  };
}
