import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { volumeFileSource } from '../../../../src/engine/volumes/fileSource.ts';
import type { Connection } from '../../../../src/engine/http/connection.ts';
import { inspectVolume } from '../../../../src/engine/volumes/volumes.ts';
import {
  isEmptyVolume,
  writeVolumeFiles,
} from '../../../../src/engine/volumes/writeVolumeFiles.ts';
import { exportVolume } from '../../../../src/files/volumeFile.ts';
import { VolumeContainers } from '../../../../src/engine/volumes/volumeContainers.ts';
import {
  VolumeChangedError,
  VolumeUnmountedError,
} from '../../../../src/engine/volumes/volumeErrors.ts';
import { idOf } from '../../inventory/support/nouns.ts';
import { json } from '../../support/fakeEngine.ts';
import { failure, openLab, type Lab } from '../../support/lab.ts';

describe('VolumeContainers', () => {
  let lab: Lab;
  beforeEach(() => {
    lab = openLab();
  });
  afterEach(() => lab.close());

  it('mounts a volume of any name, and never a folder of the host', async () => {
    const mounts: unknown[] = [];
    const { connection } = await lab.fake(({ path, body }, response) => {
      if (path.startsWith('/volumes/'))
        json(response, 200, { Name: decodeURIComponent(path.slice('/volumes/'.length)) });
      else if (path !== '/containers/create') response.writeHead(204).end();
      else {
        const { HostConfig } = JSON.parse(body) as { HostConfig: Record<string, unknown> };
        mounts.push(HostConfig['Binds'] ?? HostConfig['Mounts']);
        json(response, 201, { Id: idOf('a') });
      }
    });
    const containers = new VolumeContainers('aaaaaaaaaaaa-1-bbbbbbbb');
    for (const name of ['shop_db-1.x', 'a/b', 'a:b'])
      await (await containers.open(connection, name))[Symbol.asyncDispose]();
    assert.deepEqual(mounts, [
      ['shop_db-1.x:/volume'],
      [{ Type: 'volume', Source: 'a/b', Target: '/volume' }],
      [{ Type: 'volume', Source: 'a:b', Target: '/volume' }],
    ]);
    for (const name of ['', '/etc', '../x', '.'])
      await failure(containers.open(connection, name), 'notFound');
  });
});

describe('VolumeContainers with a volume that is removed meanwhile', () => {
  let lab: Lab;
  beforeEach(() => {
    lab = openLab();
  });
  afterEach(() => lab.close());

  it('do not take the empty one that the engine creates with the container for it', async () => {
    let CreatedAt = '2026-01-01T00:00:00Z';
    const { connection, engine } = await lab.fake(({ path }, response) => {
      if (path === '/volumes/data') json(response, 200, { Name: 'data', CreatedAt });
      else if (path === '/containers/create') {
        CreatedAt = '2026-01-02T00:00:00Z';
        json(response, 201, { Id: idOf('a') });
      } else response.writeHead(204).end();
    });
    engine.ping((_request, response) => {
      response.writeHead(200, { 'api-version': '1.48', server: 'Docker/28.0.0 (linux)' });
      response.end('OK');
    });
    const containers = new VolumeContainers('aaaaaaaaaaaa-1-bbbbbbbb');
    await assert.rejects(containers.open(connection, 'data'), VolumeChangedError);
    assert(engine.seen.some(({ method }) => method === 'DELETE'));
  });
});

type Work = (connection: Connection, containers: VolumeContainers) => Promise<unknown>;

const EMPTY_TAR = new Uint8Array(1024);
const readByView: Work = (connection, containers) =>
  volumeFileSource(() => Promise.resolve(connection), 'data', containers)(() => Promise.resolve());
const isEmpty: Work = (connection, containers) => isEmptyVolume(connection, 'data', containers);
const write: Work = (connection, containers) => {
  const tar = () => Readable.from([EMPTY_TAR]);
  return writeVolumeFiles(connection, 'data', { containers, tar, summary: () => ({}) });
};
const save =
  (method: 'archive' | 'export'): Work =>
  async (connection, containers) => {
    const folder = mkdtempSync(join(tmpdir(), 'gantry-volume-'));
    const volume = await inspectVolume(connection, 'data');
    const reading = { method, losses: [], volume };
    const file = { path: join(folder, 'x.tar'), overwrite: false };
    await exportVolume(connection, 'data', { containers, reading, ...file, isFresh: true }).finally(
      () => rmSync(folder, { recursive: true }),
    );
  };
describe('VolumeContainers on an engine that mounts volumes only for running containers', () => {
  let lab: Lab;
  beforeEach(() => {
    lab = openLab();
  });
  afterEach(() => lab.close());

  /** Uses a volume with options on Podman, whose container has these states, one for each look. */
  function use(volume: object, ...states: readonly string[]): Promise<string> {
    return useFor(readByView, volume, states);
  }

  async function useFor(work: Work, volume: object, states: readonly string[]): Promise<string> {
    const left = [...states];
    const { connection, engine } = await lab.fake(({ method, path }, response) => {
      const mounts = [{ Type: 'volume', Name: 'data', Destination: '/d' }];
      if (path === '/volumes/data') json(response, 200, { Name: 'data', ...volume });
      else if (method === 'GET' && /archive$|export$/.test(path))
        response.writeHead(200, { 'content-type': 'application/x-tar' }).end(EMPTY_TAR);
      else if (path === '/containers/json') {
        const state = left.shift();
        json(response, 200, [
          ...(state === undefined ? [] : [{ Id: idOf('c'), State: state, Mounts: mounts }]),
        ]);
      } else if (path === '/containers/create') json(response, 201, { Id: idOf('a') });
      else response.writeHead(204).end();
    });
    engine.ping((_request, response) => {
      response.writeHead(200, { 'api-version': '1.41', 'libpod-api-version': '5.8.6' }).end('OK');
    });
    const containers = new VolumeContainers('aaaaaaaaaaaa-1-bbbbbbbb');
    try {
      await work(connection, containers);
      return 'used';
    } catch (error) {
      assert(error instanceof VolumeUnmountedError);
      return left.length < states.length - 1 ? 'unmounted after' : 'unmounted before';
    }
  }

  const bind = { Driver: 'local', Options: { type: 'none', o: 'bind', device: '/srv' } };

  it('uses a volume that needs no mount', async () => {
    for (const Options of [null, {}, { o: 'uid=1000', UID: '1000' }])
      assert.equal(await use({ Driver: 'local', Options }), 'used');
  });

  it('uses one that a running container mounts', async () => {
    assert.equal(await use(bind, 'running', 'running'), 'used');
    assert.equal(await use(bind, 'paused', 'paused'), 'used');
  });

  it('refuses one that no running container mounts, whatever it seems to have', async () => {
    const nfs = { type: 'nfs', o: 'addr=192.0.2.1,rw', device: ':/export' };
    const all = [bind, { Driver: 'local', Options: nfs }, { Driver: 'vieux/sshfs', Options: {} }];
    for (const volume of [...all, { Driver: 'local', Options: { type: 'tmpfs' } }]) {
      assert.equal(await use(volume), 'unmounted before');
      assert.equal(await use(volume, 'exited'), 'unmounted before');
    }
  });

  it('does not take what was read if the container stopped meanwhile', async () => {
    for (const work of [readByView, isEmpty, write, save('archive'), save('export')])
      assert.equal(await useFor(work, bind, ['running', 'exited']), 'unmounted after', work.name);
  });
});
