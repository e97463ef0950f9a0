import { parseReference } from '../../options/reference.ts';
import { parseDockerfile } from './dockerfile.ts';
import type { BuildRequest } from '../model.ts';

/**
 * Returns the registries of the images that a Dockerfile names, `docker.io` for Docker Hub: those whose credentials a
 * build may need. Each with the repository of its first image, if that is known: credentials may be for a part of a
 * registry only.
 */
export function baseRegistries(
  dockerfile: string,
  request: BaseRequest,
): ReadonlyMap<string, string | undefined> {
  const found = new Map<string, string | undefined>();
  for (const name of baseImages(dockerfile, request)) {
    const registry = registryOf(name);
    if (registry === undefined || found.has(registry)) continue;
    const reference = parseReference(name);
    found.set(registry, reference.ok ? reference.value.repository : undefined);
  }
  return found;
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
