import { parseReference } from '../../options/reference.ts';
import { parseDockerfile } from './dockerfile.ts';
import type { BuildRequest } from '../model.ts';

/**
 * Returns the registries of the images that a Dockerfile names, `docker.io` for Docker Hub: those whose credentials a
 * build may need.
 */
export function baseRegistries(dockerfile: string, request: BaseRequest): ReadonlySet<string> {
  return new Set(baseImages(dockerfile, request).flatMap((name) => registryOf(name) ?? []));
}

/**
 * Returns the image of a Dockerfile that a registry has refused to Docker 20.10, whose message names only the registry.
 * If it has several from there, the first.
 */
export function refusedImage(
  message: string,
  dockerfile: string,
  request: BaseRequest,
): string | undefined {
  const [, host] = /pulling from host (\S{1,255}) failed with status code /.exec(message) ?? [];
  if (host === undefined) return undefined;
  const registry = host === 'registry-1.docker.io' ? 'docker.io' : host;
  return firstImageOf(registry, dockerfile, request);
}

/** Returns the first image of a Dockerfile that is from this registry. */
export function firstImageOf(
  registry: string,
  dockerfile: string,
  request: BaseRequest,
): string | undefined {
  return baseImages(dockerfile, request).find((name) => registryOf(name) === registry);
}

type BaseRequest = Pick<BuildRequest, 'args' | 'platforms'>;

/** Returns the names of the images that a Dockerfile needs, also those of its own stages. */
function baseImages(
  dockerfile: string,
  { args = {}, platforms = [] }: BaseRequest,
): readonly string[] {
  const found = (platforms.length > 0 ? platforms : [USUAL_PLATFORM]).flatMap((target) => {
    const given = {
      ...platformArguments('BUILD', USUAL_PLATFORM),
      ...platformArguments('TARGET', target),
      ...args,
    };
    const { stages, syntax } = parseDockerfile(dockerfile, given);
    return [...stages.flatMap(({ images }) => images), syntax?.image ?? ''];
  });
  // An argument that names the frontend.
  const frontend = Object.hasOwn(args, 'BUILDKIT_SYNTAX') ? args['BUILDKIT_SYNTAX'] : undefined;
  return [...found, frontend ?? ''];
}

/** In place of the platform of the engine: registries do not depend on it. */
const USUAL_PLATFORM = 'linux/amd64';

/** Returns the arguments that the builder sets itself. */
function platformArguments(
  prefix: 'BUILD' | 'TARGET',
  platform: string,
): Readonly<Record<string, string>> {
  const [os = '', arch = '', variant = ''] = platform.split('/');
  return {
    [`${prefix}PLATFORM`]: platform,
    [`${prefix}OS`]: os,
    [`${prefix}ARCH`]: arch,
    [`${prefix}VARIANT`]: variant,
  };
}

/** Returns undefined for what is not an image, or if the registry is not known. */
function registryOf(name: string): string | undefined {
  // The registry is enough: the builder knows more about the rest.
  const registry = /^[^/$]+\/(?=.*\$)/.exec(name)?.[0];
  const reference = parseReference(registry === undefined ? name : `${registry}x`);
  return reference.ok ? reference.value.registry : undefined;
}
