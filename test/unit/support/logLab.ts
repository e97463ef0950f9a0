import { openConnection, type Connection } from '../../../src/engine/http/connection.ts';
import { Emitter } from '../../../src/base/lifetime.ts';
import type { ContainersChange } from '../../../src/logs/follow/changeLatch.ts';
import type { ContainerLogOptions } from '../../../src/logs/follow/containerLogOptions.ts';
import { LogRuns } from '../../../src/output/logRuns.ts';
import { FakeChannel } from './fakeChannel.ts';
import { HurriedClock } from './fakeClock.ts';
import { FakeContainer, type FakeContainerOptions } from './fakeContainer.ts';
import { startFakeEngine, type FakeEngine } from './fakeEngine.ts';

export const FOLLOW: ContainerLogOptions = { follow: true, tail: 'all', timestamps: false };
export const ONCE: ContainerLogOptions = { ...FOLLOW, follow: false };
export const EXITED = '[The container exited with code 3.]\n';
export const STARTED_AGAIN = '[The container was started again.]\n';
export const REMOVED = '[The container was removed.]\n';
export const ENGINE_REMOVED =
  '[The engine was changed or removed in the settings. The log ends here.]\n';
export const LOST = '[Connection to the engine lost. The log continues after reconnecting.]\n';

/** Resolves when the condition holds, checked on every turn of the event loop. */
export async function seen(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise(setImmediate);
}

/** A container on a fake engine and the output channels of its log. */
export class LogLab {
  readonly engine: FakeEngine;
  readonly changes = new Emitter<ContainersChange>();
  /** In order of creation. Trimming a log continues it in a new channel. */
  readonly channels: FakeChannel[] = [];
  /** The delays before each retry, in milliseconds. */
  readonly pauses: number[] = [];
  readonly runs: LogRuns;
  container = new FakeContainer();
  watched = 0;
  /** The maximum number of lines in a channel. */
  outputLines = 200_000;
  readonly connection: Connection;

  static async start(): Promise<LogLab> {
    return new LogLab(await startFakeEngine());
  }

  private constructor(engine: FakeEngine) {
    this.engine = engine;
    this.connection = openConnection({
      url: engine.url,
      transport: { kind: 'socket', path: engine.socket },
      source: 'setting',
    });
    this.runs = new LogRuns({
      connect: () => Promise.resolve(this.connection),
      onDidChangeContainers: this.changes.event,
      watch: () => this.watched++,
      clock: new HurriedClock(),
      outputLines: () => this.outputLines,
      pause: (milliseconds, signal) => this.#pause(milliseconds, signal),
      createChannel: (name) => this.#createChannel(name),
    });
    this.use({});
  }

  async stop(): Promise<void> {
    this.runs.dispose();
    this.connection.dispose();
    await this.engine.stop();
  }

  /** Removes the engine from the settings. */
  removeEngine(): void {
    this.connection.dispose('engineRemoved');
  }

  /** Replaces the container on the engine. */
  use(options: FakeContainerOptions): void {
    this.container = new FakeContainer(options);
    this.engine.answer(this.container.answer);
  }

  /** Reports a change of the container. */
  changed(): void {
    this.changes.fire({ containers: new Set([this.container.id]) });
  }

  open(
    view: ContainerLogOptions,
    name = 'web',
    id = this.container.id,
  ): Promise<{ readonly channel: string }> {
    return this.runs.open({ id, name }, view);
  }

  logRequests(): number {
    return this.engine.seen.filter(({ path }) => path.endsWith('/logs')).length;
  }

  inspections(): number {
    return this.engine.seen.filter(({ path }) => path.endsWith('/json')).length;
  }

  /** Runs an action before the engine answers the given inspect request, counted from 1. */
  beforeInspection(number: number, action: () => void): void {
    let asked = 0;
    this.engine.answer((request, response) => {
      if (request.path.endsWith('/json') && ++asked === number) action();
      return this.container.answer(request, response);
    });
  }

  #pause(milliseconds: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.pauses.push(milliseconds);
    return new Promise((resolve) => setImmediate(resolve));
  }

  #createChannel(name: string): FakeChannel {
    const channel = new FakeChannel(name);
    this.channels.push(channel);
    return channel;
  }
}
