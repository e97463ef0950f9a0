import Docker from 'dockerode';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { Pool } from 'undici';
import { openConnection } from '../../src/engine/http/connection.ts';
import { parseEndpoint } from '../../src/engine/http/endpoint.ts';
import type { LogLine } from '../../src/engine/model.ts';
import { LineStore } from '../../src/logs/store/lineStore.ts';
import { readLogs } from '../unit/support/readLogs.ts';
import type { Measurement, Measurements } from './benchmark.ts';
import { timesInTurn } from './figures.ts';
import { withFolder } from './stage.ts';
import { LINE_BYTES } from './syntheticEngine.ts';

const ROUNDS = 5;
const WHOLE_BYTES = 1e9;
/** The demultiplexer of dockerode takes minutes for 1 GB, so it gets less. */
const DOCKERODE_BYTES = 20e6;
const LINES = 1_000_000;
/** Larger than the log, so that nothing is written to a file. */
const BUDGET_BYTES = 1e9;

/**
 * Measures how fast a log becomes lines, on the full path from the socket to strings, and how fast they get
 * into a store, compared with undici that only counts the bytes. The engine is a process of its own.
 */
export function benchSyntheticLogs(): Promise<Measurements<'decode' | 'chunks' | 'store'>> {
  return withFolder(async (folder) => {
    const socket = join(folder, 'engine.sock');
    const script = join(import.meta.dirname, 'syntheticEngine.ts');
    const engine = fork(script, [socket], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
    try {
      if (engine.stdout) await once(engine.stdout, 'data');
      return {
        decode: await benchDecoding(socket),
        chunks: await benchDockerode(socket),
        store: await timesInTurn(ROUNDS, {
          peer: () => readRaw(socket, LINES * LINE_BYTES),
          subject: () => fillStore(socket, folder),
        }),
      };
    } finally {
      engine.kill();
    }
  });
}

async function benchDecoding(socket: string): Promise<Measurement> {
  const times = await timesInTurn(ROUNDS, {
    peer: () => readRaw(socket, Infinity),
    subject: () => readLines(socket, () => true),
  });
  const speed = (milliseconds: number): number => megabytesPerSecond(WHOLE_BYTES, milliseconds);
  return { subject: times.subject.map(speed), peer: times.peer.map(speed) };
}

async function benchDockerode(socket: string): Promise<Measurement> {
  const { whole } = await timesInTurn(3, { whole: () => readByDockerode(socket) });
  return {
    subject: whole.map((milliseconds) => megabytesPerSecond(DOCKERODE_BYTES, milliseconds)),
    note: `its first ${DOCKERODE_BYTES / 1e6} MB, to chunks and not lines`,
  };
}

function megabytesPerSecond(bytes: number, milliseconds: number): number {
  return bytes / 1000 / milliseconds;
}

/** Reads the lines of the log, until `next` returns false. */
async function readLines(
  socket: string,
  next: (lines: readonly LogLine[]) => boolean,
): Promise<void> {
  const connection = openConnection(parseEndpoint(socket, 'setting'));
  // When following, a log that has ended is read again for its last lines.
  const options = { follow: false, tail: 'all', hasTty: false } as const;
  const { signal } = new AbortController();
  for await (const batch of await readLogs(connection, 'lines', options, signal))
    if (!next(batch)) break;
  connection.dispose();
}

async function fillStore(socket: string, spillFolder: string): Promise<void> {
  const store = new LineStore({ budgetBytes: BUDGET_BYTES, spillFolder });
  await readLines(socket, (lines) => {
    store.appendLines(0, lines);
    return store.endId < LINES;
  });
  if (store.endId < LINES) throw new Error(`Only ${store.endId} lines came`);
  store.dispose();
}

/** Counts the bytes of the log, as many as asked for. */
async function readRaw(socket: string, most: number): Promise<void> {
  const pool = new Pool('http://localhost', { socketPath: socket });
  const { body } = await pool.request({ method: 'GET', path: '/v1.41/containers/lines/logs' });
  let bytes = 0;
  for await (const chunk of body) {
    bytes += (chunk as Buffer).length;
    if (bytes >= most) break;
  }
  await pool.destroy();
}

async function readByDockerode(socket: string): Promise<void> {
  const docker = new Docker({ socketPath: socket });
  const options = { follow: true, stdout: true, stderr: true } as const;
  const stream = await docker.getContainer('lines').logs(options);
  await new Promise<void>((resolve) => {
    let bytes = 0;
    const sink = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        bytes += chunk.length;
        if (bytes >= DOCKERODE_BYTES) resolve();
        done();
      },
    });
    docker.modem.demuxStream(stream, sink, sink);
  });
  (stream as { readonly destroy?: () => void }).destroy?.();
}
