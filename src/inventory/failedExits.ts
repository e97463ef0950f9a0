import { KILLED, type Container, type ContainerState } from '../engine/model.ts';
import { DisposableStore, Emitter, type Disposable, type Event } from '../base/lifetime.ts';
import type { Activity, Verb } from './activity.ts';
import type { Inventory } from './inventory.ts';

/**
 * Detects containers that exit unexpectedly: they were running and exited with a failure code that is not from a stop
 * signal, or were killed because they were out of memory. Watches the inventory, so it costs nothing while idle.
 */
export class FailedExits implements Disposable {
  readonly #options: FailedExitsOptions;
  readonly #store = new DisposableStore();
  readonly #exits = this.#store.add(new Emitter<FailedExit>());
  readonly #running = new Set<string>();
  /** When Gantry last stopped or removed each container, in milliseconds. */
  readonly #requested = new Map<string, number>();
  readonly #reported = new Map<string, number>();

  /** Fires for each unexpected exit, at most once a minute for each container. */
  readonly onDidFail: Event<FailedExit> = this.#exits.event;

  constructor(parts: FailedExitsOptions) {
    this.#options = parts;
    for (const [id, { state }] of parts.inventory.containers)
      if (state === 'running') this.#running.add(id);
    this.#store.listen(parts.inventory.onDidChange, ({ containers }) => {
      for (const id of containers) this.#check(id);
    });
    this.#store.listen(parts.activity.onDidChange, (ids) => {
      for (const id of ids) this.#recordVerb(id);
    });
  }

  dispose(): void {
    this.#store.dispose();
  }

  #recordVerb(id: string): void {
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

  /** Only the engine knows why a container was killed. If the engine does not know, a user killed it. */
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

  /** Whether a command of Gantry ends the container now or has just ended it. */
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

export interface FailedExit {
  readonly id: string;
  readonly name: string;
  readonly exitCode: number;
  /** Whether it was killed because it exceeded its memory limit. */
  readonly isOutOfMemory: boolean;
}

interface FailedExitsOptions {
  readonly inventory: Pick<Inventory, 'containers' | 'onDidChange'>;
  readonly activity: Pick<Activity, 'verbOf' | 'onDidChange'>;
  /** Asks the engine whether the last run was killed for lack of memory. Called only for exit code {@link KILLED}. */
  readonly wasOutOfMemory: (id: string) => Promise<boolean>;
  readonly now: () => number;
}

/** The exit codes after a stop or kill: 128 plus SIGTERM, SIGKILL, SIGINT, SIGQUIT or SIGHUP. */
export const STOP_EXIT_CODES: ReadonlySet<number> = new Set([143, KILLED, 130, 131, 129]);
const ENDED: ReadonlySet<ContainerState> = new Set<ContainerState>([
  'exited',
  'dead',
  'restarting',
]);
/** The commands that end a run. */
const ENDING: ReadonlySet<Verb> = new Set<Verb>([
  'stopping',
  'restarting',
  'recreating',
  'killing',
  'removing',
]);
/** Time for which a stop by Gantry explains an exit, in milliseconds. */
const MEANT_MS = 60_000;
const AGAIN_MS = 60_000;
