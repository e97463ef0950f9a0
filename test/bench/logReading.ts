import Docker from 'dockerode';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import type { Connection } from '../../src/engine/http/connection.ts';
import type { Container } from '../../src/engine/model.ts';
import { ContainerLog } from '../../src/logs/follow/containerLog.ts';
import type { LogDependencies } from '../../src/logs/follow/containerLogOptions.ts';
import { LineStore } from '../../src/logs/store/lineStore.ts';
import { LogSet } from '../../src/logs/follow/logSet.ts';
import { BackwardReader } from '../../src/logviewer/host/backwardReader.ts';
import { StoreFeed } from '../../src/logviewer/host/storeFeed.ts';
import { monotonicClock } from '../../src/base/time.ts';
import type { Measurements } from './benchmark.ts';
import { makeBigLog, numberOf } from './bigLog.ts';
import { timesInTurn } from './figures.ts';
import { withEngine } from './stage.ts';

const ROUNDS = 3;
const LINES = 1_000_000;
/** Larger than the log, so that nothing is written to a file. */
const BUDGET_BYTES = 1e9;

/** Reads the log of a container into a store. Resolves when it is complete. */
type Filling = (
  parts: LogDependencies,
  id: string,
  feed: StoreFeed,
  store: LineStore,
) => Promise<void>;

/**
 * Measures reading a log of a million lines from a real engine into the store of a log viewer, compared with
 * programs that only read it: forwards, and backwards page by page, as a viewer does for a search of the
 * whole log. The engine is the slowest part.
 */
export function benchLogReading(): Promise<
  Measurements<'whole' | 'back' | 'process' | 'dockerode'>
> {
  return withEngine(async ({ connection, socket, folder }) => {
    const id = await makeBigLog(socket, 'million', LINES);
    const target = { connection, id, folder };
    const { curl, whole, back, process, dockerode } = await timesInTurn(ROUNDS, {
      curl: () => readByCurl(socket, id),
      whole: () => fill(target, readWhole),
      back: () => fill(target, readBack),
      process: () => ended('docker', ['-H', `unix://${socket}`, 'logs', '--timestamps', id]),
      dockerode: () => readByDockerode(socket, id),
    });
    return {
      whole: { subject: whole, peer: curl },
      back: { subject: back, peer: curl },
      process: { subject: process, peer: curl },
      dockerode: { subject: dockerode, peer: curl },
    };
  });
}

/** The log to read, and the folder to spill lines to. */
interface Target {
  readonly connection: Connection;
  readonly id: string;
  readonly folder: string;
}

async function fill({ connection, id, folder }: Target, read: Filling): Promise<void> {
  const store = new LineStore({ budgetBytes: BUDGET_BYTES, spillFolder: folder });
  const feed = new StoreFeed({ store, clock: monotonicClock, onCaughtUp: () => undefined }, '');
  const parts: LogDependencies = {
    connect: () => Promise.resolve(connection),
    onDidChangeContainers: () => ({ dispose: () => undefined }),
    watch: () => undefined,
  };
  try {
    await read(parts, id, feed, store);
    checkAll(store);
  } finally {
    store.dispose();
  }
}

const readWhole: Filling = async (parts, id, feed) => {
  const view = { follow: false, tail: 'all', timestamps: false } as const;
  const sink = {
    lines: (lines: Parameters<StoreFeed['lines']>[1]) => feed.lines(0, lines),
    marker: (marker: Parameters<StoreFeed['marker']>[1], at = '') => feed.marker(0, marker, at),
  };
  const log = new ContainerLog(id, view, sink, parts);
  await log.open();
  log.dispose();
};

const readBack: Filling = async (parts, id, feed, store) => {
  const containers = (): ReadonlyMap<string, Container> => new Map();
  const areAllKnown = (): boolean => true;
  const setParts = { ...parts, containers, areAllKnown };
  const set = new LogSet({ ids: [id] }, { tail: 1000 }, feed, setParts);
  await set.open();
  const problems: unknown[] = [];
  const onProblem = (error: unknown): void => {
    problems.push(error);
  };
  const back = new BackwardReader({
    log: set,
    store,
    onDidChange: () => undefined,
    onLimit: () => undefined,
    onProblem,
  });
  await back.all();
  set.dispose();
  if (problems.length > 0) throw new Error('Could not read back', { cause: problems[0] });
};

/** Checks that every line is present once and in order. */
function checkAll(store: LineStore): void {
  let next = 0;
  for (let id = store.firstId; id < store.endId;) {
    const lines = store.read(id, store.endId);
    for (const { kind, text } of lines) {
      if (kind === 'marker') continue;
      if (numberOf(text) !== next) throw new Error(`Instead of line ${next} came: ${text}`);
      next++;
    }
    id += lines.length;
  }
  if (next !== LINES) throw new Error(`Only ${next} lines came`);
}

async function readByCurl(socket: string, id: string): Promise<void> {
  const url = `http://engine/v1.41/containers/${id}/logs?stdout=1&stderr=1&timestamps=1`;
  await ended('curl', ['--silent', '--output', '/dev/null', '--unix-socket', socket, url]);
}

async function ended(program: string, args: readonly string[]): Promise<void> {
  const child = spawn(program, args, { stdio: 'ignore' });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${program} ended with ${String(code)}`);
}

async function readByDockerode(socket: string, id: string): Promise<void> {
  const docker = new Docker({ socketPath: socket });
  const options = { follow: true, stdout: true, stderr: true, timestamps: true } as const;
  const stream = await docker.getContainer(id).logs(options);
  let lines = 0;
  const sink = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      for (const text of chunk.toString().split('\n')) if (text !== '') lines++;
      done();
    },
  });
  const source = stream.pipe(new PassThrough());
  docker.modem.demuxStream(source, sink, sink);
  await once(source, 'end');
  if (lines !== LINES) throw new Error(`dockerode gave ${lines} lines`);
}
