import { execFile } from 'node:child_process';
import { randomFillSync } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openConnection } from '../../src/engine/http/connection.ts';
import { parseEndpoint } from '../../src/engine/discovery/endpoint.ts';
import { ARCHIVE_TYPE, importImage } from '../../src/engine/images/imageArchive.ts';
import { removeImage } from '../../src/engine/images/images.ts';
import type { Upload } from '../../src/engine/http/engineRequest.ts';
import { english } from '../../src/l10n.ts';
import { tar } from '../bed/tar.ts';
import { atMost } from './limit.ts';
import type { BenchRow } from './row.ts';

const SIZE = 500_000_000;
const PIECE = 1_000_000;
const NAME = 'localhost/gantry-bench-large:1';
/** Megabytes: of what was handed on already so much lies about before it is cleared away, however large an image is. */
const LIMIT = 100;

interface Figure {
  readonly grownMB: number;
  readonly milliseconds: number;
}

/** Saving and loading an image of 500 MB: how much memory that takes at its peak, in a process of its own. */
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
    await importImage(connection, { repository: NAME }, largeFile(), english);
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

/** The archive of one file that no layer can be made smaller of. */
function largeFile(): Upload {
  const [header, end] = framesOf(SIZE);
  return {
    type: ARCHIVE_TYPE,
    async *open() {
      yield header;
      for (let sent = 0; sent < SIZE; sent += PIECE) {
        // A new one each time: what is handed over may be sent much later.
        yield randomFillSync(Buffer.alloc(PIECE));
        await Promise.resolve();
      }
      yield end;
    },
  };
}

/** What stands before and behind the bytes of a file in an archive of it alone. */
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
