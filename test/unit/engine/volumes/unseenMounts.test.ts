import assert from 'node:assert/strict';
import type { TarEntry } from '../../../../src/engine/archive/readTar.ts';
import type { Connection } from '../../../../src/engine/http/connection.ts';
import { TEMPORARY_LABEL } from '../../../../src/engine/images/temporaryMarks.ts';
import {
  checkSeen,
  checkUploadSeen,
  listUnseenMounts,
  readFolder,
} from '../../../../src/engine/volumes/unseenMounts.ts';
import {
  UnseenMountError,
  VolumeUnmountedError,
} from '../../../../src/engine/volumes/volumeErrors.ts';
import { idOf } from '../../inventory/support/nouns.ts';
import { json, type Answer } from '../../support/fakeEngine.ts';
import { failure, openLab, type Lab } from '../../support/lab.ts';
import { packed, pathStat } from '../../support/tars.ts';

const ID = idOf('a');
const FOLDER_MODE = 0x8000_0000;

describe('mounts that an archive does not have', () => {
  let lab: Lab;
  beforeEach(() => (lab = openLab()));
  afterEach(() => lab.close());

  /** Starts an engine that mounts volumes only for running containers, unless it is another product. */
  async function connect(
    answer: Answer,
    product: object = { 'libpod-api-version': '5.8.6' },
  ): Promise<Connection> {
    const { connection, engine } = await lab.fake(answer);
    engine.ping((_request, response) => {
      response.writeHead(200, { 'api-version': '1.41', ...product }).end('OK');
    });
    return connection;
  }

  describe('are listed', () => {
    const MOUNTS = [
      { Type: 'volume', Name: 'nfs', Destination: '//far/' },
      { Type: 'bind', Source: '/home/me', Destination: '/./data//cache' },
      { Type: 'volume', Name: 'plain', Destination: '/data' },
      { Type: 'tmpfs', Destination: '/tmp' },
    ];
    const ALL = [
      { target: '/data' },
      { target: '/data/cache' },
      { target: '/far', unmounted: 'nfs' },
    ];

    /** Starts an engine that has one container. */
    const withContainer = (details: object, product?: object): Promise<Connection> =>
      connect(({ path }, response) => {
        const options = path.endsWith('/nfs') ? { type: 'nfs', device: ':/export' } : {};
        if (path === '/containers/json') json(response, 200, []);
        else if (path === '/volumes/gone') json(response, 404, { message: 'no such volume' });
        else if (path.startsWith('/volumes/'))
          json(response, 200, { Name: path.slice(9), Driver: 'local', Options: options });
        else json(response, 200, { Id: ID, Name: '/web', State: { Status: 'exited' }, ...details });
      }, product);

    const ours = {
      Name: '/gantry-temporary-0123456789ab',
      Config: { Labels: { [TEMPORARY_LABEL]: 'aaaaaaaaaaaa-1-bbbbbbbb' } },
    };
    for (const [what, details, expected] of [
      ['for a stopped container', {}, ALL],
      ['for a paused one', { State: { Status: 'paused' } }, ALL],
      ['but none for a running one', { State: { Status: 'running' } }, []],
      ['but none for one of Gantry', ours, []],
    ] as const)
      it(what, async () => {
        const connection = await withContainer({ Mounts: MOUNTS, ...details });
        assert.deepEqual(await listUnseenMounts(connection, ID), expected);
      });

    it('but none of a volume, or on an engine that mounts all for an archive', async () => {
      const podman = await withContainer({ Mounts: MOUNTS });
      assert.deepEqual(await listUnseenMounts(podman, { container: ID, folder: '/volume' }), []);
      const product = { server: 'Docker/28.0.0 (linux)' };
      assert.deepEqual(
        await listUnseenMounts(await withContainer({ Mounts: MOUNTS }, product), ID),
        [],
      );
    });

    it('or it fails, if the engine does not say what is mounted', async () => {
      await failure(listUnseenMounts(await withContainer({}), ID), 'badAnswer');
      const Mounts = [{ Type: 'volume', Name: 'gone', Destination: '/data' }];
      await failure(listUnseenMounts(await withContainer({ Mounts }), ID), 'notFound');
    });
  });

  const NESTED = [
    { target: '/a', unmounted: 'outer' },
    { target: '/a/b' },
    { target: '/a/b/c', unmounted: 'inner' },
  ];
  for (const [path, volume] of [
    ['/', undefined],
    ['/ab', undefined],
    ['/a', 'outer'],
    ['/a/x/', 'outer'],
    ['/a/b', undefined],
    ['/a//b/x', undefined],
    ['/a/b/c/d', 'inner'],
  ] as const)
    it(`hide ${path}: ${volume ?? 'no'}`, () => {
      const check = (): void => {
        checkSeen(NESTED, path);
      };
      if (volume === undefined) check();
      else assert.throws(check, new VolumeUnmountedError(volume));
    });

  for (const [folder, files, error] of [
    ['/a', [], new VolumeUnmountedError('outer')],
    ['/', ['a'], new VolumeUnmountedError('outer')],
    ['/a/b', ['c'], new VolumeUnmountedError('inner')],
    ['/a/b/', ['x', ''], undefined],
    ['/', ['x', 'a/b'], new UnseenMountError('/a/b')],
  ] as const)
    it(`are not written below by ${JSON.stringify(files)} in ${folder}`, async () => {
      const has = (path: string): Promise<boolean> =>
        Promise.resolve((files as readonly string[]).includes(path));
      const work = checkUploadSeen(NESTED, folder, has);
      await (error ? assert.rejects(work, error) : work);
    });

  describe('are read with the folder', () => {
    /** Starts an engine that has these archives and kinds of paths. */
    const withFiles = (
      archives: Readonly<Record<string, Parameters<typeof packed>[0]>>,
      modes: Readonly<Record<string, number>>,
    ): Promise<Connection> =>
      connect(async ({ method, query }, response) => {
        const path = query.get('path') ?? '';
        const [archive, mode] = [archives[path], modes[path]];
        if (method === 'HEAD' && mode !== undefined)
          response.writeHead(200, {
            'x-docker-container-path-stat': pathStat({ name: 'x', mode, size: 1 }),
          });
        else if (method === 'GET' && archive)
          response.writeHead(200, { 'content-type': 'application/x-tar' });
        else response.writeHead(404);
        response.end(method === 'GET' && archive ? await packed(archive) : undefined);
      });

    /** Reads a folder. Resolves to the names of its entries, those of folders with a slash, and what is unread. */
    async function read(
      connection: Connection,
      folder: string,
      unseen: Parameters<typeof readFolder>[3]['unseen'],
    ): Promise<{ readonly names: readonly string[]; readonly unread: readonly string[] }> {
      const unread: string[] = [];
      const onUnread = ({ path }: { readonly path: string }): void => void unread.push(path);
      const names: string[] = [];
      const entries = readFolder(connection, ID, folder, { unseen, onUnread });
      for await (const entry of entries) names.push(shown(entry));
      return { names, unread };
    }

    it('without what they hide, with the folders above them, and each file once', async () => {
      const connection = await withFiles(
        {
          '/data/.': [
            ...[folderOf('./'), { name: './a' }, folderOf('./cache/'), { name: './cache/hidden' }],
            ...[folderOf('./conf/'), { name: './conf/app.ini' }, { name: './conf/b' }],
            ...[folderOf('./far/'), { name: './far/hidden' }],
          ],
          '/data/cache/.': [
            ...[folderOf('./'), { name: './c' }, folderOf('./inner/'), { name: './inner/hidden' }],
            { name: './same', type: 'link', linkname: 'c' },
            { name: './to', type: 'symlink', linkname: 'c' },
          ],
          '/data/cache/inner/.': [folderOf('./'), { name: './i' }],
          '/data/new/deep/.': [folderOf('./'), { name: './d' }],
          '/data/new/other/.': [folderOf('./')],
        },
        {
          ...{ '/data/cache': FOLDER_MODE, '/data/cache/inner': FOLDER_MODE },
          ...{ '/data/conf/app.ini': 0, '/data/new/deep': FOLDER_MODE },
          '/data/new/other': FOLDER_MODE,
        },
      );
      const unseen = [
        ...[{ target: '/data' }, { target: '/data/cache' }, { target: '/data/cache/inner' }],
        ...[{ target: '/data/conf/app.ini' }, { target: '/data/far', unmounted: 'nfs' }],
        ...[{ target: '/data/gone' }, { target: '/data/new/deep' }, { target: '/data/new/other' }],
        ...[{ target: '/data/off', unmounted: 'nfs' }, { target: '/database' }],
      ];
      assert.deepEqual(await read(connection, '/data/', unseen), {
        names: [
          ...['/', 'a', 'cache/', 'conf/', 'conf/b', 'far/'],
          ...['cache/c', 'cache/inner/', 'cache/same = cache/c', 'cache/to -> c'],
          'cache/inner/i',
          ...['new/', 'new/deep/', 'new/deep/d', 'new/other/', 'off/'],
        ],
        unread: ['conf/app.ini', 'far', 'gone', 'off'],
      });
    });

    it('also in the root of a container', async () => {
      const archives = { '/.': [folderOf('./'), { name: './a' }], '/m/.': [{ name: './b' }] };
      const connection = await withFiles(archives, { '/m': FOLDER_MODE });
      assert.deepEqual(await read(connection, '/', [{ target: '/m' }]), {
        names: ['/', 'a', 'm/', 'm/b'],
        unread: [],
      });
    });

    it('which comes as the engine sends it if it has none', async () => {
      const connection = await withFiles({ '/data/.': [folderOf('./'), { name: './a' }] }, {});
      const { names } = await read(connection, '/data', [{ target: '/data' }]);
      assert.deepEqual(names, ['.//', './a']);
      const inVolume = read(connection, '/data', [{ target: '/data', unmounted: 'nfs' }]);
      await assert.rejects(inVolume, VolumeUnmountedError);
    });

    it('or it fails, if the engine cannot be asked what one is', async () => {
      const connection = await connect(async ({ method }, response) => {
        if (method === 'HEAD') response.destroy();
        else response.writeHead(200).end(await packed([folderOf('./')]));
      });
      await failure(read(connection, '/', [{ target: '/m' }]), 'cut');
    });
  });
});

function folderOf(name: string): Parameters<typeof packed>[0][number] {
  return { name, type: 'directory' };
}

function shown({ name, kind, linkTarget }: TarEntry): string {
  if (kind === 'hardLink') return `${name} = ${linkTarget}`;
  if (linkTarget !== '') return `${name} -> ${linkTarget}`;
  return kind === 'folder' ? `${name}/` : name;
}
