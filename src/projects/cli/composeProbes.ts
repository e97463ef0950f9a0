import { capabilitiesOf } from '../../engine/capabilities/capabilities.ts';
import type { Connection } from '../../engine/http/connection.ts';
import type { Disposable } from '../../base/lifetime.ts';
import { waitUntilHealthy, type WaitWorld } from '../waitUntilHealthy.ts';
import { containerOf, type ComposeEvent } from './composeProgress.ts';

/** Runs the health checks that a run of the compose CLI waits for, on engines that may not run them themselves. */
export class ComposeProbes implements Disposable {
  readonly #connect: (signal: AbortSignal) => Promise<Connection>;
  readonly #world: Omit<WaitWorld, 'connection'>;
  /** By the name of the container. */
  readonly #running = new Map<string, AbortController>();

  constructor(
    connect: (signal: AbortSignal) => Promise<Connection>,
    world: Omit<WaitWorld, 'connection'>,
  ) {
    this.#connect = connect;
    this.#world = world;
  }

  /** Handles a report of the CLI. The next report on a container ends its wait. */
  handle(event: ComposeEvent): void {
    const name = containerOf(event);
    if (name === undefined) return;
    this.#running.get(name)?.abort();
    this.#running.delete(name);
    if (event.status !== 'Waiting') return;
    const controller = new AbortController();
    this.#running.set(name, controller);
    // The CLI itself reports what is wrong with the container.
    this.#probe(name, controller.signal).catch(() => undefined);
  }

  /** Ends everything: the run is over. */
  dispose(): void {
    for (const one of this.#running.values()) one.abort();
    this.#running.clear();
  }

  async #probe(name: string, signal: AbortSignal): Promise<void> {
    const connection = await this.#connect(signal);
    const { runsHealthchecks } = capabilitiesOf(await connection.info(signal));
    if (!runsHealthchecks) await waitUntilHealthy(name, { ...this.#world, connection }, signal);
  }
}
