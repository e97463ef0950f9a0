import assert from 'node:assert/strict';
import { openConnection, type Connection } from '../../../src/engine/connection.ts';
import type { Container } from '../../../src/engine/model.ts';
import { english } from '../../../src/l10n.ts';
import { Emitter } from '../../../src/lifetime.ts';
import type { ContainersChange } from '../../../src/logs/changeLatch.ts';
import { LogSet, type LogSelection } from '../../../src/logs/logSet.ts';
import { remarkSentence } from '../../../src/logs/remark.ts';
import { FakeContainer } from '../support/fakeContainer.ts';
import { json, startFakeEngine, type FakeEngine } from '../support/fakeEngine.ts';
import { seen } from '../support/logLab.ts';

const IDS = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(64));

describe('several logs as one', () => {
  let engine: FakeEngine;
  let connection: Connection;
  let changes: Emitter<ContainersChange>;
  let there: Map<string, FakeContainer>;
  let listed: Map<string, Container>;
  let said: string[];
  let caughtUp: number;
  let set: LogSet | undefined;

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
    said = [];
    caughtUp = 0;
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

  async function open(selection: LogSelection, tail = 100): Promise<LogSet> {
    const sink = {
      lines: (member: number, lines: readonly { readonly text: string }[]) => {
        said.push(...lines.map(({ text }) => `${member} ${text}`));
        return Promise.resolve();
      },
      remark: (member: number, remark: Parameters<typeof remarkSentence>[0]) => {
        said.push(`${member} [${remarkSentence(remark, english)}]`);
        return Promise.resolve();
      },
      caughtUp: () => {
        caughtUp++;
      },
    };
    set = new LogSet(selection, { tail }, sink, {
      connect: () => Promise.resolve(connection),
      onDidChangeContainers: changes.event,
      watch: () => undefined,
      l10n: english,
      containers: () => listed,
      pause: () => new Promise((resolve) => setImmediate(resolve)),
    });
    await set.open();
    return set;
  }

  /** Each writes in turn, a little after the one before. */
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

  it('begin with their ends, merged by time, and say when that is over', async () => {
    const expected = writeInTurn(threeInStep(), 0, 40);
    await open({ ids: IDS.slice(0, 3) });
    assert.deepEqual(said, expected);
    assert.equal(caughtUp, 1);
  });

  it('are paged backwards as one, exactly', async () => {
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

  it('lose no line of an interrupted page', async () => {
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

  it('go on with every line, each log in its order', async () => {
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

  it('of a project are joined by what comes later, from its start', async () => {
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

  it('tell how a service was made anew', async () => {
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
      [
        '0 old',
        '0 [The container exited with status 3.]',
        '0 [The container was removed.]',
        '1 new',
      ],
    );
    assert.deepEqual(
      opened.members.map(({ isOver }) => isOver),
      [true, false],
    );
  });

  it('of one that cannot be read keep nobody from reading the others', async () => {
    make(IDS[0]!, 'web').start();
    there.get(IDS[0]!)!.write('here\n');
    const opened = await open({ ids: [IDS[1]!, IDS[0]!] });
    assert.deepEqual(said.sort(), ['0 [The container was removed.]', '1 here']);
    const { isStart } = await opened.older(10, new AbortController().signal);
    assert.equal(isStart, true);
  });

  it('give nothing after their end', async () => {
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
