import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import type { Connection } from '../../../../src/engine/http/connection.ts';
import { counted } from '../../../../src/engine/volumes/cloneVolume.ts';
import {
  containerFileSource,
  volumeFileSource,
} from '../../../../src/engine/volumes/fileSource.ts';
import { chooseReading, openVolume } from '../../../../src/engine/volumes/openVolume.ts';
import { VolumeContainers } from '../../../../src/engine/volumes/volumeContainers.ts';
import { VolumeUnmountedError } from '../../../../src/engine/volumes/volumeErrors.ts';
import {
  isEmptyVolume,
  writeVolumeFiles,
} from '../../../../src/engine/volumes/writeVolumeFiles.ts';
import { idOf, volume } from '../../inventory/support/nouns.ts';
import { frame } from '../../support/chunks.ts';
import { json, type Answer, type FakeEngine } from '../../support/fakeEngine.ts';
import { failure, openLab, settle, when, type Lab } from '../../support/lab.ts';
import { packed } from '../../support/tars.ts';

const OWNER = 'aaaaaaaaaaaa-1-bbbbbbbb';
const IMAGE = `localhost/gantry-temporary:${OWNER}`;
const OLD_PODMAN = { 'libpod-api-version': '4.3.1' };

describe('the files of a volume', () => {
  let lab: Lab;
  let containers: VolumeContainers;
  beforeEach(() => {
    lab = openLab();
    containers = new VolumeContainers(OWNER);
  });
  afterEach(() => lab.close());

  /** Starts an engine with a volume. */
  async function withVolume(
    answer: Answer,
    { product = {}, options = {} }: { readonly product?: object; readonly options?: object } = {},
  ): Promise<{ readonly connection: Connection; readonly engine: FakeEngine }> {
    const { connection, engine } = await lab.fake((request, response) => {
      const { path, method } = request;
      if (path === '/volumes/data')
        json(response, 200, { Name: 'data', Driver: 'local', Options: options });
      else if (method === 'DELETE') response.writeHead(204).end();
      else return answer(request, response);
      return undefined;
    });
    engine.ping((_request, response) => {
      response.writeHead(200, { 'api-version': '1.41', ...product }).end('OK');
    });
    return { connection, engine };
  }
  for (const isThere of [false, true])
    it(`need an image that is ${isThere ? 'there already' : 'imported once'} if it is missing for several`, async () => {
      let [hasImage, refused] = [false, 0];
      const imported: unknown[] = [];
      const { connection } = await withVolume(async ({ path, query, body }, response) => {
        if (path === '/containers/create' && !hasImage) {
          refused += 1;
          hasImage = isThere;
          json(response, 404, { message: 'no such image' });
        } else if (path === '/containers/create') {
          assert.equal((JSON.parse(body) as { Image: string }).Image, IMAGE);
          json(response, 201, { Id: idOf('a') });
        } else if (path !== '/images/create')
          if (hasImage) json(response, 200, { Id: `sha256:${idOf('f')}`, RepoTags: [IMAGE] });
          else json(response, 404, { message: 'no such image' });
        else {
          imported.push([query.get('repo'), query.getAll('changes'), body.length]);
          await when(() => refused === 2);
          await settle();
          hasImage = true;
          json(response, 200, { status: `sha256:${idOf('f')}` });
        }
      });
      const source = volumeFileSource(() => Promise.resolve(connection), 'data', containers);
      const roots = await Promise.all(
        [1, 2].map(() => source((_connection, root) => Promise.resolve(root))),
      );
      const root = { container: idOf('a'), folder: '/volume' };
      assert.deepEqual(roots, [root, root]);
      const changes = [`LABEL io.gantry.temporary=${OWNER}`, 'USER 0:0'];
      assert.deepEqual(imported, isThere ? [] : [[IMAGE, changes, 1024]]);
    });

  it('need the image again at the next use if it could not be imported', async () => {
    let [hasImage, imports] = [false, 0];
    const { connection } = await withVolume(({ path }, response) => {
      if (path === '/images/create') {
        imports += 1;
        hasImage = imports > 1;
        json(response, hasImage ? 200 : 500, { status: `sha256:${idOf('f')}` });
      } else if (hasImage) json(response, 201, { Id: idOf('a') });
      else json(response, 404, { message: 'no such image' });
    });
    await failure(containers.open(connection, 'data'), 'failed');
    await using mounted = await containers.open(connection, 'data');
    assert.deepEqual(mounted.root, { container: idOf('a'), folder: '/volume' });
  });

  it('need a container that is removed also if nothing was read', async () => {
    const { connection, engine } = await withVolume(async ({ path }, response) => {
      if (path === '/containers/create') json(response, 201, { Id: idOf('a') });
      else response.writeHead(200).end(await packed([{ name: './a' }]));
    });
    const reading = { method: 'archive', losses: [], volume: volume('data') } as const;
    await (await openVolume(connection, 'data', { containers, reading }))[Symbol.asyncDispose]();
    const removals = engine.seen.filter(({ method }) => method === 'DELETE');
    assert.deepEqual(
      removals.map(({ path }) => path),
      [`/containers/${idOf('a')}`],
    );
  });

  it('are not looked for if the engine has not mounted the volume', async () => {
    const { connection } = await withVolume(
      (_request, response) => {
        json(response, 200, []);
      },
      { product: OLD_PODMAN, options: { type: 'nfs', device: ':/export' } },
    );
    await assert.rejects(chooseReading(connection, 'data'), VolumeUnmountedError);
  });

  it('of a container are its own', async () => {
    const { connection } = await lab.fake();
    const source = containerFileSource(() => Promise.resolve(connection), 'id');
    assert.equal(await source((_connection, root) => Promise.resolve(root)), 'id');
  });

  for (const [what, entries, isEmpty] of [
    ['are none if there is only their folder', [{ name: './', type: 'directory' }], true],
    ['are some if it has one', [{ name: './', type: 'directory' }, { name: './a' }], false],
  ] as const)
    it(what, async () => {
      const { connection } = await withVolume(async ({ path }, response) => {
        if (path === '/containers/create') json(response, 201, { Id: idOf('a') });
        else response.writeHead(200).end(await packed(entries));
      });
      assert.equal(await isEmptyVolume(connection, 'data', containers), isEmpty);
    });

  it('are not known to be none if the engine does not send the end of their archive', async () => {
    const { connection } = await withVolume(async ({ path }, response) => {
      if (path === '/containers/create') json(response, 201, { Id: idOf('a') });
      else {
        const tar = await packed([{ name: './', type: 'directory' }]);
        response.writeHead(200).end(tar.subarray(0, 512));
      }
    });
    await failure(isEmptyVolume(connection, 'data', containers), 'cut');
  });

  it('are not written if the last container stops meanwhile', async () => {
    const Mounts = [{ Type: 'volume', Name: 'data', Destination: '/d' }];
    let State = 'running';
    const { connection } = await withVolume(
      ({ path, method }, response) => {
        if (path === '/containers/create') json(response, 201, { Id: idOf('a') });
        else if (path === '/containers/json')
          json(response, 200, [{ Id: idOf('c'), State, Mounts }]);
        else {
          if (method === 'PUT') State = 'exited';
          response.writeHead(200).end();
        }
      },
      { product: OLD_PODMAN, options: { type: 'nfs', device: ':/export' } },
    );
    const tar = () => chunks(Buffer.alloc(1024));
    const target = { containers, tar, summary: () => ({}) };
    await assert.rejects(writeVolumeFiles(connection, 'data', target), VolumeUnmountedError);
    assert.equal(State, 'exited');
  });

  describe('that a container packs', () => {
    /** Reads through a container whose `tar` writes this and has this exit code. */
    async function read(exitCode: number, ...output: readonly Uint8Array[]): Promise<Buffer> {
      const { connection, engine } = await withVolume(({ path }, response) => {
        if (path.endsWith('/exec')) json(response, 201, { Id: idOf('e') });
        else if (path.endsWith('/json'))
          json(response, 200, { Running: false, ExitCode: exitCode });
        else {
          response.writeHead(200, { 'content-type': 'application/vnd.docker.raw-stream' });
          response.end(Buffer.concat(output));
        }
      });
      const method = { container: idOf('c'), path: '/d' };
      const reading = { method, losses: [], volume: volume('data') };
      await using opened = await openVolume(connection, 'data', { containers, reading });
      const tar = await buffer(opened.tar);
      await opened.check();
      const { body = '' } = engine.seen.find(({ path }) => path.endsWith('/exec')) ?? {};
      const { Cmd, User } = JSON.parse(body) as { Cmd: unknown; User: unknown };
      assert.deepEqual([Cmd, User], [['tar', '-cf', '-', '-C', '/d', '.'], '0']);
      return tar;
    }

    let tar: Buffer;
    before(async () => {
      tar = await packed([{ name: './a', size: 5 }]);
    });

    for (const [what, exitCode, words] of [
      ['all', 0, 'tar: removing leading /'],
      ['one that was written to meanwhile', 1, 'tar: ./a: file changed as we read it'],
      ['one that was removed meanwhile', 1, 'tar: ./b: File removed before we read it'],
    ] as const)
      it(`are ${what}`, async () => {
        const parts = [
          frame(1, tar.subarray(0, 600)),
          frame(2, words),
          frame(1, tar.subarray(600)),
        ];
        assert.deepEqual(await read(exitCode, ...parts), tar);
      });

    for (const [what, exitCode, words, expected] of [
      ['cannot read one', 1, 'tar: ./a: Permission denied\n', 'tar: ./a: Permission denied'],
      ['fails also in another way', 2, 'file changed as we read it', 'file changed as we read it'],
      ['fails without a word', 3, '', 'exit code 3'],
      ['has much to say', 2, `start${'x'.repeat(3000)} end`, `${'x'.repeat(1996)} end`],
    ] as const)
      it(`are none if tar ${what}`, async () => {
        const error = await failure(read(exitCode, frame(1, tar), frame(2, words)), 'failed');
        assert.equal(error.engineMessage, expected);
      });
  });

  it('are counted while they are copied', async () => {
    const counts: number[] = [];
    const source = counted(chunks(Buffer.alloc(3), Buffer.alloc(4)), (bytes) => counts.push(bytes));
    assert.equal((await buffer(source)).length, 7);
    assert.deepEqual(counts, [3, 7]);
  });
});

async function* chunks(...all: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* await Promise.resolve(all);
}
