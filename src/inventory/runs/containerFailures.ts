import { KILLED, type Container, type ContainerState } from '../../engine/model.ts';
import type { MemoryKill, RunEnd } from '../../engine/containers/inspectEnd.ts';
import { DisposableStore, Emitter, type Disposable, type Event } from '../../base/lifetime.ts';
import type { Inventory } from '../inventory.ts';
import type { ContainerEvent, EventRing, RecordedEvent } from './eventRing.ts';
import type { OwnActs } from './ownActs.ts';

/**
 * Detects what goes wrong with containers: those that exit unexpectedly (they were running and exited with a failure
 * code that is not from a stop signal, or were killed because they were out of memory), restart again and again, or
 * become unhealthy. Watches the inventory and the recorded events, so it costs nothing while idle.
 */
export class ContainerFailures implements Disposable {
  readonly #options: ContainerFailuresOptions;
  readonly #store = new DisposableStore();
  readonly #failures = this.#store.add(new Emitter<ContainerFailure>());
  readonly #running = new Set<string>();
  /** When something was last reported, by its kind and container, in milliseconds. */
  readonly #reported = new Map<string, number>();
  /** The containers whose crash loop is reported and not over. */
  readonly #loops = new Set<string>();
  /** What looks whether a container still runs after a lack of memory. */
  readonly #checks = new Map<string, Disposable>();

  /** Fires for each failure, at most once a minute for each container and kind. */
  readonly onDidFail: Event<ContainerFailure> = this.#failures.event;

  constructor(parts: ContainerFailuresOptions) {
    this.#options = parts;
    for (const [id, { state }] of parts.inventory.containers)
      if (state === 'running') this.#running.add(id);
    this.#store.listen(parts.inventory.onDidChange, ({ containers }) => {
      for (const id of containers) this.#check(id);
    });
    this.#store.listen(parts.events.onDidRecord, (recorded) => this.#see(recorded));
  }

  dispose(): void {
    for (const check of this.#checks.values()) check.dispose();
    this.#store.dispose();
  }

  #see({ id, event }: RecordedEvent): void {
    const container = this.#options.inventory.containers.get(id);
    if (!container) return;
    if (event.health === 'unhealthy') this.#report(container, { kind: 'unhealthy' });
    if (event.action === 'die') this.#countExits(container, event);
    if (event.action === 'oom') this.#checkLater(id);
  }

  #checkLater(id: string): void {
    this.#checks.get(id)?.dispose();
    this.#checks.set(
      id,
      this.#options.after(OOM_MS, () => this.#survived(id)),
    );
  }

  /** Another process than the main one was killed, if the container still runs after a while. */
  #survived(id: string): void {
    this.#checks.delete(id);
    const container = this.#options.inventory.containers.get(id);
    const last = this.#options.events.eventsOf(id).findLast(({ action }) => ENDS.has(action));
    if (container?.state === 'running' && last?.action === 'oom')
      this.#report(container, { kind: 'processKilled' });
  }

  #countExits(container: Container, { exitCode }: ContainerEvent): void {
    const { events, now } = this.#options;
    const count = crashesIn(events.eventsOf(container.id), now() - LOOP_MS);
    if (count < LOOP_CRASHES) {
      this.#loops.delete(container.id);
    } else if (!this.#loops.has(container.id) && exitCode !== undefined) {
      this.#loops.add(container.id);
      this.#report(container, { kind: 'crashLoop', exitCode, count });
    }
  }

  #check(id: string): void {
    const container = this.#options.inventory.containers.get(id);
    if (!container) this.#forget(id);
    else if (container.state === 'running') this.#running.add(id);
    else if (ENDED.has(container.state)) this.#ended(container);
  }

  #ended(container: Container): void {
    const { id, exitCode } = container;
    if (!this.#running.delete(id)) return;
    if (exitCode === undefined || exitCode === 0 || this.#isRequested(id)) return;
    if (exitCode !== KILLED && STOP_EXIT_CODES.has(exitCode)) return;
    if (exitCode === KILLED || this.#options.hidesStops()) void this.#ask(container, exitCode);
    else this.#reportExit(container, { kind: 'exited', exitCode });
  }

  /**
   * Only the engine knows why a container was killed: if the engine does not know, a user killed it. Some engines say
   * only there that a client stopped it.
   */
  async #ask(container: Container, exitCode: number): Promise<void> {
    if (this.#isReported(container.id, 'exited')) return;
    const end = await this.#options.endOf(container.id).catch(() => undefined);
    if (end?.wasStopped && this.#isStop(container.id)) this.#options.onStopped(container.id);
    else if (end?.memoryKill)
      this.#reportExit(container, { kind: 'outOfMemory', exitCode, ...end.memoryKill });
    else if (exitCode !== KILLED) this.#reportExit(container, { kind: 'exited', exitCode });
  }

  /** Whether it can only have been a stop. Podman takes any signal that a client sent for one, also long before. */
  #isStop(id: string): boolean {
    const run = this.#options.events.eventsOf(id);
    const start = run.findLastIndex(({ action }) => action === 'start');
    return start >= 0 && run.slice(start).every(({ action }) => action !== 'kill');
  }

  /** Exits in a crash loop that is reported are not. */
  #reportExit(container: Container, failure: Failure): void {
    if (!this.#loops.has(container.id)) this.#report(container, failure);
  }

  #report({ id, name }: Container, failure: Failure): void {
    if (this.#isReported(id, failure.kind)) return;
    this.#reported.set(keyOf(id, failure.kind), this.#options.now());
    this.#failures.fire({ id, name, ...failure });
  }

  /** Whether a client has stopped the container, or a command of Gantry ends it now or has just ended it. */
  #isRequested(id: string): boolean {
    const { acts, inventory } = this.#options;
    return inventory.stopped.has(id) || acts.endingOf(id, MEANT_MS) !== undefined;
  }

  #isReported(id: string, kind: Failure['kind']): boolean {
    const at = this.#reported.get(keyOf(id, kind));
    return at !== undefined && this.#options.now() - at < AGAIN_MS;
  }

  #forget(id: string): void {
    this.#running.delete(id);
    this.#loops.delete(id);
    for (const kind of KINDS) this.#reported.delete(keyOf(id, kind));
  }
}

/** What went wrong with a container. */
export type ContainerFailure = Failure & { readonly id: string; readonly name: string };

type Failure =
  | { readonly kind: 'exited'; readonly exitCode: number }
  | ({ readonly kind: 'outOfMemory'; readonly exitCode: number } & MemoryKill)
  /** It exited again and again; `count`: how many times recently, the last time with `exitCode`. */
  | { readonly kind: 'crashLoop'; readonly exitCode: number; readonly count: number }
  /** A process in it was killed for lack of memory. It still runs. */
  | { readonly kind: 'processKilled' }
  | { readonly kind: 'unhealthy' };

interface ContainerFailuresOptions {
  readonly inventory: Pick<Inventory, 'containers' | 'stopped' | 'onDidChange'>;
  readonly events: Pick<EventRing, 'eventsOf' | 'onDidRecord'>;
  readonly acts: Pick<OwnActs, 'endingOf'>;
  /** Asks the engine how the last run ended. Called for exit code {@link KILLED}, and if it hides stops. */
  readonly endOf: (id: string) => Promise<RunEnd | undefined>;
  /** Whether the engine may send no event for a stop by another client. */
  readonly hidesStops: () => boolean;
  /** Called for what another client is found to have stopped. */
  readonly onStopped: (id: string) => void;
  readonly now: () => number;
  /** Runs a function after this many milliseconds. */
  readonly after: (ms: number, run: () => void) => Disposable;
}

/** The exit codes after a stop or kill: 128 plus SIGTERM, SIGKILL, SIGINT, SIGQUIT or SIGHUP. */
export const STOP_EXIT_CODES: ReadonlySet<number> = new Set([143, KILLED, 130, 131, 129]);
const ENDED: ReadonlySet<ContainerState> = new Set<ContainerState>([
  'exited',
  'dead',
  'restarting',
]);
/** Time for which a stop by Gantry explains an exit, in milliseconds. */
const MEANT_MS = 60_000;
const AGAIN_MS = 60_000;
/**
 * A crash loop is this many crashes within this many milliseconds. Engines wait a minute at most before they restart a
 * container, so a loop does not end while it waits.
 */
const LOOP_CRASHES = 3;
const LOOP_MS = 300_000;
/** Time after an `oom` event in which the container ends if its main process was killed, in milliseconds. */
const OOM_MS = 3000;
const ENDS: ReadonlySet<string> = new Set(['start', 'oom', 'die']);
const KINDS: readonly Failure['kind'][] = ['exited', 'crashLoop', 'processKilled', 'unhealthy'];

/** An exit without memory is an exit, too: both share one quiet time. */
function keyOf(id: string, kind: Failure['kind']): string {
  return `${kind === 'outOfMemory' ? 'exited' : kind} ${id}`;
}

/** The signals that a stop sends, as engines write them. */
const STOP_SIGNALS: ReadonlySet<string | undefined> = new Set([
  ...['15', '9', '2', '3'],
  ...['SIGTERM', 'SIGKILL', 'SIGINT', 'SIGQUIT'],
]);

/** Counts the crashes since a time, and since anything that Gantry did to the container. */
function crashesIn(events: readonly ContainerEvent[], since: number): number {
  let count = 0;
  let wasKilled = false;
  let wasStopped = false;
  for (const { action, at, exitCode = 0, verb, signal } of events) {
    if (verb) count = 0;
    if (action === 'start') wasKilled = wasStopped = false;
    // Another client stops it.
    if (action === 'kill') wasKilled = true;
    wasStopped ||= action === 'kill' && STOP_SIGNALS.has(signal);
    const isCrash =
      exitCode === KILLED
        ? !wasKilled
        : exitCode > 0 && !wasStopped && !STOP_EXIT_CODES.has(exitCode);
    if (action === 'die' && !verb && isCrash && at >= since) count += 1;
  }
  return count;
}
