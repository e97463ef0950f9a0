import assert from 'node:assert/strict';
import { openConnection, type Connection } from '../../src/engine/http/connection.ts';
import { createContainer } from '../../src/engine/containers/containers.ts';
import {
  killContainer,
  removeContainer,
  restartContainer,
  startContainer,
} from '../../src/engine/containers/containerLifecycle.ts';
import { waitForContainer } from '../../src/engine/containers/waitForContainer.ts';
import { LogReader } from '../../src/engine/logs/logReader.ts';
import { stampAsSince } from '../../src/engine/logs/logStamps.ts';
import { readLogs } from '../unit/support/readLogs.ts';
import type { EngineEvent, LogLine } from '../../src/engine/model.ts';
import { followEvents } from '../../src/engine/system/system.ts';
import { Emitter } from '../../src/base/lifetime.ts';
import type { ContainersChange } from '../../src/logs/follow/changeLatch.ts';
import type { ContainerLogOptions } from '../../src/logs/follow/containerLogOptions.ts';
import { LogRuns } from '../../src/output/logRuns.ts';
import { bed } from '../bed/env.ts';
import { FaultProxy } from '../bed/faultProxy.ts';
import { FakeChannel } from '../unit/support/fakeChannel.ts';
import { cheap } from './support.ts';

const FOLLOW: ContainerLogOptions = { follow: true, tail: 'all', timestamps: false };
const LONG = 40_000;
/**
 * The number of lines of fast output, and the rest of each: many times what an engine and a socket hold back. Of fewer
 * lines, Podman 4.3 loses none.
 */
const FLOOD = 4000;
const MORE = ' and more words'.repeat(7);

describe('logs of a real engine', function () {
  this.timeout(60_000);

  let connection: Connection;
  let controller: AbortController;
  let made: string[];

  beforeEach(() => {
    connection = connectTo(bed().socket);
    controller = new AbortController();
    made = [];
  });

  afterEach(async () => {
    controller.abort();
    for (const id of made) await removeContainer(connection, id, { force: true });
    connection.dispose();
  });

  async function create(script: string, tty = false): Promise<string> {
    const { id } = await createContainer(connection, {
      body: cheap({ Image: bed().image, Cmd: ['sh', '-c', script], Tty: tty }),
    });
    made.push(id);
    return id;
  }

  /** Creates a container and runs it to its end. */
  async function run(script: string, tty = false): Promise<string> {
    const id = await create(script, tty);
    const { exit } = await waitForContainer(connection, id, 'next-exit');
    await startContainer(connection, id);
    await exit;
    return id;
  }

  async function read(
    id: string,
    follow = false,
    tail: number | 'all' = 'all',
    since?: string,
  ): Promise<LogLine[]> {
    const lines: LogLine[] = [];
    const options = { follow, tail, since, wantsStamps: false };
    for await (const batch of await readLogs(connection, id, options, controller.signal))
      lines.push(...batch);
    return lines;
  }

  function of(lines: readonly LogLine[], source: string): string[] {
    return lines.filter((line) => line.source === source).map(({ text }) => text);
  }

  it('contain complete lines of stdout and stderr, however they were written', async () => {
    const script = [
      "echo '😀 ä'; echo; echo err€ >&2; printf 'cr\\r\\n'",
      `head -c ${LONG} /dev/zero | tr '\\0' a; echo`,
      "printf one,; sleep 0.1; printf two,; echo three; printf 'no end'",
    ].join('\n');
    const lines = await read(await run(script));
    const stdout = ['😀 ä', '', 'cr', 'a'.repeat(LONG), 'one,two,three', 'no end'];
    assert.deepEqual(of(lines, 'stdout'), stdout);
    assert.deepEqual(of(lines, 'stderr'), ['err€']);
    for (const { timestamp } of lines) assert.match(timestamp, /^20\d\d-\d\d-\d\dT[\d:.]+\S+$/);
  });

  it('of a terminal contain complete lines too', async () => {
    const script = `echo '😀 ä'; printf one,; sleep 0.1; echo two; head -c ${LONG} /dev/zero | tr '\\0' a; echo; printf 'no end'`;
    const lines = await read(await run(script, true));
    const texts = lines.map(({ text }) => text);
    assert.deepEqual(texts, ['😀 ä', 'one,two', 'a'.repeat(LONG), 'no end']);
  });

  it('begin at the requested tail, or with all lines of the requested timestamp', async () => {
    const id = await run("for i in 1 2 3 4 5; do printf 'a\\nb\\nc\\n'; sleep 0.01; done");
    assert.deepEqual(of(await read(id, false, 2), 'stdout'), ['b', 'c']);
    assert.deepEqual(of(await read(id, false, 0), 'stdout'), []);
    const lines = await read(id);
    for (const { timestamp } of lines) {
      const first = lines.findIndex((line) => line.timestamp === timestamp);
      const since = await read(id, false, 'all', stampAsSince(timestamp));
      assert.deepEqual(since, lines.slice(first));
    }
  });

  for (const tty of [false, true]) {
    it(`contain every line of fast output${tty ? ' with a TTY' : ''}, followed or not`, async () => {
      const id = await create(`sleep 0.2; seq 1 ${FLOOD} | sed 's/$/${MORE}/'`, tty);
      await startContainer(connection, id);
      for (const follow of [true, false, true])
        assertFlood((await read(id, follow)).map(({ text }) => text));
    });
  }

  function assertFlood(texts: readonly string[]): void {
    // A diff of so many lines would be unreadable.
    const wrong = texts.findIndex((text, line) => text !== `${line + 1}${MORE}`);
    assert.equal(wrong, -1, `line ${wrong} is ${texts[wrong] ?? ''}`);
    assert.equal(texts.length, FLOOD);
  }

  it('contain complete lines if their tail is read while the container writes', async () => {
    const length = 7000;
    const line = `line=$(printf %${length}s | tr ' ' x)`;
    // The container keeps running, because the first reading of a slow machine may come after the last line.
    const script = `${line}; for i in $(seq 500); do echo "$line"; done; exec sleep 1000`;
    const id = await create(script);
    await startContainer(connection, id);
    let readings = 0;
    while (readings < 3) {
      const reader = new LogReader(id, { tail: 5, hasTty: false, wantsStamps: false });
      const lines: LogLine[] = [];
      const batches = await reader.open(connection, { follow: false }, controller.signal);
      for await (const batch of batches) lines.push(...batch);
      // The container takes time to write its first line, and an engine may respond before.
      if (lines.length === 0) continue;
      assert.deepEqual([...new Set(lines.map(({ text }) => text.length))], [length]);
      readings += 1;
    }
  });

  it('of a missing container are rejected', async () => {
    await assert.rejects(read('0'.repeat(64)), { reason: 'notFound' });
  });

  describe('in a channel', () => {
    let changes: Emitter<ContainersChange>;
    let runs: LogRuns;
    let channel: FakeChannel;

    beforeEach(() => {
      changes = new Emitter();
      runs = logRuns(() => connection);
    });

    afterEach(() => runs.dispose());

    function logRuns(connect: () => Connection): LogRuns {
      return new LogRuns({
        connect: () => Promise.resolve(connect()),
        onDidChangeContainers: changes.event,
        watch: () => undefined,
        createChannel: (name) => (channel = new FakeChannel(name)),
      });
    }

    /** Fires the change event as the inventory would. */
    function changed(id: string): void {
      changes.fire({ containers: new Set([id]) });
    }

    /** Fires a change for each event, as the inventory does: Podman reports an exit before the next run begins. */
    async function heard(id: string, events: AsyncIterable<EngineEvent>): Promise<void> {
      for await (const event of events) if (event.id === id) changed(id);
    }

    it('end with the exit code, however fast the container exits', async () => {
      for (const [script, expected] of [
        ["printf 'no end'; exit 4", 'no end\n[The container exited with code 4.]\n'],
        ['exit 5', '[The container exited with code 5.]\n'],
      ] as const) {
        const id = await create(script);
        await runs.open({ id, name: script }, FOLLOW);
        const { exit } = await waitForContainer(connection, id, 'next-exit');
        await startContainer(connection, id);
        await exit;
        changed(id);
        await channel.endsWith(expected);
        assert.equal(channel.text, `[The container was started.]\n${expected}`);
      }
    });

    it('continue across restarts without duplicate or lost lines', async () => {
      const id = await create('echo begin; printf $((1+1)); echo; sleep 1000');
      await startContainer(connection, id);
      await runs.open({ id, name: 'again' }, FOLLOW);
      await channel.endsWith('begin\n2\n');
      const events = await followEvents(connection, {}, controller.signal);
      void heard(id, events).catch(() => undefined);
      for (let restart = 1; restart <= 2; restart++) {
        await restartContainer(connection, id, { timeoutSeconds: 0 });
        const expected = `begin\n2\n`.repeat(restart + 1);
        await channel.until(() => withoutMarkers(channel.text) === expected);
        // The marker of a run precedes its lines.
        assert.equal(starts(channel.text), restart, channel.text);
      }
    });

    for (const tty of [false, true]) {
      it(`contain every line of fast output${tty ? ' with a TTY' : ''} up to the exit`, async () => {
        const id = await create(`sleep 0.2; seq 1 ${FLOOD} | sed 's/$/${MORE}/'`, tty);
        await startContainer(connection, id);
        await runs.open({ id, name: 'flood' }, FOLLOW);
        const { exit } = await waitForContainer(connection, id, 'not-running');
        await exit;
        changed(id);
        const last = '[The container exited with code 0.]\n';
        await channel.endsWith(last);
        assertFlood(channel.text.slice(0, -last.length - 1).split('\n'));
      });
    }

    it('report that the container was removed', async () => {
      const id = await create('echo one; sleep 1000');
      await startContainer(connection, id);
      await runs.open({ id, name: 'gone' }, FOLLOW);
      await channel.endsWith('one\n');
      await removeContainer(connection, id, { force: true });
      changed(id);
      await channel.endsWith('[The container was removed.]\n');
      made = [];
    });

    it('open immediately for a silent container', async () => {
      const id = await create('sleep 1000');
      await startContainer(connection, id);
      await runs.open({ id, name: 'silent' }, FOLLOW);
      assert.equal(channel.text, '');
    });

    it('continue without a marker if a proxy closes an idle stream', async () => {
      const id = await create("trap 'echo again' USR1; echo one; while :; do sleep 0.1; done");
      await startContainer(connection, id);
      const proxy = await FaultProxy.start(bed().socket);
      const through = connectTo(proxy.socket);
      const proxied = logRuns(() => through);
      try {
        await proxied.open({ id, name: 'silent' }, FOLLOW);
        await channel.endsWith('one\n');
        for (let cuts = 1; cuts <= 2; cuts++) {
          proxy.cut();
          await killContainer(connection, id, { signal: 'SIGUSR1' });
          const expected = `one\n${'again\n'.repeat(cuts)}`;
          await channel.until(() => channel.text === expected);
        }
      } finally {
        proxied.dispose();
        through.dispose();
        await proxy.stop();
      }
    });

    it('continue after the connection is lost, without duplicate or lost lines', async () => {
      const id = await create(
        'i=0; while [ $i -lt 3000 ]; do i=$((i+1)); echo line $i; done; sleep 1000',
      );
      await startContainer(connection, id);
      let current = connectTo(bed().socket);
      const cutting = logRuns(() => current);
      try {
        await cutting.open({ id, name: 'cut' }, FOLLOW);
        for (const line of [10, 900, 1800]) {
          await channel.until(() => channel.text.includes(`line ${line}\n`));
          const before = current;
          current = connectTo(bed().socket);
          before.dispose();
        }
        // A marker may follow.
        await channel.until(() => channel.text.includes('line 3000\n'));
      } finally {
        cutting.dispose();
        current.dispose();
      }
      assert.equal(
        withoutMarkers(channel.text),
        Array.from({ length: 3000 }, (_, line) => `line ${line + 1}\n`).join(''),
      );
    });
  });
});

/** Counts the markers of a restart. */
function starts(text: string): number {
  return text.split('[The container was started again.]\n').length - 1;
}

/** Removes the markers and returns the container's own output. */
function withoutMarkers(text: string): string {
  return text.replaceAll(/\[.*\]\n/g, '');
}

function connectTo(socket: string): Connection {
  return openConnection({
    url: `unix://${socket}`,
    transport: { kind: 'socket', path: socket },
    source: 'setting',
  });
}
