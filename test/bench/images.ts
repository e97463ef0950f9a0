import { execFile } from 'node:child_process';
import { randomFillSync } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ARCHIVE_TYPE, importImage } from '../../src/engine/images/imageArchive.ts';
import { removeImage } from '../../src/engine/images/images.ts';
import type { Upload } from '../../src/engine/http/engineRequest.ts';
import { tar } from '../bed/tar.ts';
import type { Measurement, Measurements } from './benchmark.ts';
import { withEngine } from './stage.ts';

const SIZE = 500_000_000;
const PIECE = 1_000_000;
const NAME = 'localhost/gantry-bench-large:1';

/** Measures the peak memory of saving and loading an image of 500 MB, in a process of its own. */
export function benchImages(): Promise<Measurements<'save' | 'load'>> {
  return withEngine(async ({ connection, socket, folder }) => {
    const path = join(folder, 'large.tar');
    const run = async (what: 'save' | 'load'): Promise<Measurement> => {
      const script = join(import.meta.dirname, 'imageProcess.ts');
      const args = [script, what, socket, path, NAME];
      const { stdout } = await promisify(execFile)(process.execPath, args);
      return JSON.parse(stdout) as Measurement;
    };
    await importImage(connection, { repository: NAME }, largeFile());
    const save = await run('save');
    await removeImage(connection, NAME);
    return { save, load: await run('load') };
  });
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
