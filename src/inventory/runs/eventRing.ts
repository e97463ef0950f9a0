import type { EngineEvent, Health } from '../../engine/model.ts';
import { DisposableStore, Emitter, type Disposable, type Event } from '../../base/lifetime.ts';
import type { Verb } from '../activity.ts';
import type { Inventory, InventoryChange } from '../inventory.ts';
import { ENDING, type OwnActs } from './ownActs.ts';

/**
 * The last events of each container, also of containers that were removed since. Engines keep few themselves. Fed by
 * the event stream that keeps the lists up to date, so it costs no request.
 */
export class EventRing implements Disposable {
  readonly #options: EventRingOptions;
  readonly #store = new DisposableStore();
  readonly #recorded = this.#store.add(new Emitter<RecordedEvent>());
  /** By container; the one with the newest event is the last. */
  readonly #events = new Map<string, ContainerEvent[]>();
  /** The containers whose last health event did not say the result. */
  readonly #unsure = new Set<string>();

  /** Fires for each event that is recorded. */
  readonly onDidRecord: Event<RecordedEvent> = this.#recorded.event;

  constructor(options: EventRingOptions) {
    this.#options = options;
    this.#store.listen(options.inventory.onDidSeeEvent, (event) => this.#see(event));
    this.#store.listen(options.inventory.onDidChange, (change) => this.#settleHealth(change));
  }

  /** Returns the events of a container by its full ID, the oldest first. */
  eventsOf(id: string): readonly ContainerEvent[] {
    return this.#events.get(id) ?? [];
  }

  dispose(): void {
    this.#store.dispose();
  }

  #see(event: EngineEvent): void {
    const action = ACTIONS.get(event.action);
    if (!action || event.id === '') return;
    const { id, health, at: engineAt, exitCode, signal } = event;
    if (action === 'health_status' && !health) this.#unsure.add(id);
    else
      this.#add(id, {
        at: localTime(engineAt, this.#options.now()),
        ...(engineAt === undefined ? {} : { engineAt }),
        action,
        ...(exitCode === undefined ? {} : { exitCode }),
        ...(signal === undefined ? {} : { signal }),
        ...(health === undefined ? {} : { health }),
      });
  }

  /** Podman may send a health event that does not say the result. The list does. */
  #settleHealth({ containers }: InventoryChange): void {
    for (const id of containers) {
      if (!this.#unsure.delete(id)) continue;
      const health = this.#options.inventory.containers.get(id)?.health;
      if (health) this.#add(id, { at: this.#options.now(), action: 'health_status', health });
    }
  }

  #add(id: string, event: Omit<ContainerEvent, 'verb'>): void {
    const before = this.#events.get(id);
    // Gantry's own short-lived containers are created and removed, but never started.
    if (!before && event.action === 'destroy') return;
    if (before && isKnown(before, event)) return;
    const recorded = { ...event, ...this.#cause(id, event) };
    const events = [...(before ?? []), recorded].slice(-MOST_EVENTS);
    this.#events.delete(id);
    this.#events.set(id, events);
    const [oldest] = this.#events.keys();
    if (this.#events.size > MOST_CONTAINERS && oldest !== undefined) this.#forget(oldest);
    this.#recorded.fire({ id, event: recorded });
  }

  #forget(id: string): void {
    this.#events.delete(id);
    this.#unsure.delete(id);
  }

  #cause(id: string, { action, at }: Omit<ContainerEvent, 'verb'>): Pick<ContainerEvent, 'verb'> {
    const { acts } = this.#options;
    const verbs = CAUSES.get(action);
    const verb = verbs && acts.recent(id, verbs, RECENT_MS);
    // What ends the container from now on is not a command before this start. The event may be late.
    if (action === 'start') acts.forget(id, at);
    return verb ? { verb } : {};
  }
}

/** What happened to a container, under Docker's names. */
export interface ContainerEvent {
  /** Time of this machine, in milliseconds since 1970. */
  readonly at: number;
  /** The same by the clock of the engine, as in the timestamps of its logs, if reported. */
  readonly engineAt?: number;
  readonly action: ContainerAction;
  /** Of a `die`, if reported. */
  readonly exitCode?: number;
  /** Of a `kill`, if reported: a number or a name. */
  readonly signal?: string;
  /** Of a `health_status`. Recorded only if it changed: Podman sends an event for each check. */
  readonly health?: Health;
  /** The command of Gantry that caused it. */
  readonly verb?: Verb;
}

/** An event and its container. */
export interface RecordedEvent {
  readonly id: string;
  readonly event: ContainerEvent;
}

export type ContainerAction =
  | 'start'
  | 'restart'
  | 'stop'
  | 'kill'
  | 'die'
  | 'oom'
  | 'health_status'
  | 'pause'
  | 'unpause'
  | 'update'
  | 'destroy';

interface EventRingOptions {
  readonly inventory: Pick<Inventory, 'containers' | 'onDidChange' | 'onDidSeeEvent'>;
  readonly acts: Pick<OwnActs, 'recent' | 'forget'>;
  /** Returns the milliseconds since 1970. */
  readonly now: () => number;
}

/** Enough for 20 runs that end at once. */
const MOST_EVENTS = 50;
const MOST_CONTAINERS = 500;
/** Time after a command of Gantry for which it explains an event, in milliseconds. */
const RECENT_MS = 5000;
/** Difference up to which a time of the engine is taken as a time of this machine, in milliseconds. */
const SAME_CLOCK_MS = 10_000;

const NAMES: readonly ContainerAction[] = [
  ...(['start', 'restart', 'stop', 'kill', 'die', 'oom', 'health_status'] as const),
  ...(['pause', 'unpause', 'update', 'destroy'] as const),
];
/** The recorded events by the names of Docker and Podman. */
const ACTIONS: ReadonlyMap<string, ContainerAction> = new Map<string, ContainerAction>([
  ...NAMES.map((name) => [name, name] as const),
  ['died', 'die'],
  ['remove', 'destroy'],
]);

/** The commands that cause an event. */
const CAUSES: ReadonlyMap<ContainerAction, ReadonlySet<Verb>> = new Map<
  ContainerAction,
  ReadonlySet<Verb>
>([
  ['start', new Set<Verb>(['starting', 'restarting', 'recreating'])],
  ['restart', new Set<Verb>(['restarting'])],
  ['stop', ENDING],
  ['kill', ENDING],
  ['die', ENDING],
  ['destroy', ENDING],
  ['pause', new Set<Verb>(['pausing', 'committing'])],
  ['unpause', new Set<Verb>(['unpausing', 'committing'])],
]);

/** The time of the engine, unless its clock differs: then the event has happened just now. */
function localTime(engineAt: number | undefined, now: number): number {
  const isSame = engineAt !== undefined && engineAt <= now && now - engineAt < SAME_CLOCK_MS;
  return isSame ? Math.round(engineAt) : now;
}

/** Whether an event is replayed after a reconnect, or a health check had the same result as the one before. */
function isKnown(events: readonly ContainerEvent[], event: Omit<ContainerEvent, 'verb'>): boolean {
  const { action, engineAt, health } = event;
  if (engineAt !== undefined)
    for (const one of events) if (one.engineAt === engineAt && one.action === action) return true;
  if (action !== 'health_status') return false;
  const last = events.findLast((one) => one.action === action || one.action === 'start');
  return last?.health === health;
}
