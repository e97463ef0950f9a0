// The process that `images` runs for each measurement: saves or loads an archive with the product code, and
// prints by how much the peak memory exceeded that at the start.
import { archiveUpload } from '../../src/files/archiveUpload.ts';
import { writeAtomically } from '../../src/base/writeAtomically.ts';
import { openConnection, type Connection } from '../../src/engine/http/connection.ts';
import { parseEndpoint } from '../../src/engine/http/endpoint.ts';
import { ARCHIVE_TYPE, loadImages, saveImages } from '../../src/engine/images/imageArchive.ts';

const [what = '', socket = '', path = '', name = ''] = process.argv.slice(2);

async function work(connection: Connection): Promise<void> {
  if (what === 'save') {
    await writeAtomically(await saveImages(connection, [name]), path, { overwrite: true });
    return;
  }
  const { images } = await loadImages(connection, await archiveUpload(path, ARCHIVE_TYPE));
  if (!images.includes(name)) throw new Error(`Loaded ${images.join()} and not ${name}`);
}

const connection = openConnection(parseEndpoint(socket, 'setting'));
await connection.info();
const before = process.memoryUsage.rss();
const startedAt = performance.now();
await work(connection);
const milliseconds = performance.now() - startedAt;
connection.dispose();
const peak = process.resourceUsage().maxRSS * 1024;
const note = `in ${(milliseconds / 1000).toFixed(1)} s`;
console.log(JSON.stringify({ subject: (peak - before) / 1e6, note }));
