import { hasProcess, type Container, type ContainerMount, type Port } from '../../engine/model.ts';
import { DisposableStore, type Disposable } from '../../base/lifetime.ts';
import type { Inventory } from '../inventory.ts';
import type { EventRing, RecordedEvent } from './eventRing.ts';
import type { OwnActs } from './ownActs.ts';

/**
 * Remembers what the last run of each container looked like, and its last good run before that, to tell what has changed
 * when it fails. Knows containers by their names, because Compose replaces a container by a new one of the same name.
 * Takes everything from lists that are read anyway; what only an inspect tells is recorded when it is inspected for something else.
 */
export class LastRuns implements Disposable {
  readonly #options: LastRunsOptions;
  readonly #store = new DisposableStore();
  /** The last run under each name, that of the newest the last. */
  readonly #byName = new Map<string, Run>();
  /** The last run of each container. */
  readonly #byId = new Map<string, Run>();

  constructor(options: LastRunsOptions) {
    this.#options = options;
    for (const id of options.inventory.containers.keys()) this.#check(id);
    this.#store.listen(options.inventory.onDidChange, ({ containers }) => {
      for (const id of containers) this.#check(id);
    });
    this.#store.listen(options.events.onDidRecord, (recorded) => this.#see(recorded));
  }

  dispose(): void {
    this.#store.dispose();
  }

  /** Returns the last run of a container by its full ID or its name, also if the container is gone. */
  find(text: string): LastRun | undefined {
    return this.#byId.get(text) ?? this.#byName.get(text);
  }

  /** Records what only an inspect tells, until the container changes. */
  recordDetails(id: string, environment: Iterable<string>, limits: Limits): void {
    const run = this.#byId.get(id);
    const names = [...environment].slice(0, MOST_ENTRIES).sort();
    if (!run) return;
    const ofRun = run.wasUpdated ? run.shape.limits : limits;
    run.shape = { ...run.shape, environment: names, limits: ofRun };
  }

  /** A list may not show the moment between two runs. */
  #see({ id, event: { action, verb } }: RecordedEvent): void {
    const run = this.#byId.get(id);
    if (!run) return;
    // Not every engine has an event for a stop that kills at once.
    if (action === 'stop' || (action === 'die' && verb)) run.wasStopped = true;
    if (action === 'die') run.hasDied = true;
    if (action === 'start' && !run.hasEnded) {
      const shape = nextShape(run);
      this.#begin({ ...run, shape, upSince: this.#options.now() });
    }
    if (action !== 'update') return;
    // The limits of a run that is over stay what they were.
    if (run.hasDied || run.hasEnded) run.wasUpdated = true;
    else run.shape = { ...run.shape, limits: undefined };
  }

  #check(id: string): void {
    const container = this.#options.inventory.containers.get(id);
    const run = this.#byId.get(id);
    if (!container) {
      // Removed when it ended, before a list showed that.
      if (run) this.#end(run);
    } else if (hasProcess(container)) {
      this.#isUp(container, run);
    } else if (ENDED.has(container.state)) {
      this.#hasEnded(container, run);
    }
  }

  #isUp(container: Container, known: Run | undefined): void {
    const { inventory, now } = this.#options;
    const { id, name, health } = container;
    const upSince = inventory.ages.get(id)?.latest ?? now();
    const isSame = known?.hasEnded === false;
    const shape = shapeOf(container, isSame ? known.shape : known && nextShape(known));
    const run = isSame ? known : this.#begin({ id, name, shape, upSince });
    run.shape = shape;
    run.hasHealthCheck = health !== undefined;
    run.wasHealthy ||= health === 'healthy';
  }

  #hasEnded(container: Container, known: Run | undefined): void {
    const { inventory, now } = this.#options;
    const { id, name, exitCode } = container;
    const shape = known ? known.shape : shapeOf(container, undefined);
    // One that was not seen running did not run for a known time.
    const run = known ?? this.#begin({ id, name, shape, upSince: now() });
    if (!run.hasEnded) run.endedAt = now();
    this.#end(run);
    run.exitCode = exitCode;
    run.wasStopped ||= inventory.stopped.has(id);
  }

  /** Events may be later than lists, and what Gantry does is known before both. */
  #end(run: Run): void {
    if (!run.hasEnded)
      run.wasStopped ||= this.#options.acts.endingOf(run.id, RECENT_MS) !== undefined;
    run.hasEnded = true;
  }

  #begin({ id, name, shape, upSince }: Pick<Run, 'id' | 'name' | 'shape' | 'upSince'>): Run {
    const last = this.#byName.get(name);
    const before = last && (hasWorked(last, this.#options.now()) ? last.shape : last.before);
    const run: Run = { ...NEW_RUN, id, name, shape, upSince, before };
    put(this.#byName, name, run);
    put(this.#byId, id, run);
    return run;
  }
}

/** The last run of a container. */
export interface LastRun {
  readonly id: string;
  readonly name: string;
  readonly shape: RunShape;
  /** What the last good run before this one looked like, if there was one since the window was opened. */
  readonly before: RunShape | undefined;
  readonly hasEnded: boolean;
  /** Whether a client is known to have stopped it. */
  readonly wasStopped: boolean;
  /** If the container is known to have exited. */
  readonly exitCode?: number | undefined;
}

/** What may differ between two runs of a container. Undefined is unknown. */
export interface RunShape {
  readonly image: string;
  readonly imageId: string;
  readonly command: string;
  readonly mounts: readonly string[];
  readonly networks: readonly string[];
  /** Known if it was seen running: a list has no ports of others. */
  readonly ports: readonly string[] | undefined;
  /** The names of the variables, if somebody inspected it. */
  readonly environment?: readonly string[] | undefined;
  /** By their names, if somebody inspected it. */
  readonly limits?: Limits | undefined;
}

type Limits = Readonly<Record<string, number>>;

interface Run extends LastRun {
  shape: RunShape;
  readonly upSince: number;
  endedAt?: number;
  hasEnded: boolean;
  /** Whether its end was an event: lists may be later. */
  hasDied: boolean;
  /** Whether the limits were changed after it. */
  wasUpdated: boolean;
  hasHealthCheck: boolean;
  wasHealthy: boolean;
  wasStopped: boolean;
  exitCode?: number | undefined;
}

const NEW_RUN = {
  hasEnded: false,
  hasDied: false,
  wasUpdated: false,
  hasHealthCheck: false,
  wasHealthy: false,
  wasStopped: false,
} as const;

interface LastRunsOptions {
  readonly inventory: Pick<Inventory, 'containers' | 'ages' | 'stopped' | 'onDidChange'>;
  readonly events: Pick<EventRing, 'onDidRecord'>;
  readonly acts: Pick<OwnActs, 'endingOf'>;
  /** Returns the milliseconds since 1970. */
  readonly now: () => number;
}

/** Time after a command of Gantry for which it explains an end, in milliseconds. */
const RECENT_MS = 5000;
const MOST_RUNS = 500;
/** Of each list in a shape. */
const MOST_ENTRIES = 100;
/** A run without a health check that lasted this many milliseconds was good: what is wrong from the start fails sooner. */
const GOOD_MS = 60_000;

const ENDED: ReadonlySet<Container['state']> = new Set<Container['state']>([
  'exited',
  'dead',
  'restarting',
]);

/**
 * A run was good if it exited with 0, was stopped by a client, or was healthy; without a health check, if it lasted for
 * a minute. That one may still have ended with an error: it is compared with the run before it, and later runs with it.
 */
function hasWorked(run: Run, now: number): boolean {
  if (run.exitCode === 0 || run.wasStopped || run.wasHealthy) return true;
  return !run.hasHealthCheck && (run.endedAt ?? now) - run.upSince >= GOOD_MS;
}

/** Returns what is known of a run that begins after another. */
function nextShape({ shape, wasUpdated }: Run): RunShape {
  return wasUpdated ? { ...shape, limits: undefined } : shape;
}

function shapeOf(container: Container, known: RunShape | undefined): RunShape {
  const { image, imageId, command } = container;
  const isUp = hasProcess(container);
  return {
    image,
    imageId,
    command,
    mounts: container.mounts.slice(0, MOST_ENTRIES).map(formatMount),
    networks: container.networks.slice(0, MOST_ENTRIES).map(({ name }) => name),
    ports: isUp ? container.ports.slice(0, MOST_ENTRIES).map(formatPort) : undefined,
    environment: known?.environment,
    limits: known?.limits,
  };
}

/** As in `docker run --volume`. */
function formatMount({ type, volume, source, path, isReadOnly }: ContainerMount): string {
  return `${volume ?? source ?? type}:${path}${isReadOnly ? ':ro' : ''}`;
}

/** As in `docker run --publish`. */
function formatPort({ ip, publicPort, privatePort, protocol }: Port): string {
  const inside = `${privatePort}/${protocol}`;
  if (publicPort === undefined) return inside;
  return ip === undefined ? `${publicPort}:${inside}` : `${ip}:${publicPort}:${inside}`;
}

/** Puts an entry last, and drops the first if there are too many. */
function put(runs: Map<string, Run>, key: string, run: Run): void {
  runs.delete(key);
  runs.set(key, run);
  const [oldest] = runs.keys();
  if (runs.size > MOST_RUNS && oldest !== undefined) runs.delete(oldest);
}
