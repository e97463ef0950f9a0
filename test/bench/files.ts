import { execFile } from 'node:child_process';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { readFile, writeArchive } from '../../src/engine/archive.ts';
import { openConnection, type Connection } from '../../src/engine/connection.ts';
import { createContainer } from '../../src/engine/containers.ts';
import { removeContainer } from '../../src/engine/containerVerbs.ts';
import { parseEndpoint } from '../../src/engine/endpoint.ts';
import { writeTar, type NewEntry } from '../../src/engine/tarWriter.ts';
import { PlaceFiles } from '../../src/files/placeFiles.ts';
import { BED_IMAGE } from '../bed/images.ts';
import { inTurn, rounded } from './figures.ts';
import { atMost } from './limit.ts';
import type { BenchRow } from './row.ts';

const ROUNDS = 7;
const MEGABYTE = 1024 * 1024;
const FILE = 50 * MEGABYTE;
/** What lies in the folders of the container besides, for the listing of all of it. */
const [FOLDERS, IN_EACH, EACH] = [100, 100, 45_000] as const;

/** Reading files out of a container, against the same archive read by a program that does nothing else. */
export async function benchFiles(socket: string): Promise<BenchRow[]> {
  const connection = openConnection(parseEndpoint(socket, 'setting'));
  const { id } = await createContainer(connection, { body: { Image: BED_IMAGE, Cmd: ['true'] } });
  try {
    await writeArchive(connection, id, '/tmp', () => writeTar(entries()));
    return await measured(connection, id, socket);
  } finally {
    await removeContainer(connection, id, { force: true });
    connection.dispose();
  }
}

async function measured(connection: Connection, id: string, socket: string): Promise<BenchRow[]> {
  const times = await inTurn(ROUNDS, {
    file: () => readFile(connection, id, '/tmp/big', FILE),
    fileByCurl: () => curl(socket, id, '/tmp/big'),
    list: () => filesOf(connection, id).list('/'),
    listByCurl: () => curl(socket, id, '/.'),
  });
  const row = (name: string, ours: number, theirs: number): BenchRow => ({
    ...{ name, value: rounded(ours, 0), unit: 'ms' },
    peer: `curl of the same archive, ${rounded(theirs, 0)} ms`,
    ratio: rounded(ours / theirs, 2),
  });
  return [
    {
      ...row('read a file of 50 MB out of a container', times.file, times.fileByCurl),
      ...atMost(times.file / times.fileByCurl, 1.2),
    },
    row('list `/` of a container, 500 MB in 10,000 files', times.list, times.listByCurl),
  ];
}

/** Anew each time: what is read once is kept. */
function filesOf(connection: Connection, id: string): PlaceFiles {
  return new PlaceFiles({
    reach: (work) => work(connection, id),
    isMoving: () => false,
    now: Date.now,
  });
}

async function curl(socket: string, id: string, path: string): Promise<void> {
  const url = `http://localhost/containers/${id}/archive?path=${encodeURIComponent(path)}`;
  const args = ['--silent', '--fail', '--unix-socket', socket, '--output', '/dev/null', url];
  await promisify(execFile)('curl', args);
}

function* entries(): Generator<NewEntry> {
  const own = { permissions: 0o644, modifiedAt: 1e12 };
  const file = (name: string, contents: Buffer): NewEntry => ({
    ...{ ...own, name, kind: 'file', size: contents.length },
    open: () => Readable.from([contents]),
  });
  yield file('big', Buffer.alloc(FILE, 'gantry '));
  const small = Buffer.alloc(EACH, 'gantry ');
  for (let folder = 0; folder < FOLDERS; folder++) {
    yield { ...own, permissions: 0o755, name: `d${folder}`, kind: 'folder' };
    for (let at = 0; at < IN_EACH; at++) yield file(`d${folder}/${at}`, small);
  }
}
