import assert from 'node:assert/strict';
import type { Connection } from '../../../../src/engine/http/connection.ts';
import type { EngineError } from '../../../../src/engine/errors.ts';
import { Inventory, type InventoryChange } from '../../../../src/inventory/inventory.ts';
import { Watcher } from '../../../../src/inventory/watcher.ts';
import { DisposableStore, toDisposable } from '../../../../src/base/lifetime.ts';
import { FakeClock, turn } from '../../support/fakeClock.ts';
import { FakeWorld } from './fakeWorld.ts';

/** A watcher of a fake engine, with a clock that the test advances. */
export class Watched {
  readonly clock = new FakeClock();
  readonly inventory = new Inventory();
  readonly changes: InventoryChange[] = [];
  readonly watcher: Watcher;
  /** The signals of the connection requests. */
  readonly signals: AbortSignal[] = [];
  /** The pending `whenBack` callbacks; only while the engine is lost. */
  readonly signs: { readonly error: EngineError; readonly onBack: () => void }[] = [];
  world: FakeWorld;
  /** Returns the connection when the watcher connects. */
  connect: () => Promise<Connection>;
  readonly #store = new DisposableStore();
  readonly #worlds: FakeWorld[];

  private constructor(world: FakeWorld) {
    this.world = world;
    this.#worlds = [world];
    this.connect = () => Promise.resolve(this.open());
    this.inventory.onDidChange((change) => this.changes.push(change));
    this.watcher = new Watcher({
      inventory: this.inventory,
      connect: (signal) => {
        if (signal) this.signals.push(signal);
        return this.connect();
      },
      clock: this.clock,
      random: () => 0,
      whenBack: (error, onBack) => {
        this.signs.push({ error, onBack });
        return toDisposable(() => this.signs.shift());
      },
    });
  }

  /** Starts an engine with the containers `a` and `b` of the image `f`. */
  static async start(): Promise<Watched> {
    const watched = new Watched(await FakeWorld.start());
    watched.world.setContainer('a');
    watched.world.setContainer('b');
    watched.world.setImage('f', 'web:1');
    return watched;
  }

  /**
   * Opens a connection to the current engine, closed at the end. Its ping duration is 0, because the real one
   * would affect the limits.
   */
  open(): Connection {
    const connection = this.#store.add(this.world.connect());
    const ping = { configurable: true, get: () => 0, set: () => undefined };
    return Object.defineProperty(connection, 'lastPingMs', ping);
  }

  /** Replaces the engine by a new one. The old one keeps running and is returned. */
  async move(): Promise<FakeWorld> {
    const before = this.world;
    this.world = await FakeWorld.start();
    this.#worlds.push(this.world);
    return before;
  }

  /** Starts the watcher, waits until it is live and clears the recorded changes. */
  async live(): Promise<void> {
    this.watcher.start();
    await this.until(() => this.inventory.phase.kind === 'live');
    this.changes.length = 0;
  }

  /** Resolves when the condition is met; checks it after every inventory change. */
  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      await new Promise<void>((resolve) => {
        const subscription = this.inventory.onDidChange(() => {
          subscription.dispose();
          resolve();
        });
      });
    }
    await turn();
  }

  /** Waits until a timer of exactly this duration is set, and lets that time pass. */
  async pass(milliseconds: number): Promise<void> {
    await this.clock.asleep(milliseconds);
    this.clock.pass(milliseconds);
  }

  async stop(): Promise<void> {
    this.watcher.dispose();
    this.#store.dispose();
    await turn();
    assert.deepEqual(this.clock.sleeping, [], 'nobody waits after the end');
    assert.deepEqual(this.signs, [], 'nobody looks for signs after the end');
    for (const world of this.#worlds) await world.engine.stop();
  }
}
