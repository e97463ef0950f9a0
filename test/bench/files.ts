import { execFile } from 'node:child_process';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { writeArchive } from '../../src/engine/archive/archive.ts';
import { writeTar, type NewEntry } from '../../src/engine/archive/writeTar.ts';
import { writeFile } from '../../src/engine/files/writeFile.ts';
import type { Connection } from '../../src/engine/http/connection.ts';
import type { Measurement, Measurements } from './benchmark.ts';
import { createOne, verb } from './crowd.ts';
import { timesInTurn } from './figures.ts';
import { withEngine } from './stage.ts';

const FILE_BYTES = 50 * 1024 * 1024;

/** Measures reading a file of 50 MB from a container, compared with curl reading the same archive. */
export function benchFiles(): Promise<Measurements<'download' | 'saved'>> {
  return withEngine(async ({ connection, socket, folder }) => {
    const id = await createOne(socket, 'files');
    await writeArchive(connection, id, '/tmp', () => writeTar([bigFile()]));
    const script = join(import.meta.dirname, 'filesProcess.ts');
    const args = [script, socket, id, '/tmp/big'];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    const download = JSON.parse(stdout) as Measurement;
    return { download, saved: await benchSave(connection, socket, folder) };
  });
}

const SMALL_BYTES = 10_000;
const SAVES = 15;

/** Measures saving a file of 10 kB of a running container that is open, compared with `docker cp` of the same. */
async function benchSave(
  connection: Connection,
  socket: string,
  folder: string,
): Promise<Measurement> {
  const id = await createOne(socket, 'saves', {});
  await verb(socket, id, 'start');
  const contents = Buffer.alloc(SMALL_BYTES, 'gantry ');
  const local = join(folder, 'small');
  await fs.writeFile(local, contents);
  const path = '/etc/small.conf';
  const { hash } = await writeFile(connection, id, path, contents, { create: true });
  const command = ['-H', `unix://${socket}`, 'cp', '--quiet', local, `${id}:${path}`];
  return timesInTurn(SAVES, {
    subject: () => writeFile(connection, id, path, contents, { expected: hash, links: 1 }),
    peer: () => promisify(execFile)('docker', command),
  });
}

function bigFile(): NewEntry {
  const contents = Buffer.alloc(FILE_BYTES, 'gantry ');
  return {
    name: 'big',
    kind: 'file',
    permissions: 0o644,
    modifiedAt: 1e12,
    size: contents.length,
    open: () => Readable.from([contents]),
  };
}
