import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { Pool } from 'undici';
import { openConnection } from '../../src/engine/http/connection.ts';
import { readLogs } from '../unit/support/readLogs.ts';
import { LineStore } from '../../src/logs/store/lineStore.ts';
import type { LineQuery } from '../../src/logs/search/lineQuery.ts';
import { LogSearch } from '../../src/logs/search/logSearch.ts';
import { median, rounded } from './figures.ts';
import { startSyntheticEngine } from './logDecoding.ts';
import { atLeast, atMost } from './limit.ts';
import { Pulse } from './pulse.ts';
import type { BenchRow } from './row.ts';

const [RUNS, LINES, LINE_BYTES] = [5, 1_000_000, 111];
const MEGABYTE = 1e6;
const NEEDLE = 'the planted Needle';

/**
 * Measures a log of a million lines in the line store: reading it from a socket, compared with undici that
 * only counts the bytes; its memory; and finding three lines in it.
 */
export async function benchLogStore(): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-bench-'));
  const socket = join(folder, 'engine.sock');
  const workerFile = join(folder, 'logSearch.cjs');
  await buildWorker(workerFile);
  const engine = await startSyntheticEngine(socket);
  try {
    return [
      await benchFilling(socket, 1e9, folder, 'no spill'),
      await benchFilling(socket, 32e6, folder, 'budget of 32 MB'),
      ...benchMemory(folder),
      ...(await benchFinding(folder, workerFile, 1e9, 'in memory')),
      ...(await benchFinding(folder, workerFile, 32e6, 'budget of 32 MB')),
    ];
  } finally {
    engine.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function buildWorker(outfile: string): Promise<void> {
  await build({
    entryPoints: [join(import.meta.dirname, '../../src/logs/search/searchWorker.ts')],
    outfile,
    bundle: true,
    platform: 'node',
  });
}

async function benchFilling(
  socket: string,
  budgetBytes: number,
  spillFolder: string,
  name: string,
): Promise<BenchRow> {
  const [ours, raw]: [number[], number[]] = [[], []];
  // The first round is a warm-up.
  for (let run = 0; run <= RUNS; run++) {
    const rawMilliseconds = await readRaw(socket);
    const store = new LineStore({ budgetBytes, spillFolder });
    const milliseconds = await fill(socket, store);
    store.dispose();
    if (run > 0) raw.push(rawMilliseconds);
    if (run > 0) ours.push(milliseconds);
  }
  const megabytes = (LINES * LINE_BYTES) / MEGABYTE;
  const ratio = rounded(median(raw) / median(ours), 2);
  return {
    name: `log of 1,000,000 lines into the line store, ${name}`,
    value: Math.round(median(ours)),
    unit: 'ms',
    peer: `undici iteration, ${Math.round(median(raw))} ms for the same ${megabytes} MB`,
    ratio,
    ...atLeast(ratio, 0.2),
    note: `median of ${RUNS} alternating runs`,
  };
}

async function fill(socket: string, store: LineStore): Promise<number> {
  const connection = openConnection({
    url: `unix://${socket}`,
    transport: { kind: 'socket', path: socket },
    source: 'setting',
  });
  const options = { follow: false, tail: 'all', hasTty: false } as const;
  const startedAt = performance.now();
  const { signal } = new AbortController();
  for await (const batch of await readLogs(connection, 'lines', options, signal)) {
    store.appendLines(0, batch);
    if (store.endId >= LINES) break;
  }
  const milliseconds = performance.now() - startedAt;
  connection.dispose();
  if (store.endId < LINES) throw new Error(`Only ${store.endId} lines came`);
  return milliseconds;
}

async function readRaw(socket: string): Promise<number> {
  const pool = new Pool('http://localhost', { socketPath: socket });
  const startedAt = performance.now();
  const { body } = await pool.request({ method: 'GET', path: '/v1.41/containers/lines/logs' });
  let bytes = 0;
  for await (const chunk of body) {
    bytes += (chunk as Buffer).length;
    if (bytes >= LINES * LINE_BYTES) break;
  }
  const milliseconds = performance.now() - startedAt;
  await pool.destroy();
  return milliseconds;
}

function benchMemory(folder: string): BenchRow[] {
  return [1e9, 32e6].map((budgetBytes) => {
    const store = new LineStore({ budgetBytes, spillFolder: folder });
    fillWithNeedles(store);
    const [held, bytes] = [store.bytes, LINES * LINE_BYTES];
    store.dispose();
    const hasBudget = budgetBytes < bytes;
    const ratio = rounded(held / bytes, 2);
    return {
      name: `memory of the line store, ${hasBudget ? 'budget of 32 MB' : 'no spill'}`,
      value: rounded(held / MEGABYTE, 1),
      unit: 'MB',
      ...(hasBudget ? {} : { ratio, peer: 'the log itself' }),
      ...(hasBudget ? atMost(held / MEGABYTE, 40) : atMost(ratio, 1.3)),
    };
  });
}

/** Fills the store with a million lines, three of which match the search: at 1, 50, and 99 %. */
function fillWithNeedles(store: LineStore): void {
  const text = 'The quick brown fox jumps over the lazy dog. '.repeat(2).slice(0, 71);
  const planted = new Set([0.01, 0.5, 0.99].map((share) => LINES * share));
  for (let first = 0; first < LINES; first += 1000) {
    const batch = Array.from({ length: 1000 }, (_, index) => ({
      source: 'stdout' as const,
      timestamp: `2026-08-01T10:00:00.${String(first + index).padStart(9, '0')}Z`,
      text: planted.has(first + index) ? `${text} ${NEEDLE}` : text,
    }));
    store.appendLines(0, batch);
  }
}

async function benchFinding(
  folder: string,
  workerFile: string,
  budgetBytes: number,
  name: string,
): Promise<BenchRow[]> {
  const store = new LineStore({ budgetBytes, spillFolder: folder });
  fillWithNeedles(store);
  const search = new LogSearch(store, { workerFile });
  const plain = { pattern: 'needle', isRegex: false, matchCase: false, wholeWord: false };
  // The first search starts the thread.
  await findOnce(search, plain);
  const rows = [
    ...(await timesOf(search, plain, `find in 1,000,000 lines, ${name}`)),
    ...(await timesOf(
      search,
      { ...plain, pattern: 'pl\\w+ed nee?dle$', isRegex: true },
      `the same with an expression, ${name}`,
    )),
  ];
  search.dispose();
  store.dispose();
  return rows;
}

async function timesOf(search: LogSearch, query: LineQuery, name: string): Promise<BenchRow[]> {
  const [firsts, alls]: [number[], number[]] = [[], []];
  const pulse = new Pulse();
  pulse.start();
  for (let run = 0; run < RUNS; run++) {
    const { first, all } = await findOnce(search, query);
    firsts.push(first);
    alls.push(all);
  }
  const longest = pulse.stop();
  const note = `three hits, median of ${RUNS} runs`;
  const row = (what: string, value: number, most: number): BenchRow => {
    return { name: `${name}, ${what}`, value, unit: 'ms', ...atMost(value, most) };
  };
  return [
    { ...row('first', rounded(median(firsts), 1), 50), note },
    { ...row('all', Math.round(median(alls)), 1500), note },
    row('longest work of the main thread', rounded(longest, 1), 50),
  ];
}

async function findOnce(
  search: LogSearch,
  query: LineQuery,
): Promise<{ readonly first: number; readonly all: number }> {
  const controller = new AbortController();
  const startedAt = performance.now();
  let [first, count] = [NaN, 0];
  const onFound = (found: { readonly count: number }): void => {
    count = found.count;
    if (count > 0 && Number.isNaN(first)) first = performance.now() - startedAt;
  };
  await search.find(query, undefined, onFound, controller.signal);
  const all = performance.now() - startedAt;
  controller.abort();
  if (count !== 3) throw new Error(`${count} lines were found`);
  return { first, all };
}

if (import.meta.main) console.table(await benchLogStore());
