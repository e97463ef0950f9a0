import assert from 'node:assert/strict';
import { connect, createServer, type Server } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readContainerFile } from '../../src/engine/archive/archive.ts';
import { FileWriteError } from '../../src/engine/files/fileErrors.ts';
import { writeFile } from '../../src/engine/files/writeFile.ts';
import { runExec } from '../../src/engine/exec/runExec.ts';
import { openConnection, type Connection } from '../../src/engine/http/connection.ts';
import { parseEndpoint } from '../../src/engine/http/endpoint.ts';
import { Site } from './support.ts';

const OLD = 'old '.repeat(50_000);
const NEW = 'new '.repeat(500_000);

describe('a save that is cut', () => {
  const site = new Site();
  let folder: string;
  let relay: Server;
  let connection: Connection;
  let id: string;
  /** How many bytes of the next upload reach the engine; undefined for all. */
  let passes: number | undefined;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gantry-relay-'));
    const socket = join(folder, 's');
    relay = createServer((client) => {
      const engine = connect(site.facts.socket);
      let left: number | undefined;
      client.on('data', (bytes) => {
        if (passes !== undefined && bytes.subarray(0, 4).toString() === 'PUT ') {
          left = passes;
          passes = undefined;
        }
        engine.write(left === undefined ? bytes : bytes.subarray(0, left));
        if (left === undefined) return;
        left -= bytes.length;
        if (left > 0) return;
        client.destroy();
        engine.destroy();
      });
      engine.pipe(client);
      for (const one of [client, engine]) one.on('error', () => undefined);
      client.on('close', () => engine.destroy());
    }).listen(socket);
    connection = openConnection(parseEndpoint(`unix://${socket}`, 'setting'));
    id = await site.sleeper();
  });
  after(async () => {
    connection.dispose();
    relay.close();
    rmSync(folder, { recursive: true, force: true });
    await site.leave();
  });

  const contents = async (): Promise<string> =>
    Buffer.from(await readContainerFile(site.connection, id, '/tmp/f', 1e8)).toString();

  for (const bytes of [0, 700, 300_000, 1_500_000]) {
    it(`after ${bytes} bytes leaves the old file or the new one, and says which`, async () => {
      await runExec(site.connection, id, ['sh', '-c', 'rm -f /tmp/f']);
      await writeFile(site.connection, id, '/tmp/f', Buffer.from(OLD), { create: true });
      passes = bytes;
      const done = await writeFile(connection, id, '/tmp/f', Buffer.from(NEW)).catch(
        (error: unknown) => error,
      );
      assert.equal(passes, undefined, 'it was cut');
      const now = await contents();
      assert(now === OLD || now === NEW, `${now.length} bytes`);
      if (done instanceof FileWriteError) assert.equal(done.now, now === OLD ? 'old' : 'new');
      else assert.equal(now, NEW, String(done));
    });
  }
});
