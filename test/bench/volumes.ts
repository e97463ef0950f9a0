import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { writeArchive } from '../../src/engine/archive/archive.ts';
import { writeTar, type NewEntry } from '../../src/engine/archive/writeTar.ts';
import { openConnection } from '../../src/engine/http/connection.ts';
import { parseEndpoint } from '../../src/engine/http/endpoint.ts';
import { temporaryOwner } from '../../src/engine/images/temporaryMarks.ts';
import { chooseReading } from '../../src/engine/volumes/openVolume.ts';
import { VolumeContainers } from '../../src/engine/volumes/volumeContainers.ts';
import { exportVolume } from '../../src/files/volumeFile.ts';
import { createOne, removeOne, verb } from './crowd.ts';
import { inTurn, rounded } from './figures.ts';
import { atLeast } from './limit.ts';
import type { BenchRow } from './row.ts';

const ROUNDS = 3;
const NAME = 'gantry-bench';
const [FILES, SIZE] = [200, 500_000] as const;

/** Measures exporting a volume to a `.tar.gz` file, compared with `tar -cz` in a container that mounts it. */
export async function benchVolumes(socket: string): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-bench-'));
  const connection = openConnection(parseEndpoint(socket, 'setting'));
  const containers = new VolumeContainers(temporaryOwner('bench'));
  const path = join(folder, 'volume.tar.gz');
  const id = await createOne(socket, 'mounts', { HostConfig: { Binds: [`${NAME}:/data`] } });
  try {
    await verb(socket, id, 'start');
    await writeArchive(connection, id, '/data', () => writeTar(entries()));
    const reading = await chooseReading(connection, NAME);
    const options = { containers, reading, path, overwrite: true };
    const tar = ['tar', '-cz', '-f', '/tmp/peer.tar.gz', '/data'];
    const command = ['-H', `unix://${socket}`, 'exec', id, ...tar];
    const times = await inTurn(ROUNDS, {
      ours: () => exportVolume(connection, NAME, options),
      peer: () => promisify(execFile)('docker', command),
    });
    const ratio = times.peer / times.ours;
    return [
      {
        name: `speed of exporting a volume of ${(FILES * SIZE) / 1e6} MB`,
        value: rounded((FILES * SIZE) / 1000 / times.ours, 1),
        unit: 'MB/s',
        peer: `tar -cz in a container that mounts it, ${rounded(times.peer, 0)} ms`,
        ratio: rounded(ratio, 2),
        ...atLeast(ratio, 0.8),
      },
    ];
  } finally {
    await removeOne(socket, id);
    connection.dispose();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Yields files whose text shrinks by about a quarter. */
function* entries(): Generator<NewEntry> {
  for (let at = 0; at < FILES; at++) {
    const contents = Buffer.from(randomBytes(SIZE * 0.75).toString('base64'));
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
