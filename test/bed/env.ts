// What the runner tells the suites about the bed, by environment variables.

/** The bed as a suite sees it. */
export interface BedFacts {
  readonly kind: 'docker' | 'podman';
  /** The socket of the engine under test. */
  readonly socket: string;
  /** `host:port` of the registries, as the engine reaches them. */
  readonly registry: string;
  readonly lockedRegistry: string;
  readonly slowRegistry: string;
  readonly username: string;
  readonly password: string;
  /** A small image that is in the engine already. */
  readonly image: string;
  readonly build: EngineBuild;
}

/** Which engine of its kind it is. */
export interface EngineBuild {
  /** Root of the system whose programs it is made of; the machine's own if empty. */
  readonly system: string;
  /** Whether Docker keeps its images in containerd's store. */
  readonly hasContainerdStore: boolean;
}

/** The bed under test; throws a sentence when the suite runs without one. */
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

/** The engines that a suite starts for itself are of the build it is run on. */
export function buildUnderTest(): EngineBuild {
  return {
    system: process.env['GANTRY_BED_SYSTEM'] ?? '',
    hasContainerdStore: Boolean(process.env['GANTRY_BED_CONTAINERD_STORE']),
  };
}

/** The bed's facts as the variables that `bed` reads. */
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
