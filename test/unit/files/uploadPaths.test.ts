import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { readTar } from '../../../src/engine/archive/readTar.ts';
import type { Connection } from '../../../src/engine/http/connection.ts';
import type { EngineRequest } from '../../../src/engine/http/engineRequest.ts';
import { once } from '../../../src/base/lifetime.ts';
import type { FileSource } from '../../../src/engine/volumes/fileSource.ts';
import { uploadPaths } from '../../../src/files/uploadPaths.ts';
import { pathStat } from '../support/tars.ts';

const FOLDER = { 'x-docker-container-path-stat': pathStat({ mode: 0x8000_0000 + 0o755 }) };

describe('files/uploadPaths', () => {
  let home: string;
  let received: string[];
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'gantry-upload-'));
    mkdirSync(join(home, 'src/d'), { recursive: true });
    received = [];
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  /** A container that takes what is sent. */
  const reach: FileSource = (work) => {
    const send = async ({ upload }: EngineRequest) => {
      if (!upload) return { headers: FOLDER };
      for await (const { name, kind, contents } of readTar(upload.open())) {
        received.push(`${kind} ${name} ${(await buffer(contents)).toString()}`.trim());
      }
      return { headers: {} };
    };
    const info = () => Promise.resolve({ product: 'docker', engineApi: '1.48', api: '1.48' });
    return work({ send, info } as unknown as Connection, 'id');
  };

  const upload = (): Promise<readonly string[]> => uploadPaths(reach, [join(home, 'src')], '/', {});

  it('sends files, folders, links and pipes, and returns the sockets that it skips', async () => {
    writeFileSync(join(home, 'src/d/a'), 'one');
    chmodSync(join(home, 'src/d/a'), 0o400);
    symlinkSync('../outside', join(home, 'src/link'));
    execFileSync('mkfifo', [join(home, 'src/pipe')]);
    const server = createServer().listen(join(home, 'src/sock'));
    try {
      assert.deepEqual(await upload(), [join(home, 'src/sock')]);
    } finally {
      server.close();
    }
    assert.deepEqual(received, [
      'folder src',
      'folder src/d',
      'file src/d/a one',
      'link src/link',
      'other src/pipe',
    ]);
  });

  for (const [what, make] of [
    ['file', (path: Buffer) => writeFileSync(path, '')],
    ['folder', (path: Buffer) => mkdirSync(path)],
  ] as const) {
    it(`writes nothing if the name of a ${what} below is not UTF-8, and names it`, async () => {
      writeFileSync(join(home, 'src/a'), 'one');
      make(Buffer.concat([Buffer.from(join(home, 'src/d/caf')), Buffer.from([0xe9])]));
      await assert.rejects(upload(), {
        name: 'NameEncodingError',
        path: join(home, 'src/d/caf\uFFFD'),
      });
      assert.deepEqual(received, []);
    });
  }

  it('writes nothing if the target of a link is not UTF-8', async () => {
    symlinkSync(Buffer.from([0x61, 0xe9]), join(home, 'src/link'));
    await assert.rejects(upload(), { name: 'NameEncodingError', path: join(home, 'src/link') });
    assert.deepEqual(received, []);
  });

  it('sends nothing through a folder that becomes a link meanwhile', async () => {
    mkdirSync(join(home, 'secret'));
    // Larger than what is read ahead.
    writeFileSync(join(home, 'src/d/a'), 'x'.repeat(2_000_000));
    writeFileSync(join(home, 'src/d/b'), 'mine');
    writeFileSync(join(home, 'secret/b'), 'secret');
    const onBytes = once(() => {
      renameSync(join(home, 'src/d'), join(home, 'old'));
      symlinkSync(join(home, 'secret'), join(home, 'src/d'));
    });
    const uploading = uploadPaths(reach, [join(home, 'src')], '/', { onBytes });
    await assert.rejects(uploading, /src\/d" was replaced while it was uploaded/);
    assert.doesNotMatch(received.join(), /secret/);
  });
});
