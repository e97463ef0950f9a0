import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { writeArchive } from '../../src/engine/archive/archive.ts';
import { writeTar, type NewEntry } from '../../src/engine/archive/writeTar.ts';
import { temporaryOwner } from '../../src/engine/images/temporaryMarks.ts';
import { chooseReading } from '../../src/engine/volumes/openVolume.ts';
import { VolumeContainers } from '../../src/engine/volumes/volumeContainers.ts';
import { exportVolume } from '../../src/files/volumeFile.ts';
import type { Measurements } from './benchmark.ts';
import { createOne, verb } from './crowd.ts';
import { timesInTurn } from './figures.ts';
import { withEngine } from './stage.ts';

const ROUNDS = 3;
const NAME = 'gantry-bench';
const FILES = 200;
const FILE_BYTES = 500_000;

/** Measures exporting 100 MB to a `.tar.gz` file, compared with `tar -cz` in a container that mounts the volume. */
export function benchVolumes(): Promise<Measurements<'exported'>> {
  return withEngine(async ({ connection, socket, folder }) => {
    const containers = new VolumeContainers(temporaryOwner('bench'));
    const path = join(folder, 'volume.tar.gz');
    const id = await createOne(socket, 'mounts', { HostConfig: { Binds: [`${NAME}:/data`] } });
    await verb(socket, id, 'start');
    await writeArchive(connection, id, '/data', () => writeTar(entries()));
    const reading = await chooseReading(connection, NAME);
    const options = { containers, reading, path, overwrite: true };
    const tar = ['tar', '-cz', '-f', '/tmp/peer.tar.gz', '/data'];
    const command = ['-H', `unix://${socket}`, 'exec', id, ...tar];
    return {
      exported: await timesInTurn(ROUNDS, {
        subject: () => exportVolume(connection, NAME, options),
        peer: () => promisify(execFile)('docker', command),
      }),
    };
  });
}

/** Yields files whose text shrinks by about a quarter. */
function* entries(): Generator<NewEntry> {
  for (let at = 0; at < FILES; at++) {
    const contents = Buffer.from(randomBytes(FILE_BYTES * 0.75).toString('base64'));
    yield {
      name: `file-${at}`,
      kind: 'file',
      permissions: 0o644,
      modifiedAt: 1e12,
      size: contents.length,
      open: () => Readable.from([contents]),
    };
  }
}
