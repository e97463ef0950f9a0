import { capabilitiesOf } from '../engine/capabilities/capabilities.ts';
import type { RunEnd } from '../engine/containers/inspectEnd.ts';
import type { Engine } from '../engine/engine.ts';
import { exposureOf, type Machine } from '../engine/http/endpoint.ts';
import type { DiscoveryResult } from '../engine/discovery/endpointCandidate.ts';
import { Activity } from '../inventory/activity.ts';
import { Inventory } from '../inventory/inventory.ts';
import type { InventoryRequests } from '../inventory/inventoryRequests.ts';
import { ContainerFailures, type ContainerFailure } from '../inventory/runs/containerFailures.ts';
import { EventRing } from '../inventory/runs/eventRing.ts';
import type { LastRuns } from '../inventory/runs/lastRuns.ts';
import { OwnActs } from '../inventory/runs/ownActs.ts';
import type { Statistics } from '../statistics/statistics.ts';
import type { Watcher } from '../inventory/watcher.ts';
import { wallClock } from '../base/time.ts';
import { DisposableStore, once, type Disposable, type Event } from '../base/lifetime.ts';

/** One engine of this window with everything known about it. Shares no state with another engine. */
export class EngineUnit implements Disposable {
  readonly id: string;
  readonly name: string;
  readonly engine: Engine;
  readonly inventory: Inventory;
  readonly activity: Activity;
  /** The last events of its containers. */
  readonly events: EventRing;
  /** The last runs of its containers. Loaded once there are containers. */
  readonly runs = once(() => this.#openRuns());
  /** What its containers use. Loaded at the first use. */
  readonly statistics = once(() => this.#openStatistics());
  readonly requests: InventoryRequests;
  readonly #watcher: Watcher;
  readonly #acts: OwnActs;
  readonly #store = new DisposableStore();
  #loadedStatistics: Statistics | undefined;

  /** Fires when a container exits unexpectedly, restarts again and again, or becomes unhealthy. */
  readonly onDidFail: Event<ContainerFailure>;

  constructor({ id, name, engine, watch }: EngineUnitOptions) {
    this.id = id;
    this.name = name;
    this.engine = this.#store.add(engine);
    this.inventory = this.#store.add(new Inventory());
    this.activity = this.#store.add(new Activity());
    const { inventory, activity } = this;
    const acts = this.#store.add(new OwnActs({ activity, now: Date.now }));
    this.#acts = acts;
    this.events = this.#store.add(new EventRing({ inventory, acts, now: Date.now }));
    this.#watcher = this.#store.add(watch(this.engine, this.inventory));
    this.requests = this.#watcher.requests;
    this.#store.listen(engine.onDidChangeEndpoint, () => this.#watcher.reconnect());
    this.#store.listen(engine.onDidDoubt, () => this.requests.verify());
    const { events } = this;
    const looking = inventory.onDidChange(({ containers }) => {
      if (containers.size === 0) return;
      looking.dispose();
      void this.runs();
    });
    const failures = this.#store.add(
      new ContainerFailures({
        inventory,
        acts,
        events,
        now: Date.now,
        endOf: (container) => this.#endOf(container),
        hidesStops: () => {
          const { phase } = inventory;
          return phase.kind === 'live' && !capabilitiesOf(phase.info).reportsStops;
        },
        after: (ms, run) => wallClock.after(ms, run),
        onStopped: (container) => inventory.recordStop(container),
      }),
    );
    this.onDidFail = failures.onDidFail;
    this.#store.listen(this.onDidFail, ({ kind, id: container }) => {
      if (kind === 'outOfMemory') inventory.recordOutOfMemory(container);
    });
  }

  /** Whether the user disconnected it. */
  get isOff(): boolean {
    return this.inventory.phase.kind === 'off';
  }

  /** Whether it comes from the setting `gantry.engines` and can be removed from there. */
  get isAdded(): boolean {
    return this.id !== DEFAULT_ENGINE;
  }

  /** Whether its TLS certificate is not verified, so that another host can impersonate it. */
  get isUnchecked(): boolean {
    const { endpoint } = this.engine;
    return endpoint !== undefined && exposureOf(endpoint) === 'unchecked';
  }

  /** The statistics if they are loaded, for those who show what is known anyway. */
  get loadedStatistics(): Statistics | undefined {
    return this.#loadedStatistics;
  }

  /** Starts watching, unless the engine is disconnected. Later calls do nothing. */
  start(): void {
    if (!this.isOff) this.#watcher.start();
  }

  /** Reconnects now at the user's request, whatever failed before. */
  retry(): void {
    if (this.isOff) return;
    this.engine.retry();
    this.requests.renew();
  }

  /** Starts watching again after {@link disconnect}. */
  connect(): void {
    this.engine.allow();
    this.#watcher.start();
  }

  /** Closes the connection and clears the inventory, until {@link connect}. */
  disconnect(): void {
    this.#watcher.suspend();
    this.engine.disconnect();
  }

  /**
   * Disposes the unit because it is no longer in the settings. Its pending and later requests fail with
   * `engineRemoved`.
   */
  remove(): void {
    this.engine.remove();
    // Logs that wait for a container check again now and show why they end.
    this.#watcher.suspend();
    this.dispose();
  }

  dispose(): void {
    this.#store.dispose();
  }

  async #openRuns(): Promise<LastRuns> {
    const { LastRuns } = await import('../inventory/runs/lastRuns.ts');
    const { inventory, events } = this;
    const acts = this.#acts;
    return this.#store.add(new LastRuns({ inventory, events, acts, now: Date.now }));
  }

  async #openStatistics(): Promise<Statistics> {
    const { Statistics } = await import('../statistics/statistics.ts');
    const { engine, inventory, events } = this;
    this.#loadedStatistics = new Statistics({ engine, inventory, events, clock: wallClock });
    return this.#store.add(this.#loadedStatistics);
  }

  async #endOf(container: string): Promise<RunEnd | undefined> {
    const { inspectEnd } = await import('../engine/containers/inspectEnd.ts');
    return inspectEnd(await this.engine.connect(), container);
  }
}

/** The ID of the default engine: the one that the Docker CLI would use, unless `gantry.host` is set. */
export const DEFAULT_ENGINE = 'default';

/** The parts of a unit, besides its inventory. */
interface EngineUnitOptions {
  /** Part of row IDs; never changes. */
  readonly id: string;
  readonly name: string;
  readonly engine: Engine;
  readonly watch: (engine: Engine, inventory: Inventory) => Watcher;
}

/** Creates engines configured like those of the window. The caller disposes them. */
export interface EngineFactory {
  readonly machine: Machine;
  /** The version of Gantry. */
  readonly version: string;
  readonly create: CreateEngine;
  /**
   * Creates an engine to try an address. Its SSH connection stays open for 30 seconds, so that the engine that is added
   * can take it over.
   */
  readonly createTrial: CreateEngine;
}

/** @param name the prefix of the engine's requests in the log. */
export type CreateEngine = (name: string, discover: () => Promise<DiscoveryResult>) => Engine;
