import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { writeArchive } from '../../src/engine/archive/archive.ts';
import { writeTar, type NewEntry } from '../../src/engine/archive/writeTar.ts';
import type { Measurement, Measurements } from './benchmark.ts';
import { createOne } from './crowd.ts';
import { withEngine } from './stage.ts';

const FILE_BYTES = 50 * 1024 * 1024;

/** Measures reading a file of 50 MB from a container, compared with curl reading the same archive. */
export function benchFiles(): Promise<Measurements<'download'>> {
  return withEngine(async ({ connection, socket }) => {
    const id = await createOne(socket, 'files');
    await writeArchive(connection, id, '/tmp', () => writeTar([bigFile()]));
    const script = join(import.meta.dirname, 'filesProcess.ts');
    const args = [script, socket, id, '/tmp/big'];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    return { download: JSON.parse(stdout) as Measurement };
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
