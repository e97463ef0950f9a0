import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openConnection, type Connection } from '../../src/engine/http/connection.ts';
import { parseEndpoint } from '../../src/engine/http/endpoint.ts';
import { findImage, removeImage } from '../../src/engine/images/images.ts';
import { pullImage, type PullResult } from '../../src/engine/images/pullImage.ts';
import { delay, wallClock } from '../../src/base/time.ts';
import type { Transfer } from '../../src/registries/transfers/transfer.ts';
import { Transfers } from '../../src/registries/transfers/transfers.ts';
import { REGISTRY_PORTS } from '../bed/engines.ts';
import { startRegistry } from '../bed/registry.ts';
import type { Measurement, Measurements } from './benchmark.ts';
import { timesInTurn } from './figures.ts';
import { withEngine, withFolder, type Stage } from './stage.ts';

const ROUNDS = 7;
const LAYER_BYTES = 6_000_000;
/** The rate and duration of records from a very verbose engine. */
const RECORDS_PER_SECOND = 1000;
const SECONDS = 5;

/**
 * Measures pulling eight layers of 6 MB, compared with the Docker CLI, and how often a verbose engine causes
 * updates of the window.
 */
export async function benchPulls(): Promise<Measurements<'pull' | 'repaints'>> {
  const layers = await withEngine(benchLayers);
  return { pull: layers, repaints: { subject: await withFolder(repaintsPerSecond) } };
}

async function benchLayers({ engine, socket, connection }: Stage): Promise<Measurement> {
  const registry = await startRegistry(engine, {
    port: REGISTRY_PORTS.open,
    layerBytes: LAYER_BYTES,
  });
  const reference = `${registry}/gantry/layers:1`;
  const transfers = new Transfers(wallClock);
  const works = {
    subject: () => pull(transfers, connection, reference).join(),
    peer: () => promisify(execFile)('docker', ['-H', `unix://${socket}`, 'pull', reference]),
  };
  const times = await timesInTurn(ROUNDS, works, () => forget(connection, reference));
  transfers.dispose();
  return times;
}

/** Removes the image, so that the next pull fetches everything. */
async function forget(connection: Connection, reference: string): Promise<void> {
  if (await findImage(connection, reference)) await removeImage(connection, reference);
}

function pull(
  transfers: Transfers,
  connection: Connection,
  reference: string,
): Transfer<PullResult> {
  return transfers.pull({
    kind: 'pull',
    engine: 'bench',
    reference,
    fullName: reference,
    title: reference,
    keepsFailure: false,
    work: (onStep, signal) => pullImage(connection, { reference }, onStep, signal),
  });
}

async function repaintsPerSecond(folder: string): Promise<number> {
  const server = createServer((request, response) => {
    response.setHeader('api-version', '1.41');
    if (request.url?.includes('/images/create') === true) void chatter(response);
    else response.end('{"Id":"sha256:1","Os":"linux","Architecture":"amd64"}');
  });
  const socket = join(folder, 's');
  await once(server.listen(socket), 'listening');
  const connection = openConnection(parseEndpoint(socket, 'setting'));
  const transfers = new Transfers(wallClock);
  let updates = 0;
  transfers.onDidChange(() => (updates += 1));
  const startedAt = performance.now();
  await pull(transfers, connection, 'example.org/much:1').join();
  const perSecond = updates / ((performance.now() - startedAt) / 1000);
  transfers.dispose();
  connection.dispose();
  server.close();
  return perSecond;
}

/** Sends records of eight layers, a few every five milliseconds. */
async function chatter(response: ServerResponse): Promise<void> {
  const all = RECORDS_PER_SECOND * SECONDS;
  const startedAt = performance.now();
  for (let sent = 0; sent < all;) {
    const due = Math.min(all, ((performance.now() - startedAt) / 1000) * RECORDS_PER_SECOND);
    for (; sent < due; sent++) response.write(`${record(sent, all)}\r\n`);
    await delay(5);
  }
  response.end();
}

function record(index: number, all: number): string {
  const progressDetail = { current: index * 1000, total: all * 1000 };
  return JSON.stringify({ status: 'Downloading', progressDetail, id: `layer${index % 8}` });
}
