import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { imageFileSource } from '../../../src/engine/volumes/fileSource.ts';
import { TEXT_LIMIT, type ComparedFile } from '../../../src/review/fileComparison.ts';
import { readComparedFile, statComparedFile } from '../../../src/review/readComparedFile.ts';
import { json, type Answer, type FakeEngine } from '../support/fakeEngine.ts';
import { failure, openLab, type Lab } from '../support/lab.ts';
import { pathStat, packed } from '../support/tars.ts';

const ID = 'c'.repeat(64);
const FOLDER = 0x8000_0000 + 0o755;
const LINK = 0x0800_0000 + 0o777;
const PIPE = 0x0200_0000 + 0o600;

describe('review/readComparedFile', () => {
  let lab: Lab;
  let engine: FakeEngine;
  beforeEach(() => (lab = openLab()));
  afterEach(() => lab.close());

  async function read(answer: Answer): Promise<ComparedFile | undefined> {
    const { connection, engine: asked } = await lab.fake(answer);
    engine = asked;
    return readComparedFile((work) => work(connection, ID), '/etc/web');
  }

  /** Answers with this stat of the path and these bytes as its archive. */
  function answers(stat: object, bytes: Uint8Array = Buffer.alloc(1024)): Answer {
    return ({ method }, response) => {
      response.writeHead(200, { 'x-docker-container-path-stat': pathStat(stat) });
      response.end(method === 'HEAD' ? undefined : bytes);
    };
  }

  it('reads a file completely, even if its stat has another size', async () => {
    const bytes = await packed([{ name: 'web', size: 3 }]);
    const { content, ...rest } = (await read(answers({ mode: 0o640, size: 9 }, bytes))) ?? {};
    assert.equal(Buffer.from(content ?? []).toString(), '...');
    assert.deepEqual(rest, { kind: 'file', size: 3, mode: 0o640, target: '' });
  });

  it('keeps the contents of a file up to the limit, and only the hash of a larger one', async () => {
    for (const more of [0, 1]) {
      const size = TEXT_LIMIT + more;
      const found = await read(answers({ mode: 0o644, size }, await packed([{ name: 'a', size }])));
      assert.equal(found?.size, size);
      assert.equal(found.content?.length, more === 0 ? size : undefined);
      const hash = createHash('sha256').update(Buffer.alloc(size, '.')).digest('hex');
      assert.equal(found.hash, more === 0 ? undefined : hash);
    }
  });

  it('returns a link target as written in the archive, or else as in the stat', async () => {
    const stat = { mode: LINK, size: 4, linkTarget: '/etc/end' };
    const link = await packed([{ name: 'web', type: 'symlink', linkname: 'end' }]);
    assert.equal((await read(answers(stat, link)))?.target, 'end');
    const end = await packed([{ name: 'end', size: 3 }]);
    const followed = await read(answers(stat, end));
    assert.deepEqual([followed?.target, followed?.content], ['/etc/end', undefined]);
    assert.equal((await read(answers(stat)))?.target, '/etc/end');
  });

  it('does not read the contents of folders and special files', async () => {
    for (const [mode, kind] of [
      [FOLDER, 'folder'],
      [PIPE, 'other'],
    ] as const) {
      assert.equal((await read(answers({ mode })))?.kind, kind);
      assert.deepEqual(
        engine.seen.map(({ method }) => method),
        ['HEAD'],
      );
    }
  });

  it('returns undefined if the path does not exist, and passes on other errors', async () => {
    const refuse =
      (status: number): Answer =>
      (_, response) =>
        json(response, status, { message: 'no' });
    assert.equal(await read(refuse(404)), undefined);
    await failure(read(refuse(500)), 'failed');
    const { connection } = await lab.fake(refuse(404));
    assert.equal(await statComparedFile((work) => work(connection, ID), '/a'), undefined);
  });

  it('rejects if the image of a side no longer exists, but not if only the path does not', async () => {
    let isGone = false;
    const { connection } = await lab.fake(({ path }, response) => {
      if (path !== '/containers/create')
        json(response, 404, { message: 'Could not find the file' });
      else if (isGone) json(response, 404, { message: 'No such image: sha256:a' });
      else json(response, 201, { Id: ID });
    });
    const side = imageFileSource(() => Promise.resolve(connection), 'sha256:a', 'me');
    assert.equal(await readComparedFile(side, '/a'), undefined);
    isGone = true;
    const { engineMessage } = await failure(readComparedFile(side, '/a'), 'notFound');
    assert.equal(engineMessage, 'No such image: sha256:a');
  });
});
