import assert from 'node:assert/strict';
import { openConnection, type Connection } from '../../../../src/engine/http/connection.ts';
import type { Container } from '../../../../src/engine/model.ts';
import { english } from '../../../../src/l10n.ts';
import { Emitter, toDisposable } from '../../../../src/lifetime.ts';
import type { ContainersChange } from '../../../../src/logs/follow/changeLatch.ts';
import {
  LogSet,
  type LogSelection,
  type LogSetLimits,
} from '../../../../src/logs/follow/logSet.ts';
import { markerMessage } from '../../../../src/logs/follow/logMarker.ts';
import { FakeContainer } from '../../support/fakeContainer.ts';
import { json, startFakeEngine, type FakeEngine } from '../../support/fakeEngine.ts';
import { liveMemory } from '../../support/liveMemory.ts';
import { seen } from '../../support/logLab.ts';

const IDS = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(64));

describe('the merged logs of several containers', () => {
  let engine: FakeEngine;
  let connection: Connection;
  let changes: Emitter<ContainersChange>;
  let there: Map<string, FakeContainer>;
  let listed: Map<string, Container>;
  let areAllKnown: boolean;
  let said: string[];
  let caughtUp: number;
  let set: LogSet | undefined;
  let listeners: number;

  beforeEach(async () => {
    engine = await startFakeEngine((request, response) => {
      const container = there.get(request.path.split('/')[2] ?? '');
      if (container) return container.answer(request, response);
      json(response, 404, { message: 'No such container' });
    });
    connection = openConnection({
      url: engine.url,
      transport: { kind: 'socket', path: engine.socket },
      source: 'setting',
    });
    changes = new Emitter();
    there = new Map();
    listed = new Map();
    areAllKnown = true;
    said = [];
    caughtUp = 0;
    listeners = 0;
  });

  afterEach(async () => {
    set?.dispose();
    connection.dispose();
    await engine.stop();
  });

  function make(id: string, name: string, project = 'shop'): FakeContainer {
    const container = new FakeContainer({ id, behaviour: 'docker24' });
    there.set(id, container);
    const labels = { 'com.docker.compose.project': project, 'com.docker.compose.service': name };
    listed.set(id, { id, name, labels } as unknown as Container);
    return container;
  }

  function changed(id: string): void {
    changes.fire({ containers: new Set([id]) });
  }

  async function open(
    selection: LogSelection,
    tail = 100,
    whenListed?: () => Promise<void>,
    limits?: LogSetLimits,
  ): Promise<LogSet> {
    const sink = {
      lines: (member: number, lines: readonly { readonly text: string }[]) => {
        said.push(...lines.map(({ text }) => `${member} ${text}`));
        return Promise.resolve();
      },
      marker: (member: number, marker: Parameters<typeof markerMessage>[0]) => {
        said.push(`${member} [${markerMessage(marker, english)}]`);
        return Promise.resolve();
      },
      caughtUp: () => {
        caughtUp++;
      },
    };
    set = new LogSet(selection, { tail, limits }, sink, {
      connect: () => Promise.resolve(connection),
      onDidChangeContainers: (listener) => {
        const subscription = changes.event(listener);
        listeners++;
        return toDisposable(() => {
          listeners--;
          subscription.dispose();
        });
      },
      watch: () => undefined,
      l10n: english,
      whenListed,
      containers: () => listed,
      areAllKnown: () => areAllKnown,
      pause: () => new Promise((resolve) => setImmediate(resolve)),
    });
    await set.open();
    return set;
  }

  /** Writes a line to each container in turn, each slightly later than the one before. */
  function writeInTurn(containers: readonly FakeContainer[], from: number, to: number): string[] {
    const written: string[] = [];
    for (let line = from; line < to; line++)
      for (const [index, container] of containers.entries()) {
        container.write(`${line}\n`);
        written.push(`${index} ${line}`);
      }
    return written;
  }

  function threeInStep(): readonly FakeContainer[] {
    const containers = IDS.slice(0, 3).map((id, index) => make(id, `web${index}`));
    for (const [index, container] of containers.entries()) {
      container.start();
      container.wait(BigInt(index * 1000));
    }
    return containers;
  }

  it('begin with the ends of all logs, merged by time, and then call caughtUp', async () => {
    const expected = writeInTurn(threeInStep(), 0, 40);
    await open({ ids: IDS.slice(0, 3) });
    assert.deepEqual(said, expected);
    assert.equal(caughtUp, 1);
  });

  it('are paged backwards without doubled or missing lines', async () => {
    const expected = writeInTurn(threeInStep(), 0, 400);
    const opened = await open({ ids: IDS.slice(0, 3) }, 5);
    assert.deepEqual(said, expected.slice(-15));
    let lines = said;
    for (let isStart = false; !isStart;) {
      const page = await opened.older(70, new AbortController().signal);
      const { lines: older, horizon } = page;
      if (older.length > 0) assert.equal(horizon, older[0]?.line.timestamp);
      lines = [...older.map(({ member, line }) => `${member} ${line.text}`), ...lines];
      ({ isStart } = page);
    }
    assert.deepEqual(lines, expected);
  });

  it('lose no line when a page request is aborted', async () => {
    const expected = writeInTurn(threeInStep(), 0, 400);
    const opened = await open({ ids: IDS.slice(0, 3) }, 5);
    const controller = new AbortController();
    const page = opened.older(600, controller.signal);
    await seen(() => engine.seen.filter(({ query }) => query.has('until')).length > 0);
    controller.abort();
    await assert.rejects(page);
    const { lines } = await opened.older(60, new AbortController().signal);
    const older = lines.map(({ member, line }) => `${member} ${line.text}`);
    assert.deepEqual([...older, ...said], expected.slice(-75));
  });

  it('are paged backwards also if that is requested before a slow log is open', async () => {
    const container = make(IDS[0]!, 'web');
    container.start();
    const expected = writeInTurn([container], 0, 40);
    const [list, answer] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    engine.answer(async (request, response) => {
      await answer.promise;
      return container.answer(request, response);
    });
    const opening = open({ ids: [IDS[0]!] }, 5, () => list.promise);
    const { signal } = new AbortController();
    const first = set!.older(10, signal);
    list.resolve(undefined);
    await seen(() => engine.seen.some(({ path }) => path.endsWith('/json')));
    const second = set!.older(10, signal);
    answer.resolve(undefined);
    await opening;
    const older = [...(await second).lines, ...(await first).lines];
    const texts = older.map(({ member, line }) => `${member} ${line.text}`);
    assert.deepEqual([...texts, ...said], expected.slice(-25));
  });

  it('are paged backwards also if the engine was lost when they were opened', async () => {
    const container = make(IDS[0]!, 'web');
    container.start();
    const expected = writeInTurn([container], 0, 40);
    engine.answer((_, response) => {
      response.destroy();
    });
    const opened = await open({ ids: [IDS[0]!] }, 5);
    assert.equal(caughtUp, 1);
    const answer = Promise.withResolvers<undefined>();
    engine.answer(async (request, response) => {
      await answer.promise;
      return container.answer(request, response);
    });
    const before = engine.seen.length;
    await seen(() => engine.seen.length > before);
    const page = opened.older(10, new AbortController().signal);
    answer.resolve(undefined);
    const older = (await page).lines.map(({ member, line }) => `${member} ${line.text}`);
    await seen(() => said.includes('0 39'));
    const [lost, ...lines] = said;
    assert.match(lost ?? '', /Connection to the engine lost/);
    assert.deepEqual([...older, ...lines], expected.slice(-15));
  });

  it('continue with every line, each log in order', async () => {
    const containers = threeInStep();
    await open({ ids: IDS.slice(0, 3) });
    writeInTurn(containers, 0, 500);
    await seen(() => said.length === 1500);
    for (const index of [0, 1, 2])
      assert.deepEqual(
        said.filter((one) => one.startsWith(`${index} `)),
        Array.from({ length: 500 }, (_, line) => `${index} ${line}`),
      );
  });

  it('include later containers of a project from their first line', async () => {
    make(IDS[0]!, 'web').start();
    make(IDS[1]!, 'other', 'elsewhere').start();
    const opened = await open({ ids: [], project: 'shop' });
    assert.deepEqual(
      opened.members.map(({ name, service }) => [name, service]),
      [['web', 'web']],
    );
    const replica = make(IDS[2]!, 'web-2');
    replica.start();
    replica.write('first\n');
    changed(IDS[2]!);
    changed(IDS[1]!);
    await seen(() => said.length === 1);
    assert.deepEqual(said, ['1 first']);
    assert.equal(opened.members.length, 2);
  });

  it('treat a container that comes before the list is complete as existing, not as new', async () => {
    const web = make(IDS[0]!, 'web');
    web.start();
    for (const line of [1, 2, 3]) web.write(`${line}\n`);
    const late = [...listed];
    listed.clear();
    await open({ ids: [], project: 'shop' }, 1, async () => {
      await new Promise(setImmediate);
      listed = new Map(late);
      changed(IDS[0]!);
    });
    assert.deepEqual(said, ['0 3']);
  });

  it('follow no container if they are disposed before the list is complete', async () => {
    make(IDS[0]!, 'web').start();
    await open({ ids: [IDS[0]!] }, 1, async () => {
      await new Promise(setImmediate);
      set?.dispose();
    });
    assert.deepEqual([engine.seen.length, listeners, caughtUp], [0, 0, 0]);
    assert.deepEqual(set?.members, []);
  });

  it('show how a service is recreated', async () => {
    const old = make(IDS[0]!, 'web');
    old.start();
    old.write('old\n');
    const opened = await open({ ids: [], project: 'shop' });
    old.exit(3);
    await seen(() => said.length === 2);
    old.remove();
    listed.delete(IDS[0]!);
    changed(IDS[0]!);
    await seen(() => said.length === 3);
    const young = make(IDS[1]!, 'web');
    changed(IDS[1]!);
    await seen(() => engine.seen.some(({ path }) => path.includes(IDS[1]!)));
    young.start();
    young.write('new\n');
    changed(IDS[1]!);
    await seen(() => said.includes('1 new'));
    assert.deepEqual(
      said.filter((one) => !one.includes('was started')),
      ['0 old', '0 [The container exited with code 3.]', '0 [The container was removed.]', '1 new'],
    );
    assert.deepEqual(
      opened.members.map(({ isOver }) => isOver),
      [true, false],
    );
  });

  it('are not blocked by a log that cannot be read', async () => {
    make(IDS[0]!, 'web').start();
    there.get(IDS[0]!)!.write('here\n');
    const opened = await open({ ids: [IDS[1]!, IDS[0]!] });
    assert.deepEqual(said.sort(), ['0 [The container was removed.]', '1 here']);
    const { isStart } = await opened.older(10, new AbortController().signal);
    assert.equal(isStart, true);
  });

  const idOf = (number: number): string => number.toString(16).padStart(64, '0');

  /** Creates containers that write a line each, and waits until all are followed. */
  async function come(numbers: readonly number[]): Promise<void> {
    for (const number of numbers) {
      const container = make(idOf(number), `run-${number}`);
      container.start();
      container.write(`line of ${number}\n`);
      changed(container.id);
    }
    const missing = new Set(numbers.map((number) => `line of ${number}`));
    let read = 0;
    await seen(() => {
      for (; read < said.length; read++) missing.delete(said[read]!.replace(/^\d+ /, ''));
      return missing.size === 0;
    });
  }

  async function go(numbers: readonly number[]): Promise<void> {
    const staying = new Set(numbers.map(idOf));
    const over = new Promise<void>((resolve) => {
      const subscription = set?.onDidChangeMembers(() => {
        for (const { id, isOver } of set?.members ?? []) if (isOver) staying.delete(id);
        if (staying.size > 0) return;
        subscription?.dispose();
        resolve();
      });
    });
    for (const number of numbers) {
      there.get(idOf(number))?.remove();
      there.delete(idOf(number));
      listed.delete(idOf(number));
      changed(idOf(number));
    }
    await over;
  }

  it('keep nothing but some names of many removed containers', async function () {
    this.timeout(30_000);
    const limits = { gone: 60, numbers: 4096 };
    const opened = await open({ ids: [], project: 'shop' }, 100, undefined, limits);
    const pass = async (from: number, to: number): Promise<void> => {
      for (let number = from; number < to; number += 40) {
        const numbers = Array.from({ length: Math.min(40, to - number) }, (_, at) => number + at);
        await come(numbers);
        await go(numbers);
        said.length = 0;
        (engine.seen as unknown[]).length = 0;
      }
    };
    // Allocates what is allocated once, and the names.
    await pass(0, 80);
    const before = { heap: liveMemory(), listeners };
    await pass(80, 200);
    assert.equal(listeners, before.listeners);
    assert.equal(listeners, 1);
    assert.equal(opened.members.length, 60);
    const grown = (liveMemory() - before.heap) / 2 ** 20;
    assert.ok(grown < 0.3, `${grown} MiB`);
  });

  it('reuse the number of a removed member, and assign no number twice', async () => {
    const limits = { gone: 100, numbers: 200 };
    const opened = await open({ ids: [], project: 'shop' }, 100, undefined, limits);
    await come([0]);
    // They are gone before they are inspected, so none of them stays.
    for (let number = 1; number < 240; number++) {
      make(idOf(number), `run-${number}`);
      there.delete(idOf(number));
      changed(idOf(number));
      if (number % 40 === 0)
        await seen(() => opened.members.filter(({ isOver }) => !isOver).length === 1);
    }
    await come([5000]);
    const indexes = opened.members.map(({ index }) => index);
    assert.equal(new Set(indexes).size, indexes.length);
    assert.ok(Math.max(...indexes) < 200);
    assert.equal(indexes[0], 0);
  });

  it('report that the limit is reached, and follow the waiting containers when there is room', async () => {
    for (let number = 0; number < 52; number++) make(idOf(number), `run-${number + 10}`).start();
    const opened = await open({ ids: [], project: 'shop' });
    const full = 'Only 50 containers are followed at a time. Waiting: 2.';
    assert.deepEqual(said, [`49 [${full}]`]);
    assert.equal(opened.members.length, 50);
    for (const number of [50, 51]) there.get(idOf(number))!.write(`line of ${number}\n`);
    await go([3]);
    await seen(() => said.includes('50 line of 50'));
    await go([4, 5]);
    await seen(() => said.includes('51 line of 51'));
    assert.deepEqual(
      opened.members.filter(({ isOver }) => isOver).map(({ name }) => name),
      ['run-13', 'run-14', 'run-15'],
    );
  });

  it('keep waiting for room while the engine is disconnected, except for containers removed in the meantime', async () => {
    const ids = Array.from({ length: 52 }, (_, number) => idOf(number));
    for (const [number, id] of ids.entries()) {
      const container = make(id, `run-${number + 10}`);
      container.start();
      for (const place of ['first', 'last']) container.write(`${place} of ${number}\n`);
    }
    const opened = await open({ ids }, 1);
    const before = new Map(listed);
    listed.clear();
    areAllKnown = false;
    changes.fire({ containers: new Set(ids), phase: true });
    before.delete(idOf(50));
    listed = before;
    changes.fire({ containers: new Set(before.keys()) });
    areAllKnown = true;
    changes.fire({ containers: new Set(), phase: true });
    said.length = 0;
    await go([3, 4]);
    await seen(() => opened.members.length > 50 && said.some((one) => one.startsWith('50 ')));
    assert.deepEqual(
      said.filter((one) => one.startsWith('50 ')),
      ['50 last of 51'],
    );
    assert.equal(opened.members.length, 51);
  });

  it('do not wait for a container that is removed in the meantime', async () => {
    for (let number = 0; number < 51; number++) make(idOf(number), `run-${number + 10}`).start();
    const opened = await open({ ids: [], project: 'shop' });
    listed.delete(idOf(50));
    changed(idOf(50));
    await go([3]);
    assert.equal(opened.members.length, 50);
  });

  it('are paged backwards after one container was removed', async () => {
    const containers = threeInStep();
    writeInTurn(containers, 0, 200);
    const opened = await open({ ids: IDS.slice(0, 3) }, 5);
    containers[1]!.remove();
    changed(IDS[1]!);
    await seen(() => opened.members[1]?.isOver === true);
    const { lines, isStart } = await opened.older(1000, new AbortController().signal);
    assert.equal(isStart, true);
    assert.equal(lines.filter(({ member }) => member === 0).length, 195);
    assert.equal(lines.filter(({ member }) => member === 2).length, 195);
  });

  it('write nothing after they are disposed', async () => {
    const containers = threeInStep();
    const opened = await open({ ids: IDS.slice(0, 3) });
    writeInTurn(containers, 0, 5);
    opened.dispose();
    const before = said.length;
    writeInTurn(containers, 5, 10);
    await new Promise(setImmediate);
    assert.equal(said.length, before);
  });
});
