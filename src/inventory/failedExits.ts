import type { Container, ContainerState } from '../engine/model.ts';
import { Emitter, type Disposable, type Event } from '../lifetime.ts';
import type { Activity, Verb } from './activity.ts';
import type { Inventory } from './inventory.ts';

/**
 * Tells containers that die unexpectedly: they ran, and end with a status that is a failure and comes of no signal,
 * or because they were out of memory. Read from the inventory, so it costs nothing while nothing happens.
 */
export class FailedExits implements Disposable {
  readonly #options: FailedExitsOptions;
  readonly #subscriptions: readonly Disposable[];
  readonly #exits = new Emitter<FailedExit>();
  readonly #running = new Set<string>();
  /** When we last ended, or removed, each container. */
  readonly #requested = new Map<string, number>();
  readonly #reported = new Map<string, number>();

  /** Fires for each, but for one container only once in a minute. */
  readonly onDidFail: Event<FailedExit> = this.#exits.event;

  constructor(parts: FailedExitsOptions) {
    this.#options = parts;
    for (const [id, { state }] of parts.inventory.containers) {
      if (state === 'running') this.#running.add(id);
    }
    this.#subscriptions = [
      parts.inventory.onDidChange(({ containers }) => {
        for (const id of containers) this.#check(id);
      }),
      parts.activity.onDidChange((ids) => {
        for (const id of ids) this.#noteVerb(id);
      }),
    ];
  }

  dispose(): void {
    for (const one of this.#subscriptions) one.dispose();
    this.#exits.dispose();
  }

  #noteVerb(id: string): void {
    const verb = this.#options.activity.verbOf(id);
    const isOver = verb === undefined && this.#requested.has(id);
    if (isOver || (verb && ENDING.has(verb))) this.#requested.set(id, this.#options.now());
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
    if (exitCode === KILLED) void this.#killed(container, exitCode);
    else if (!STOP_EXIT_CODES.has(exitCode)) this.#report(container, exitCode, false);
  }

  /** Only the engine knows who killed it; where it cannot say, it was somebody. */
  async #killed(container: Container, exitCode: number): Promise<void> {
    if (this.#isReported(container.id)) return;
    const isOutOfMemory = await this.#options.wasOutOfMemory(container.id).catch(() => false);
    if (isOutOfMemory) this.#report(container, exitCode, true);
  }

  #report({ id, name }: Container, exitCode: number, isOutOfMemory: boolean): void {
    if (this.#isReported(id)) return;
    this.#reported.set(id, this.#options.now());
    this.#exits.fire({ id, name, exitCode, isOutOfMemory });
  }

  /** Our own verb, under way or just over. */
  #isRequested(id: string): boolean {
    const verb = this.#options.activity.verbOf(id);
    if (verb && ENDING.has(verb)) return true;
    const at = this.#requested.get(id);
    return at !== undefined && this.#options.now() - at < MEANT_MS;
  }

  #isReported(id: string): boolean {
    const at = this.#reported.get(id);
    return at !== undefined && this.#options.now() - at < AGAIN_MS;
  }

  #forget(id: string): void {
    this.#running.delete(id);
    this.#requested.delete(id);
    this.#reported.delete(id);
  }
}

/** A container that died though nobody meant it to. */
export interface FailedExit {
  readonly id: string;
  readonly name: string;
  readonly exitCode: number;
  /** Whether it was killed because it took more memory than it may. */
  readonly isOutOfMemory: boolean;
}

/** What failed exits are read from. */
export interface FailedExitsOptions {
  readonly inventory: Pick<Inventory, 'containers' | 'onDidChange'>;
  readonly activity: Pick<Activity, 'verbOf' | 'onDidChange'>;
  /** Whether the engine says that the run that has just ended was out of memory. Asked for {@link KILLED} alone. */
  readonly wasOutOfMemory: (id: string) => Promise<boolean>;
  /** Milliseconds. */
  readonly now: () => number;
}

/** What a kill leaves behind: somebody's, or the machine's for want of memory. */
const KILLED = 137;
/** What an engine's stop and kill leave behind: 128 and the signal TERM, KILL, INT, QUIT or HUP. */
export const STOP_EXIT_CODES: ReadonlySet<number> = new Set([143, KILLED, 130, 131, 129]);
const ENDED: ReadonlySet<ContainerState> = new Set<ContainerState>([
  'exited',
  'dead',
  'restarting',
]);
/** What we do to end a run. */
const ENDING: ReadonlySet<Verb> = new Set<Verb>(['stopping', 'restarting', 'killing', 'removing']);
/** For so long a stop of ours explains an exit. */
const MEANT_MS = 60_000;
const AGAIN_MS = 60_000;
