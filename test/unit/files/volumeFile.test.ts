import assert from 'node:assert/strict';
import {
  appendFileSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import {
  VolumeFileError,
  type VolumeFileProblem,
} from '../../../src/engine/volumes/volumeErrors.ts';
import { checkVolumeFile, readVolumeFile, type VolumeFile } from '../../../src/files/volumeFile.ts';
import { openLab, type Lab } from '../support/lab.ts';
import { ACCEPTED_TARS, rawTar, REFUSED_TARS } from '../support/oddTars.ts';

describe('readVolumeFile', () => {
  let folder: string;
  let path: string;
  const archive = rawTar({ name: 'f', data: 'hello' }, { name: 'g', data: 'x'.repeat(5000) });
  let lab: Lab;
  beforeEach(() => {
    lab = openLab();
    folder = mkdtempSync(join(tmpdir(), 'gantry-volume-file-'));
    path = join(folder, 'in.tar');
  });
  afterEach(async () => {
    rmSync(folder, { recursive: true });
    await lab.close();
  });

  /** Checks a file for an engine whose API has this version. */
  async function check(file: VolumeFile, api = '1.51'): Promise<void> {
    const { connection, engine } = await lab.fake();
    engine.ping((_request, response) => {
      const server = 'Docker/1 (linux)';
      response.writeHead(200, { 'api-version': api, server }).end('OK');
    });
    return checkVolumeFile(connection, file);
  }

  async function problem(work: Promise<unknown>): Promise<VolumeFileProblem> {
    const error: unknown = await work.then(
      () => assert.fail('not refused'),
      (one: unknown) => one,
    );
    if (!(error instanceof VolumeFileError)) throw error;
    return error.problem;
  }

  for (const [what, bytes] of Object.entries(REFUSED_TARS)) {
    it(`refuses ${what}`, async () => {
      writeFileSync(path, bytes);
      assert.match((await problem(readVolumeFile(path))).kind, /^(?:refused|unsafe)$/);
    });
  }

  for (const [what, bytes] of Object.entries(ACCEPTED_TARS)) {
    it(`accepts ${what}`, async () => {
      writeFileSync(path, bytes);
      assert((await readVolumeFile(path)).summary.entries > 0);
    });
  }

  it('names the entry that engines refuse', async () => {
    writeFileSync(path, rawTar({ name: 'f' }, { name: 'disk.img', type: 'S' }));
    assert.deepEqual(await problem(readVolumeFile(path)), {
      ...{ kind: 'refused', entry: { name: 'disk.img', why: 'type', type: 'S' } },
    });
    const out = { name: 'l', type: '2', link: '../x' };
    writeFileSync(path, rawTar(out, { name: 'l/f' }));
    assert.deepEqual(await problem(readVolumeFile(path)), {
      ...{ kind: 'refused', entry: { name: 'l/f', why: 'name', type: '0' } },
    });
  });

  it('reads archives that gzip or zstd compressed', async () => {
    for (const bytes of [archive, gzipSync(archive), zstdCompressSync(archive)]) {
      writeFileSync(path, bytes);
      const { entries, bytes: size } = (await readVolumeFile(path)).summary;
      assert.deepEqual([entries, size], [2, 5005]);
    }
    for (const bytes of [gzipSync(archive), zstdCompressSync(archive)]) {
      writeFileSync(path, bytes.subarray(0, -8));
      assert.deepEqual(await problem(readVolumeFile(path)), { kind: 'incomplete' });
    }
  });

  it('says how a file is compressed that it cannot read, and that more follows the end', async () => {
    const heads = {
      xz: [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0],
      bzip2: [0x42, 0x5a, 0x68, 0x39],
      lz4: [0x04, 0x22, 0x4d, 0x18],
      zip: [0x50, 0x4b, 0x03, 0x04],
    };
    for (const [format, head] of Object.entries(heads)) {
      writeFileSync(path, Buffer.concat([Buffer.from(head), Buffer.alloc(2000, 'x')]));
      assert.deepEqual(await problem(readVolumeFile(path)), { kind: 'packed', format });
    }
    const half = archive.length / 2;
    const frames = [archive.subarray(0, half), archive.subarray(half)];
    writeFileSync(path, Buffer.concat(frames.map((one) => zstdCompressSync(one))));
    assert.deepEqual(await problem(readVolumeFile(path)), { kind: 'packed', format: 'zstd' });
    for (const more of [archive, Buffer.from('junk')]) {
      writeFileSync(path, Buffer.concat([archive, more]));
      assert.deepEqual(await problem(readVolumeFile(path)), { kind: 'trailing' });
    }
    writeFileSync(path, rawTar({ name: 'BZh.txt' }).subarray(0, 512));
    assert.deepEqual(await problem(readVolumeFile(path)), { kind: 'incomplete' });
  });

  it('does not give an old engine a link out of the volume', async () => {
    const links = ['../x', '/etc/x', 'g'].map((link, at) => ({ name: `l${at}`, type: '2', link }));
    writeFileSync(path, rawTar(...links));
    const file = await readVolumeFile(path);
    assert.equal(file.linkOut, 'l0');
    await check(file);
    assert.deepEqual(await problem(check(file, '1.41')), {
      ...{ kind: 'refused', entry: { name: 'l0', why: 'link', type: '2' } },
    });
  });

  const changes: Readonly<Record<string, () => void>> = {
    'is cut': () => truncateSync(path, 1024),
    'is written to': () => appendFileSync(path, 'x'),
    'is replaced': () => {
      const { atime, mtime } = statSync(path);
      writeFileSync(`${path}.new`, archive);
      utimesSync(`${path}.new`, atime, mtime);
      renameSync(`${path}.new`, path);
    },
    'is written to, with the same size and date': () => {
      const { atime, mtime } = statSync(path);
      writeFileSync(path, Buffer.alloc(archive.length));
      utimesSync(path, atime, mtime);
    },
  };
  for (const [what, change] of Object.entries(changes)) {
    it(`does not give a file that ${what} later`, async () => {
      writeFileSync(path, archive);
      const file = await readVolumeFile(path);
      await check(file);
      change();
      assert.deepEqual(await problem(check(file)), { kind: 'changed' });
    });
  }

  it('does not take a file that is written to meanwhile', async () => {
    writeFileSync(path, archive);
    const reading = readVolumeFile(path, undefined, () => appendFileSync(path, Buffer.alloc(512)));
    assert.deepEqual(await problem(reading), { kind: 'changed' });
  });
});
