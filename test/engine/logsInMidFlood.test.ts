import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openConnection, type Connection } from '../../src/engine/http/connection.ts';
import { createContainer, inspectContainer } from '../../src/engine/containers/containers.ts';
import {
  restartContainer,
  startContainer,
} from '../../src/engine/containers/containerLifecycle.ts';
import { parseEndpoint } from '../../src/engine/http/endpoint.ts';
import { DisposableStore, Emitter } from '../../src/base/lifetime.ts';
import type { ContainersChange } from '../../src/logs/follow/changeLatch.ts';
import { ContainerLog } from '../../src/logs/follow/containerLog.ts';
import type { ContainerLogOptions } from '../../src/logs/follow/containerLogOptions.ts';
import { betweenRuns } from '../../src/logs/follow/restartGuard.ts';
import { LogRuns } from '../../src/output/logRuns.ts';
import { startEngineOf, type BedEngine } from '../bed/engines.ts';
import { bed } from '../bed/env.ts';
import { until } from '../bed/until.ts';
import { importBusybox } from '../bed/images.ts';
import { FakeChannel } from '../unit/support/fakeChannel.ts';
import { Rig } from './faults/rig.ts';
import { cheap } from './support.ts';
import { ViewerDesk } from './viewerDesk.ts';

const FOLLOW: ContainerLogOptions = { follow: true, tail: 'all', timestamps: false };
/** The number of lines in each burst. */
const BURST = 4000;
/** Bytes of a burst that are written before the engine is killed, and after its return. */
const MORE_BYTES = BURST;
/**
 * Writes lines with the number of the run and of the line, up to the number in a file for each run; writes each
 * line to another file first. The pauses make a burst last longer than it takes to see that it has begun.
 */
const FLOOD = [
  'exec 3>&1; echo run >> /record/runs; run=$(wc -l < /record/runs); from=1',
  'while [ ! -f /record/stop ]; do',
  'while [ $from -gt $(cat /record/goal$run || echo 0) ] && [ ! -f /record/stop ]; do usleep 50000; done 2>/dev/null',
  'seq $from $((from+499)) | sed "s/^/$run /" | tee /proc/self/fd/3 >> /record/out; from=$((from+500)); usleep 20000; done',
].join('\n');
const EXITED = '[The container exited with code 0.]';
const AGAIN = '[The container was started again.]';

describe('a flood of log lines during which the engine is killed', function () {
  this.timeout(120_000);

  let engine: BedEngine;
  let connection: Connection;
  let rig: Rig;
  let record: string;
  let id: string;
  const owned = new DisposableStore();

  before(async () => {
    const isDocker = bed().kind === 'docker';
    engine = await startEngineOf(
      bed().kind,
      // Without this flag, containers stop when the daemon starts again.
      isDocker ? { daemonArguments: ['--live-restore'] } : {},
    );
    await importBusybox(engine);
    record = join(engine.folder, 'record');
    mkdirSync(record);
    connection = openConnection(parseEndpoint(engine.url, 'setting'));
    rig = new Rig(engine.url);
    await rig.live();
  });

  after(async () => {
    owned.dispose();
    rig.dispose();
    connection.dispose();
    await engine.stop();
  });

  const written = (): number => {
    const file = join(record, 'out');
    return existsSync(file) ? statSync(file).size : 0;
  };

  /** Lets the container write up to a line number in a run; resolves in the middle of it. */
  async function flood(run: number, to: number): Promise<void> {
    const from = written();
    // Replaced atomically, because the container reads the file all the time.
    writeFileSync(join(record, 'next'), String(to));
    renameSync(join(record, 'next'), join(record, `goal${run}`));
    await until(() => written() > from + MORE_BYTES, 'the container writes more lines');
  }

  async function killEngine(run: number): Promise<void> {
    await flood(run, BURST);
    await engine.kill();
    await engine.restart();
    await flood(run, 2 * BURST);
  }

  /** Opens the log as a plain stream, in a channel, and in a viewer. */
  async function open(): Promise<Record<string, () => string>> {
    const { inventory } = rig;
    const parts = {
      connect: (signal?: AbortSignal) => rig.engine.connect(signal),
      onDidChangeContainers: inventory.onDidChange,
      watch: () => undefined,
    };
    const lines: string[] = [];
    const sink = {
      lines: (more: readonly { readonly text: string }[]) => {
        for (const { text } of more) lines.push(text);
        return Promise.resolve();
      },
      marker: ({ kind }: { readonly kind: string }) => {
        if (kind === 'exited') lines.push(EXITED);
        if (kind === 'startedAgain') lines.push(AGAIN);
        return Promise.resolve();
      },
    };
    const log = owned.add(new ContainerLog(id, FOLLOW, sink, parts));
    let channel: FakeChannel | undefined;
    const createChannel = (name: string): FakeChannel => (channel = new FakeChannel(name));
    const outputLines = (): number => Infinity;
    const runs = owned.add(new LogRuns({ ...parts, createChannel, outputLines }));
    const changes = new Emitter<ContainersChange>();
    owned.add(inventory.onDidChange((change) => changes.fire(change)));
    const desk = owned.add(
      new ViewerDesk(id, { ...parts, changes, tail: 10, budgetBytes: 1_000_000 }),
    );
    await Promise.all([log.open(), runs.open({ id, name: 'flood' }, FOLLOW), desk.session.open()]);
    return {
      stream: () => `${lines.join('\n')}\n`,
      channel: () => channel?.text ?? '',
      viewer: () => desk.saved(true),
    };
  }

  it("is in stream, channel and viewer as in the engine's log file, each line once", async () => {
    const body = cheap({
      Image: bed().image,
      Cmd: ['sh', '-c', FLOOD],
      HostConfig: { Binds: [`${record}:/record`] },
    });
    ({ id } = await createContainer(connection, { body }));
    const texts = await open();
    await startContainer(connection, id);
    await killEngine(1);
    await have(texts, '\n1 2\n');
    await flood(1, 3 * BURST);
    await restartContainer(connection, id, { timeoutSeconds: 0 });
    const between = betweenRuns(await inspectContainer(connection, id));
    await killEngine(2);
    writeFileSync(join(record, 'stop'), '');
    await have(texts, EXITED);
    const records = await recordsOfEngine();
    const kept = linesOf(records.map(textOf).join(''));
    const lastOfFirst = records.findLast((one) => textOf(one).startsWith('1 ')) ?? '';
    const isLate = Date.parse(timeOf(lastOfFirst)) > Date.parse(between);
    const own = linesOf(readFileSync(join(record, 'out'), 'utf8'));
    for (const [name, text] of Object.entries(texts)) {
      const lines = linesOf(text());
      const isMarker = (line: string): boolean => line.startsWith('[');
      assertSame(
        lines.filter((line) => !isMarker(line)),
        kept,
        name,
      );
      // However the reading of the first run ended, the marker of the second run comes after all lines of the
      // first. But an engine that lags behind stamps the last lines of the first run with a time in the second.
      const again = lines.indexOf(AGAIN);
      const last = lines.findLastIndex((line) => line.startsWith('1 '));
      const around = [again, last].map((at) => lines.slice(Math.max(0, at - 3), at + 4));
      assert(again > last || isLate, `${name}, ${again} and ${last}: ${JSON.stringify(around)}`);
      assert.equal(lines.at(-1), EXITED, name);
    }
    assertNoneMore(kept, own);
  });

  async function have(texts: Readonly<Record<string, () => string>>, words: string): Promise<void> {
    for (const [name, text] of Object.entries(texts))
      await until(() => text().includes(words), `${name} has ${words}`, 60_000);
  }

  /** Resolves to the records in the engine's log file. */
  async function recordsOfEngine(): Promise<readonly string[]> {
    const { raw } = await inspectContainer(connection, id);
    const { LogPath } = raw as { readonly LogPath: string };
    // Only the daemon's mount namespace has its data.
    return linesOf(readFileSync(`/proc/${engine.pid}/root${LogPath}`, 'utf8'));
  }

  function textOf(record: string): string {
    return (engine.kind === 'docker' ? dockerText : podmanText)(record);
  }

  /** Returns the timestamp of a record. */
  function timeOf(record: string): string {
    if (engine.kind === 'podman') return record.slice(0, record.indexOf(' '));
    return (JSON.parse(record) as { readonly time: string }).time;
  }
});

function dockerText(line: string): string {
  const { log } = JSON.parse(line) as { readonly log: string };
  // A part of a long line would be longer; the end of this line was lost with its run.
  return log.endsWith('\n') ? log : `${log}\n`;
}

/** Tag `P` marks a partial line. */
function podmanText(line: string): string {
  const [, whole = '', text = ''] = /^\S+ stdout ([FP]) (.*)$/.exec(line) ?? assert.fail(line);
  return whole === 'F' ? `${text}\n` : text;
}

/**
 * Asserts that the log contains only written lines, each once. A killed daemon loses lines that it has received
 * but not written yet.
 */
function assertNoneMore(kept: readonly string[], own: readonly string[]): void {
  let at = 0;
  const strange = kept.filter((line) => {
    const found = own.indexOf(line, at);
    if (found >= 0) at = found + 1;
    return found < 0;
  });
  // A kill may tear a line.
  assert(strange.length < 10, strange.slice(0, 20).join(' / '));
}

function linesOf(text: string): readonly string[] {
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** Compares thousands of lines and reports only the first difference. */
function assertSame(got: readonly string[], expected: readonly string[], name: string): void {
  const at = expected.findIndex((line, index) => got[index] !== line);
  const around = (lines: readonly string[]): readonly string[] =>
    lines.slice(Math.max(0, at - 2), at + 3);
  if (at >= 0) assert.deepEqual(around(got), around(expected), `${name}, line ${at}`);
  assert.equal(got.length, expected.length, name);
}
