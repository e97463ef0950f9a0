// Environment variables by which the runner describes the bed to the suites.

/** The bed as a suite sees it. */
export interface BedFacts {
  readonly kind: 'docker' | 'podman';
  /** Socket of the engine under test. */
  readonly socket: string;
  /** `host:port` of the registries, as seen from the engine. */
  readonly registry: string;
  readonly lockedRegistry: string;
  readonly slowRegistry: string;
  readonly username: string;
  readonly password: string;
  /** A small image that exists in the engine. */
  readonly image: string;
  readonly build: EngineBuild;
}

/** The build of an engine of one kind. */
export interface EngineBuild {
  /** Root folder of the system that provides the engine's programs; empty for those of the machine. */
  readonly system: string;
  /** Whether Docker uses the containerd image store. */
  readonly hasContainerdStore: boolean;
  /** The oldest API version that Docker accepts; empty for Docker's default. */
  readonly oldestApi: string;
}

/**
 * Returns the bed under test.
 *
 * @throws Error if the suite runs without a bed
 */
export function bed(): BedFacts {
  const kind = variable('GANTRY_BED_KIND');
  if (kind !== 'docker' && kind !== 'podman')
    throw new Error(`GANTRY_BED_KIND is neither docker nor podman but ${kind}.`);
  return {
    kind,
    socket: variable('GANTRY_BED_SOCKET'),
    registry: variable('GANTRY_BED_REGISTRY'),
    lockedRegistry: variable('GANTRY_BED_REGISTRY_LOCKED'),
    slowRegistry: variable('GANTRY_BED_REGISTRY_SLOW'),
    username: variable('GANTRY_BED_REGISTRY_USER'),
    password: variable('GANTRY_BED_REGISTRY_PASSWORD'),
    image: variable('GANTRY_BED_IMAGE'),
    build: buildUnderTest(),
  };
}

/** Returns the build of the engine under test, which engines that a suite starts itself use too. */
export function buildUnderTest(): EngineBuild {
  return {
    system: process.env['GANTRY_BED_SYSTEM'] ?? '',
    hasContainerdStore: Boolean(process.env['GANTRY_BED_CONTAINERD_STORE']),
    oldestApi: process.env['GANTRY_BED_OLDEST_API'] ?? '',
  };
}

/** Returns the bed's facts as the variables that `bed` reads. */
export function bedVariables(facts: BedFacts): Record<string, string> {
  return {
    [`GANTRY_BED_${facts.kind.toUpperCase()}`]: facts.socket,
    GANTRY_BED_KIND: facts.kind,
    GANTRY_BED_SOCKET: facts.socket,
    GANTRY_BED_REGISTRY: facts.registry,
    GANTRY_BED_REGISTRY_LOCKED: facts.lockedRegistry,
    GANTRY_BED_REGISTRY_SLOW: facts.slowRegistry,
    GANTRY_BED_REGISTRY_USER: facts.username,
    GANTRY_BED_REGISTRY_PASSWORD: facts.password,
    GANTRY_BED_IMAGE: facts.image,
    GANTRY_BED_SYSTEM: facts.build.system,
    GANTRY_BED_CONTAINERD_STORE: facts.build.hasContainerdStore ? '1' : '',
    GANTRY_BED_OLDEST_API: facts.build.oldestApi,
  };
}

function variable(name: string): string {
  const value = process.env[name];
  if (!value)
    throw new Error(
      `${name} is not set. This suite needs the test bed: run it by \`npm test\`, ` +
        'or start `node test/bed/up.ts docker` and source .bed/env-docker.',
    );
  return value;
}
