import { openConnection, type Connection } from '../../../../../src/engine/http/connection.ts';
import type { Container } from '../../../../../src/engine/model.ts';
import { Emitter, toDisposable } from '../../../../../src/base/lifetime.ts';
import type { ContainersChange } from '../../../../../src/logs/follow/changeLatch.ts';
import { markerMessage } from '../../../../../src/logs/follow/logMarker.ts';
import {
  LogSet,
  type LogSelection,
  type LogSetLimits,
} from '../../../../../src/logs/follow/logSet.ts';
import { FakeContainer } from '../../../support/fakeContainer.ts';
import { json, startFakeEngine, type FakeEngine } from '../../../support/fakeEngine.ts';
import { collectGarbage } from '../../../support/collectGarbage.ts';
import { seen } from '../../../support/logLab.ts';

/** An engine whose containers write logs, and the set that merges them. Close it in `afterEach`. */
export class LogSetLab {
  readonly engine: FakeEngine;
  readonly #connection: Connection;
  readonly changes = new Emitter<ContainersChange>();
  /** What the engine has, by ID. */
  readonly there = new Map<string, FakeContainer>();
  /** What is listed, by ID. */
  listed = new Map<string, Container>();
  areAllKnown = true;
  /** The lines and markers, each after the number of its member. */
  readonly said: string[] = [];
  caughtUp = 0;
  listeners = 0;
  /** Each log has a signal of its own. */
  readonly #signals: WeakRef<AbortSignal>[] = [];
  set: LogSet | undefined;

  static async open(): Promise<LogSetLab> {
    return new LogSetLab(await startFakeEngine());
  }

  private constructor(engine: FakeEngine) {
    this.engine = engine;
    engine.answer((request, response) => {
      const container = this.there.get(request.path.split('/')[2] ?? '');
      if (container) return container.answer(request, response);
      json(response, 404, { message: 'No such container' });
    });
    this.#connection = openConnection({
      url: engine.url,
      transport: { kind: 'socket', path: engine.socket },
      source: 'setting',
    });
  }

  async close(): Promise<void> {
    this.set?.dispose();
    this.#connection.dispose();
    await this.engine.stop();
  }

  /** Creates a container of a compose project. */
  make(id: string, name: string, project = 'shop'): FakeContainer {
    const container = new FakeContainer({ id, behaviour: 'docker24' });
    this.there.set(id, container);
    const labels = {
      'com.docker.compose.project': project,
      'com.docker.compose.config-hash': 'hash',
      'com.docker.compose.service': name,
    };
    this.listed.set(id, { id, name, labels } as unknown as Container);
    return container;
  }

  changed(id: string): void {
    this.changes.fire({ containers: new Set([id]) });
  }

  async open(
    selection: LogSelection,
    tail = 100,
    whenListed?: () => Promise<void>,
    limits?: LogSetLimits,
  ): Promise<LogSet> {
    const sink = {
      lines: (member: number, lines: readonly { readonly text: string }[]) => {
        this.said.push(...lines.map(({ text }) => `${member} ${text}`));
        return Promise.resolve();
      },
      marker: (member: number, marker: Parameters<typeof markerMessage>[0]) => {
        this.said.push(`${member} [${markerMessage(marker)}]`);
        return Promise.resolve();
      },
      caughtUp: () => {
        this.caughtUp++;
      },
    };
    this.set = new LogSet(selection, { tail, limits }, sink, {
      connect: (signal) => {
        if (signal) this.#signals.push(new WeakRef(signal));
        return Promise.resolve(this.#connection);
      },
      onDidChangeContainers: (listener) => {
        const subscription = this.changes.event(listener);
        this.listeners++;
        return toDisposable(() => {
          this.listeners--;
          subscription.dispose();
        });
      },
      watch: () => undefined,
      whenListed,
      containers: () => this.listed,
      areAllKnown: () => this.areAllKnown,
      pause: () => new Promise((resolve) => setImmediate(resolve)),
    });
    await this.set.open();
    return this.set;
  }

  /** Returns how many logs are in memory. */
  logsInMemory(): number {
    collectGarbage();
    return new Set(this.#signals.flatMap((signal) => signal.deref() ?? [])).size;
  }

  /** Starts three containers whose times differ a little. */
  threeInStep(): readonly FakeContainer[] {
    const containers = IDS.slice(0, 3).map((id, index) => this.make(id, `web${index}`));
    for (const [index, container] of containers.entries()) {
      container.start();
      container.wait(BigInt(index * 1000));
    }
    return containers;
  }

  /** Starts two containers at the same time. */
  twoStarted(): readonly [FakeContainer, FakeContainer] {
    const containers = [this.make(IDS[0]!, 'web0'), this.make(IDS[1]!, 'web1')] as const;
    for (const container of containers) container.start();
    return containers;
  }

  /** Creates containers that write a line each, and waits until all are followed. */
  async come(numbers: readonly number[]): Promise<void> {
    for (const number of numbers) {
      const container = this.make(idOf(number), `run-${number}`);
      container.start();
      container.write(`line of ${number}\n`);
      this.changed(container.id);
    }
    const missing = new Set(numbers.map((number) => `line of ${number}`));
    let read = 0;
    await seen(() => {
      for (; read < this.said.length; read++) missing.delete(this.said[read]!.replace(/^\d+ /, ''));
      return missing.size === 0;
    });
  }

  /** Removes these containers, and waits until their logs are over. */
  async go(numbers: readonly number[]): Promise<void> {
    const staying = new Set(numbers.map(idOf));
    const over = new Promise<void>((resolve) => {
      const subscription = this.set?.onDidChangeMembers(() => {
        for (const { id, isOver } of this.set?.members ?? []) if (isOver) staying.delete(id);
        if (staying.size > 0) return;
        subscription?.dispose();
        resolve();
      });
    });
    for (const number of numbers) {
      this.there.get(idOf(number))?.remove();
      this.there.delete(idOf(number));
      this.listed.delete(idOf(number));
      this.changed(idOf(number));
    }
    await over;
  }
}

export const IDS = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(64));

/** Returns the ID of one of many containers. */
export function idOf(number: number): string {
  return number.toString(16).padStart(64, '0');
}

/** Writes a line to each container in turn, each slightly later than the one before. */
export function writeInTurn(
  containers: readonly FakeContainer[],
  from: number,
  to: number,
): string[] {
  const written: string[] = [];
  for (let line = from; line < to; line++)
    for (const [index, container] of containers.entries()) {
      container.write(`${line}\n`);
      written.push(`${index} ${line}`);
    }
  return written;
}

/** Writes a line to the first container, then ten to the second one, and so on, each later than the one before. */
export function writeUnevenly(
  [quiet, busy]: readonly [FakeContainer, FakeContainer],
  turns: number,
): string[] {
  const written: string[] = [];
  for (let turn = 0; turn < turns; turn++) {
    quiet.write(`${turn}\n`);
    written.push(`0 ${turn}`);
    quiet.wait(10_000_000n);
    busy.wait(1_000_000n);
    for (let line = 10 * turn; line < 10 * (turn + 1); line++) {
      busy.write(`${line}\n`);
      written.push(`1 ${line}`);
    }
  }
  return written;
}
