import type { Container } from '../engine/model.ts';
import {
  dependenciesOf,
  filesOf,
  isOfPod,
  isOfStack,
  isOneOff,
  numberOf,
  projectOf,
  serviceOf,
  type Dependency,
} from './projectLabels.ts';

/** A compose project or swarm stack, read from the labels of its containers, or a pod. */
export interface Project {
  readonly name: string;
  /** Whether it is a swarm stack: swarm replaces its containers when they end. */
  readonly isStack: boolean;
  /** Whether it is a pod of Podman. */
  readonly isPod: boolean;
  /** Sorted by name. A container without a service is one of its own. */
  readonly services: readonly Service[];
  /** The containers of `docker compose run` and of hooks. */
  readonly oneOffs: readonly Container[];
  /**
   * The compose files, on the machine that created the project. Each overrides those before. These and the folder are
   * exact, and not for display.
   */
  readonly files: readonly string[];
  readonly workingDir?: string;
}

/** A service with its containers, at least one. */
export interface Service {
  readonly name: string;
  /** Sorted by number. */
  readonly containers: readonly Container[];
  /** Also services that have no container. */
  readonly dependencies: readonly Dependency[];
}

/** Returns the projects that containers belong to, sorted by name. */
export function readProjects(containers: Iterable<Container>): readonly Project[] {
  const byName = Map.groupBy(containers, (one) => projectOf(one) ?? '');
  byName.delete('');
  return [...byName].map(([name, members]) => readProject(name, members)).sort(byNameOf);
}

/** Returns one project; undefined if it has no container. */
export function findProject(containers: Iterable<Container>, name: string): Project | undefined {
  const members = [...containers].filter((one) => projectOf(one) === name);
  return members.length === 0 ? undefined : readProject(name, members);
}

function readProject(name: string, members: readonly Container[]): Project {
  const regular = members.filter((one) => !isOneOff(one));
  const byService = Map.groupBy(regular, (one) => serviceOf(one) ?? one.name);
  // A container of a hook does not name the files.
  const ordered = [...regular, ...members];
  const first = ordered.find((one) => filesOf(one).files.length > 0) ?? ordered[0];
  return {
    name,
    isStack: members.every(isOfStack),
    isPod: members.every(isOfPod),
    services: [...byService].map(([service, own]) => readService(service, own)).sort(byNameOf),
    oneOffs: members.filter(isOneOff),
    ...(first ? filesOf(first) : { files: [] }),
  };
}

/** Containers of an older configuration may have other dependencies: all of them count. */
function readService(name: string, containers: readonly Container[]): Service {
  const all = containers.flatMap(dependenciesOf).filter(({ service }) => service !== name);
  return {
    name,
    containers: containers.toSorted((a, b) => numeric(a) - numeric(b) || (a.id < b.id ? -1 : 1)),
    dependencies: [...new Map(all.map((one) => [one.service, one])).values()],
  };
}

function numeric(container: Container): number {
  return Number(numberOf(container) ?? 0);
}

function byNameOf(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1;
}
