import { execFile } from 'node:child_process';
import { randomFillSync } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openConnection } from '../../src/engine/http/connection.ts';
import { parseEndpoint } from '../../src/engine/http/endpoint.ts';
import { ARCHIVE_TYPE, importImage } from '../../src/engine/images/imageArchive.ts';
import { removeImage } from '../../src/engine/images/images.ts';
import type { Upload } from '../../src/engine/http/engineRequest.ts';
import { tar } from '../bed/tar.ts';
import { atMost } from './limit.ts';
import type { BenchRow } from './row.ts';

const SIZE = 500_000_000;
const PIECE = 1_000_000;
const NAME = 'localhost/gantry-bench-large:1';
/** In megabytes. Data already passed on stays in memory until it is collected, regardless of the image size. */
const LIMIT = 100;

interface Figure {
  readonly grownMB: number;
  readonly milliseconds: number;
}

/** Measures the peak memory of saving and loading an image of 500 MB, in a process of its own. */
export async function benchImages(socket: string): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-bench-'));
  const connection = openConnection(parseEndpoint(socket, 'setting'));
  const path = join(folder, 'large.tar');
  const run = async (what: 'save' | 'load'): Promise<Figure> => {
    const script = join(import.meta.dirname, 'imageProcess.ts');
    const { stdout } = await promisify(execFile)(process.execPath, [
      script,
      what,
      socket,
      path,
      NAME,
    ]);
    return JSON.parse(stdout) as Figure;
  };
  try {
    await importImage(connection, { repository: NAME }, largeFile());
    const saved = await run('save');
    await removeImage(connection, NAME);
    const loaded = await run('load');
    const size = Math.round(statSync(path).size / 1e6);
    return [rowOf(`saving an image of ${size} MB`, saved), rowOf('loading it again', loaded)];
  } finally {
    connection.dispose();
    rmSync(folder, { recursive: true, force: true });
  }
}

function rowOf(name: string, { grownMB, milliseconds }: Figure): BenchRow {
  return {
    name: `${name}: memory (RSS), its peak over the start`,
    value: Math.round(grownMB),
    unit: 'MB',
    ...atMost(grownMB, LIMIT),
    note: `in ${(milliseconds / 1000).toFixed(1)} s`,
  };
}

/** Returns the archive of a file with random contents, which cannot be compressed. */
function largeFile(): Upload {
  const [header, end] = framesOf(SIZE);
  return {
    type: ARCHIVE_TYPE,
    async *open() {
      yield header;
      for (let sent = 0; sent < SIZE; sent += PIECE) {
        // A new buffer each time: what was passed on may be sent much later.
        yield randomFillSync(Buffer.alloc(PIECE));
        await Promise.resolve();
      }
      yield end;
    },
  };
}

/** Returns the bytes before and after the contents in an archive of a single file. */
function framesOf(size: number): readonly [Buffer, Buffer] {
  const empty = tar([{ name: 'large', kind: 'file', data: Buffer.alloc(0) }]);
  const header = empty.subarray(0, 512);
  header.write(size.toString(8).padStart(11, '0'), 124);
  header.write(' '.repeat(8), 148);
  const sum = header.reduce((all, byte) => all + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  const padding = (512 - (size % 512)) % 512;
  return [header, Buffer.alloc(padding + 1024)];
}
