import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { FileWriteError } from '../../../../src/engine/files/fileErrors.ts';
import { writeFile } from '../../../../src/engine/files/writeFile.ts';
import { writeTar } from '../../../../src/engine/archive/writeTar.ts';

import { idOf } from '../../inventory/support/nouns.ts';
import { json } from '../../support/fakeEngine.ts';
import { openLab, type Lab } from '../../support/lab.ts';
import { pathStat } from '../../support/tars.ts';

const ID = idOf('a');
const OLD = 'old '.repeat(100);
const NEW = 'new '.repeat(100);

async function archive(text: string): Promise<Buffer> {
  const entry = {
    name: 'f',
    kind: 'file',
    permissions: 0o640,
    uid: 1,
    gid: 1,
    modifiedAt: 0,
    size: text.length,
    open: () => Readable.from([Buffer.from(text)]),
  } as const;
  const parts: Uint8Array[] = [];
  for await (const part of writeTar([entry])) parts.push(part);
  return Buffer.concat(parts);
}

describe('writeFile', () => {
  let lab: Lab;
  beforeEach(() => (lab = openLab()));
  afterEach(() => lab.close());

  /**
   * Saves a file of an engine that cuts the upload.
   *
   * @param later what the file has at each later look: an engine may work on what it got after the connection has ended.
   */
  async function saveCut(later: readonly string[]): Promise<{ done: unknown; text: string }> {
    let text = OLD;
    const left = [...later];
    let uploads = 0;
    const { connection } = await lab.fake(async ({ method, path }, response) => {
      if (!path.endsWith('/archive')) {
        json(response, 200, { Id: ID, State: { Status: 'exited' }, Mounts: [] });
      } else if (method === 'PUT') {
        uploads += 1;
        if (uploads > 1) text = NEW;
        if (uploads > 1) json(response, 200, {});
        else response.destroy();
      } else {
        const isFile = method === 'GET';
        if (isFile && uploads === 1) text = left.shift() ?? text;
        const stat = pathStat({ mode: 0o640, size: text.length });
        response.writeHead(200, { 'x-docker-container-path-stat': stat });
        response.end(isFile ? await archive(text) : undefined);
      }
    });
    const done = await writeFile(connection, ID, '/f', Buffer.from(NEW)).catch(
      (error: unknown) => error,
    );
    return { done, text };
  }

  it('says that the old file is there if the engine got nothing of a cut upload', async () => {
    const { done, text } = await saveCut([]);
    assert(done instanceof FileWriteError);
    assert.equal(done.now, 'old');
    assert.equal(text, OLD);
  });

  it('repairs a half file that the engine writes only after the connection has ended', async () => {
    const { done, text } = await saveCut([OLD, OLD, NEW.slice(0, 50)]);
    assert.equal(text, NEW, String(done));
  });
});
