import assert from 'node:assert/strict';
import type { Connection } from '../../../../src/engine/http/connection.ts';
import type { EngineError } from '../../../../src/engine/errors.ts';
import { Inventory, type InventoryChange } from '../../../../src/inventory/inventory.ts';
import { Watcher } from '../../../../src/inventory/watcher.ts';
import { DisposableStore, toDisposable } from '../../../../src/lifetime.ts';
import { FakeClock, turn } from '../../support/fakeClock.ts';
import { FakeWorld } from './fakeWorld.ts';

/** A watcher over a fake engine, in a time that passes when the test says so. */
export class Watched {
  readonly clock = new FakeClock();
  readonly inventory = new Inventory();
  readonly changes: InventoryChange[] = [];
  readonly watcher: Watcher;
  /** The signals that connections were asked for with. */
  readonly signals: AbortSignal[] = [];
  /** What would tell the watcher that its engine is back; only while it is lost. */
  readonly signs: { readonly error: EngineError; readonly onBack: () => void }[] = [];
  world: FakeWorld;
  /** What the watcher gets when it connects. */
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

  /** One engine with the containers `a` and `b` of the image `f`. */
  static async start(): Promise<Watched> {
    const watched = new Watched(await FakeWorld.start());
    watched.world.setContainer('a');
    watched.world.setContainer('b');
    watched.world.setImage('f', 'web:1');
    return watched;
  }

  /** A connection to the engine of now, closed at the end. */
  open(): Connection {
    return this.#store.add(this.world.connect());
  }

  /** Another engine takes the place of this one, which goes on. */
  async move(): Promise<FakeWorld> {
    const before = this.world;
    this.world = await FakeWorld.start();
    this.#worlds.push(this.world);
    return before;
  }

  /** Starts to watch and waits until it is live; what was asked and fired until then is forgotten. */
  async live(): Promise<void> {
    this.watcher.start();
    await this.until(() => this.inventory.phase.kind === 'live');
    this.changes.length = 0;
  }

  /** Resolves as soon as the inventory says so. */
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

  /** Waits until somebody sleeps for so long, and lets just that time pass. */
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
