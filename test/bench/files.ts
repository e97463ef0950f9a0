import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { writeArchive } from '../../src/engine/archive/archive.ts';
import { openConnection } from '../../src/engine/http/connection.ts';
import { createContainer } from '../../src/engine/containers/containers.ts';
import { removeContainer } from '../../src/engine/containers/containerLifecycle.ts';
import { parseEndpoint } from '../../src/engine/http/endpoint.ts';
import { writeTar, type NewEntry } from '../../src/engine/archive/writeTar.ts';
import { BED_IMAGE } from '../bed/images.ts';
import { rounded } from './figures.ts';
import { atMost } from './limit.ts';
import type { BenchRow } from './row.ts';

const MEGABYTE = 1024 * 1024;
const FILE = 50 * MEGABYTE;
/** Additional files in the container, for listing all of it. */
const [FOLDERS, IN_EACH, EACH] = [100, 100, 45_000] as const;

/** Medians in milliseconds. */
interface Times {
  readonly ours: number;
  readonly curl: number;
}

/** Measures reading files from a container, compared with curl reading the same archive. */
export async function benchFiles(socket: string): Promise<BenchRow[]> {
  const connection = openConnection(parseEndpoint(socket, 'setting'));
  const { id } = await createContainer(connection, { body: { Image: BED_IMAGE, Cmd: ['true'] } });
  try {
    await writeArchive(connection, id, '/tmp', () => writeTar(entries()));
    return await measured(socket, id);
  } finally {
    await removeContainer(connection, id, { force: true });
    connection.dispose();
  }
}

async function measured(socket: string, id: string): Promise<BenchRow[]> {
  const script = join(import.meta.dirname, 'filesProcess.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [script, socket, id, '/tmp/big']);
  const { file, list } = JSON.parse(stdout) as { readonly file: Times; readonly list: Times };
  return [
    {
      ...row('read a file of 50 MB out of a container', file),
      ...atMost(file.ours / file.curl, 1.2),
    },
    row('list `/` of a container, 500 MB in 10,000 files', list),
  ];
}

function row(name: string, { ours, curl }: Times): BenchRow {
  return {
    ...{ name, value: rounded(ours, 0), unit: 'ms' },
    peer: `curl of the same archive, ${rounded(curl, 0)} ms`,
    ratio: rounded(ours / curl, 2),
  };
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
