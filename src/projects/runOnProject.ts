import type { Connection } from '../engine/http/connection.ts';
import type { Container } from '../engine/model.ts';
import type { Activity } from '../inventory/activity.ts';
import { DisposableStore, isCancellation } from '../base/lifetime.ts';
import { OPERATIONS, type ContainerOutcome, type ProjectVerb } from './operations.ts';
import type { Project, Service } from './project.ts';
import type { Dependency } from './projectLabels.ts';
import {
  dependentsOf,
  orderServices,
  withDependencies,
  withRestarted,
  type OrderedService,
} from './orderServices.ts';
import { connectionOf, isUnanswered, outcomeAfterLoss } from './interruptions.ts';
import { ConcurrencyLimit } from '../base/concurrencyLimit.ts';
import { waitUntilCompleted } from './waitUntilCompleted.ts';
import { waitUntilHealthy, type WaitEnd, type WaitWorld } from './waitUntilHealthy.ts';

/** Requests at a time. Waits do not count. */
const AT_ONCE = 16;

/**
 * Runs a verb on the containers of a project or of one of its services, but not on one-off containers. With a
 * service: a start includes what it depends on, a restart what is restarted with it. Services without an order
 * run at the same time. Never rejects: a failure fails only what depends on it, and an abort of `signal` ends
 * the run after what was done.
 */
export async function runOnProject(
  verb: ProjectVerb,
  project: Project,
  options: ProjectRunOptions,
): Promise<ProjectRun> {
  const chosen = chosenServices(verb, project, options.service);
  return new Run(verb, options).run(orderServices(chosen));
}

export interface ProjectRunOptions extends WaitWorld {
  /** One service instead of all. */
  readonly service?: string | undefined;
  readonly activity: Activity;
  readonly signal: AbortSignal;
  /** Called around each operation. Calls `run` or rejects. */
  readonly around?: <T>(
    container: Container,
    run: () => Promise<T>,
    signal: AbortSignal,
  ) => Promise<T>;
  /** Replaces the operation of the verb. */
  readonly operate?: (
    connection: Connection,
    container: Container,
    signal: AbortSignal,
  ) => Promise<{ readonly outcome: ContainerOutcome }>;
}

/** Outcome for each container. After an abort, some are in neither list. */
export interface ProjectRun {
  readonly done: readonly ContainerDone[];
  readonly failed: readonly ContainerFailure[];
  readonly isCanceled: boolean;
  /** The number of all containers. */
  readonly total: number;
}

export interface ContainerDone {
  readonly container: Container;
  readonly outcome: ContainerOutcome;
}

interface ContainerFailure {
  readonly container: Container;
  readonly why: FailedWhy;
}

/** Why a container was not handled: the engine refused, or a service before it did not get that far. */
export type FailedWhy =
  | { readonly kind: 'error'; readonly error: unknown }
  | { readonly kind: 'dependency'; readonly service: string; readonly end: DependencyEnd };

/** End of a dependency that others waited for. `failed`: it was not started. */
export type DependencyEnd =
  | WaitEnd
  | { readonly kind: 'started' | 'failed' }
  | { readonly kind: 'error'; readonly error: unknown };

function chosenServices(
  verb: ProjectVerb,
  { services }: Project,
  service: string | undefined,
): readonly Service[] {
  if (service === undefined) return services;
  if (verb === 'start') return withDependencies(services, service);
  if (verb === 'restart') return withRestarted(services, service);
  return services.filter(({ name }) => name === service);
}

class Run {
  readonly #verb: ProjectVerb;
  readonly #options: ProjectRunOptions;
  readonly #limit = new ConcurrencyLimit(AT_ONCE);
  readonly #done: ContainerDone[] = [];
  readonly #failed: ContainerFailure[] = [];
  /** Results by the name of a service: whether all its containers were handled. */
  readonly #services = new Map<string, Promise<boolean>>();
  /** The waits for a condition of a service, which all its dependents share. */
  readonly #waits = new Map<string, Promise<DependencyEnd>>();
  readonly #byName = new Map<string, OrderedService>();

  constructor(verb: ProjectVerb, options: ProjectRunOptions) {
    this.#verb = verb;
    this.#options = options;
  }

  async run(services: readonly OrderedService[]): Promise<ProjectRun> {
    for (const one of services) this.#byName.set(one.name, one);
    const { order } = OPERATIONS[this.#verb];
    if (order === 'backward') this.#runBackward(services);
    else {
      for (const one of services)
        this.#services.set(one.name, this.#runService(one, order === 'forward'));
    }
    await Promise.all(this.#services.values());
    return {
      done: this.#done,
      failed: this.#failed,
      isCanceled: this.#options.signal.aborted,
      total: services.flatMap(({ containers }) => containers).length,
    };
  }

  /** Dependents come first, whether they succeed or not: the user wants to end them all. */
  #runBackward(services: readonly OrderedService[]): void {
    const dependents = dependentsOf(services);
    for (const one of services.toReversed()) {
      const names = dependents.get(one.name) ?? [];
      const before = names.flatMap((name) => this.#services.get(name) ?? []);
      const run = Promise.all(before).then(() => this.#runContainers(one));
      this.#services.set(one.name, run);
    }
  }

  async #runService(service: OrderedService, isOrdered: boolean): Promise<boolean> {
    const blocked = isOrdered ? await this.#blocked(service) : undefined;
    if (!blocked) return this.#runContainers(service);
    if (!this.#options.signal.aborted)
      this.#failed.push(...service.containers.map((container) => ({ container, why: blocked })));
    return false;
  }

  /** Waits for the dependencies. Resolves to why one did not get that far; undefined if all did. */
  async #blocked(service: OrderedService): Promise<FailedWhy | undefined> {
    const ends = await Promise.all(
      service.dependencies.map(async (one): Promise<FailedWhy | undefined> => {
        const end = await this.#whileWaiting(service, one, () => this.#waitFor(one));
        return end.kind === one.condition
          ? undefined
          : { kind: 'dependency', service: one.service, end };
      }),
    );
    return ends.find((end) => end !== undefined);
  }

  async #whileWaiting<T>(
    { containers }: OrderedService,
    { service, condition }: Dependency,
    wait: () => Promise<T>,
  ): Promise<T> {
    const marks = new DisposableStore();
    const { activity } = this.#options;
    for (const { id } of containers)
      marks.add(activity.begin(id, 'waiting', { service, condition }));
    try {
      return await wait();
    } finally {
      marks.dispose();
    }
  }

  #waitFor({ service, condition }: Dependency): Promise<DependencyEnd> {
    const key = `${condition}/${service}`;
    const wait = this.#waits.get(key) ?? this.#wait(service, condition);
    this.#waits.set(key, wait);
    return wait;
  }

  /** Never rejects. */
  async #wait(service: string, condition: Dependency['condition']): Promise<DependencyEnd> {
    if ((await this.#services.get(service)) !== true) return { kind: 'failed' };
    if (condition === 'started') return { kind: 'started' };
    const wait = condition === 'healthy' ? waitUntilHealthy : waitUntilCompleted;
    const { containers = [] } = this.#byName.get(service) ?? {};
    const { signal } = this.#options;
    try {
      const ends = await Promise.all(containers.map(({ id }) => wait(id, this.#options, signal)));
      return ends.find(({ kind }) => kind !== condition) ?? { kind: condition };
    } catch (error) {
      return { kind: 'error', error };
    }
  }

  async #runContainers({ containers }: OrderedService): Promise<boolean> {
    const all = await Promise.all(containers.map((one) => this.#runContainer(one)));
    return all.every(Boolean);
  }

  /** Never rejects. */
  async #runContainer(container: Container): Promise<boolean> {
    try {
      const outcome = await this.#limit.run(() => this.#operate(container));
      this.#done.push({ container, outcome });
      return true;
    } catch (error) {
      const isOurs = this.#options.signal.aborted && isCancellation(error);
      if (!isOurs) this.#failed.push({ container, why: { kind: 'error', error } });
      return false;
    }
  }

  async #operate(container: Container): Promise<ContainerOutcome> {
    const { activity, signal, around, operate } = this.#options;
    signal.throwIfAborted();
    const { verb, skip, run } = OPERATIONS[this.#verb];
    const skipped = skip?.(container);
    if (skipped) return skipped;
    const mark = activity.begin(container.id, verb);
    const work = () => this.#work(container, operate ?? run);
    try {
      return (await (around ? around(container, work, signal) : work())).outcome;
    } finally {
      mark.dispose();
    }
  }

  /** If the answer is lost, looks whether the engine has done it. */
  async #work(
    container: Container,
    run: NonNullable<ProjectRunOptions['operate']>,
  ): Promise<{ readonly outcome: ContainerOutcome }> {
    const { signal } = this.#options;
    try {
      return await run(await connectionOf(this.#options, signal), container, signal);
    } catch (error) {
      if (signal.aborted || !isUnanswered(error)) throw error;
      const outcome = await outcomeAfterLoss(this.#verb, container, this.#options, signal);
      if (!outcome) throw error;
      return { outcome };
    }
  }
}
