import type { Service } from './project.ts';
import type { Dependency } from './projectLabels.ts';

/**
 * Returns the services so that each comes after those it depends on. Dependencies on services that are not
 * among them are dropped, and one of each cycle, which only labels that no Compose wrote can have.
 */
export function orderServices(services: readonly Service[]): readonly OrderedService[] {
  const names = new Set(services.map(({ name }) => name));
  const known = (service: Service): readonly Dependency[] =>
    service.dependencies.filter((one) => names.has(one.service));
  const positions = positionsOf(new Map(services.map((one) => [one.name, known(one)])));
  const positionOf = (name: string): number => positions.get(name) ?? 0;
  return services
    .toSorted((a, b) => positionOf(a.name) - positionOf(b.name))
    .map((one) => {
      const earlier = known(one).filter(
        ({ service }) => positionOf(service) < positionOf(one.name),
      );
      return { ...one, dependencies: earlier };
    });
}

export interface OrderedService extends Service {
  /** Only services that come before it. */
  readonly dependencies: readonly Dependency[];
}

type Graph = ReadonlyMap<string, readonly Dependency[]>;

/** Returns the position of each service: repeatedly those whose dependencies have a position. */
function positionsOf(graph: Graph): ReadonlyMap<string, number> {
  const positions = new Map<string, number>();
  const open = new Map([...graph].map(([name, { length }]) => [name, length]));
  const users = dependentsOf([...graph].map(([name, dependencies]) => ({ name, dependencies })));
  const queue = [...open].flatMap(([name, count]) => (count === 0 ? [name] : []));
  for (;;) {
    for (const name of queue) {
      positions.set(name, positions.size);
      open.delete(name);
      for (const user of users.get(name) ?? []) {
        const left = (open.get(user) ?? 0) - 1;
        if (open.has(user)) open.set(user, left);
        if (left === 0 && open.has(user)) queue.push(user);
      }
    }
    const [stuck] = open.keys();
    if (stuck === undefined) return positions;
    queue.splice(0, Infinity, inCycle(stuck, graph, open));
  }
}

/** Returns a service of a cycle that `name` is in or depends on: every open service has an open dependency. */
function inCycle(name: string, graph: Graph, open: ReadonlyMap<string, number>): string {
  const passed = new Set<string>();
  let at = name;
  while (!passed.has(at)) {
    passed.add(at);
    at = graph.get(at)?.find(({ service }) => open.has(service))?.service ?? at;
  }
  return at;
}

/** Returns the named service and all that it depends on, directly or not. */
export function withDependencies(services: readonly Service[], name: string): readonly Service[] {
  const byName = new Map(services.map((one) => [one.name, one]));
  return reachable(services, name, (one) =>
    (byName.get(one)?.dependencies ?? []).map(({ service }) => service),
  );
}

/** Returns the named service and all that are restarted with it, directly or not. */
export function withRestarted(services: readonly Service[], name: string): readonly Service[] {
  const dependents = dependentsOf(services, ({ restarts }) => restarts);
  return reachable(services, name, (one) => dependents.get(one) ?? []);
}

/** Returns the names of the services that depend on each service, by its name. */
export function dependentsOf(
  services: readonly Pick<Service, 'name' | 'dependencies'>[],
  isWanted: (dependency: Dependency) => boolean = () => true,
): ReadonlyMap<string, readonly string[]> {
  const pairs = services.flatMap(({ name, dependencies }) =>
    dependencies.filter(isWanted).map(({ service }) => ({ name, service })),
  );
  const grouped = Map.groupBy(pairs, ({ service }) => service);
  return new Map([...grouped].map(([service, all]) => [service, all.map(({ name }) => name)]));
}

function reachable(
  services: readonly Service[],
  name: string,
  next: (name: string) => readonly string[],
): readonly Service[] {
  const found = new Set([name]);
  for (const one of found) for (const other of next(one)) found.add(other);
  return services.filter((one) => found.has(one.name));
}
