import Docker from 'dockerode';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { Pool } from 'undici';
import { openConnection } from '../../src/engine/http/connection.ts';
import { readLogs } from '../unit/support/readLogs.ts';
import { atLeast } from './limit.ts';
import type { BenchRow } from './row.ts';

const RUNS = 5;
const DOCKERODE_BYTES = 20_000_000;

type LogName = 'lines' | 'accents' | 'fragments';

/** Reads a log to its end. Resolves to the number of bytes or lines. */
type Reading = (socket: string, log: LogName) => Promise<number>;

/**
 * Measures how fast a log of 1 GB becomes lines, on the full path from the socket to strings, compared with
 * undici that only counts the bytes. The engine is a process of its own.
 */
export async function benchLogDecoding(): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-bench-'));
  const socket = join(folder, 'engine.sock');
  const engine = await startSyntheticEngine(socket);
  try {
    return [
      ...(await compare(socket, 'lines', 'log of 1 GB, lines of 111 bytes', 0.3)),
      await compareDockerode(socket),
      ...(await compare(socket, 'accents', 'the same, 5 % two-byte characters')),
      ...(await compare(socket, 'fragments', 'the same, pieces of 16 KiB, three a line')),
    ];
  } finally {
    engine.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Starts an engine with prepared logs in a process of its own, which exits with this one or when it is killed. */
export async function startSyntheticEngine(socket: string): Promise<ChildProcess> {
  const script = join(import.meta.dirname, 'syntheticEngine.ts');
  const engine = fork(script, [socket], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  if (engine.stdout) await once(engine.stdout, 'data');
  return engine;
}

async function compare(
  socket: string,
  log: LogName,
  name: string,
  least?: number,
): Promise<BenchRow[]> {
  const [ours, raw]: [number[], number[]] = [[], []];
  const lines = await readOurs(socket, log);
  for (let run = 0; run < RUNS; run++) {
    raw.push(await megabytesPerSecond(readRaw, socket, log));
    ours.push(await megabytesPerSecond(readOurs, socket, log));
  }
  const ratio = round(median(ours) / median(raw));
  return [
    {
      name,
      value: Math.round(median(ours)),
      unit: 'MB/s',
      peer: `undici iteration, ${Math.round(median(raw))} MB/s`,
      ratio,
      ...(least === undefined ? {} : atLeast(ratio, least)),
      note: `${lines} lines, median of ${RUNS} alternating runs`,
    },
  ];
}

/** The demultiplexer of dockerode takes minutes for 1 GB, so it gets less. */
async function compareDockerode(socket: string): Promise<BenchRow> {
  const speeds: number[] = [];
  for (let run = 0; run < 3; run++) speeds.push(await dockerodeSpeed(socket));
  return {
    name: 'for the record: dockerode, the same log to chunks, not lines',
    value: Math.round(median(speeds)),
    unit: 'MB/s',
    note: `its first ${DOCKERODE_BYTES / 1e6} MB`,
  };
}

const readOurs: Reading = async (socket, log) => {
  const connection = openConnection({
    url: `unix://${socket}`,
    transport: { kind: 'socket', path: socket },
    source: 'setting',
  });
  // When following, a log that has ended is read again for its last lines.
  const options = { follow: false, tail: 'all', hasTty: false } as const;
  const { signal } = new AbortController();
  let lines = 0;
  for await (const batch of await readLogs(connection, log, options, signal)) lines += batch.length;
  connection.dispose();
  return lines;
};

const readRaw: Reading = async (socket, log) => {
  const pool = new Pool('http://localhost', { socketPath: socket });
  const path = `/v1.41/containers/${log}/logs`;
  const { body } = await pool.request({ method: 'GET', path });
  let bytes = 0;
  for await (const chunk of body) bytes += (chunk as Buffer).length;
  await pool.destroy();
  return bytes;
};

async function dockerodeSpeed(socket: string): Promise<number> {
  const docker = new Docker({ socketPath: socket });
  const startedAt = performance.now();
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
  const speed = DOCKERODE_BYTES / 1000 / (performance.now() - startedAt);
  (stream as { readonly destroy?: () => void }).destroy?.();
  return speed;
}

/** Measures the throughput of the stream as sent by the engine, whatever the reader counts. */
async function megabytesPerSecond(read: Reading, socket: string, log: LogName): Promise<number> {
  const startedAt = performance.now();
  await read(socket, log);
  return 1e6 / (performance.now() - startedAt);
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

function round(ratio: number): number {
  return Math.round(ratio * 100) / 100;
}

if (import.meta.main) console.table(await benchLogDecoding());
