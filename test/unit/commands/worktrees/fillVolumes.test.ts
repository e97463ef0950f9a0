import assert from 'node:assert/strict';
import '../../support/fakeEditor.ts';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FilesAccess } from '../../../../src/commands/frame/commandContext.ts';
import { errorMessage } from '../../../../src/commands/ui/errorMessage.ts';
import { fillVolumes } from '../../../../src/commands/worktrees/fillVolumes.ts';
import { writeTar } from '../../../../src/engine/archive/writeTar.ts';
import { CREATION_LABEL } from '../../../../src/engine/volumes/createVolume.ts';
import { VolumeContainers } from '../../../../src/engine/volumes/volumeContainers.ts';
import { volumeLabels } from '../../../../src/projects/projectLabels.ts';
import { withCloneMark } from '../../../../src/projects/worktrees/cloneMarks.ts';
import { WorktreeOverrides } from '../../../../src/projects/worktrees/worktreeOverrides.ts';
import { container, idOf } from '../../inventory/support/nouns.ts';
import { openCommandLab, type CommandLab } from '../../support/commandLab.ts';
import { json, type SeenRequest } from '../../support/fakeEngine.ts';
import { ESCAPE, give, pick } from '../../support/scriptedUi.ts';
import { until } from '../../../bed/until.ts';

const PROJECT = 'shop-login-1f0c2a9b';
const OTHER = 'shop-search-2b3c4d5e';
const OWNER = {
  project: PROJECT,
  base: 'shop',
  common: '/shop/.git',
  below: 'api',
  volumes: ['db', 'cache'].map((key) => ({ key, name: `${PROJECT}_${key}`, hasOptions: false })),
};

interface KnownVolume {
  readonly labels: Readonly<Record<string, string>>;
  readonly options?: Readonly<Record<string, string>>;
}

const NOT_COPIED = 'User extended attributes (user.*) are not copied.';

describe('the volumes of the project of a worktree', () => {
  let lab: CommandLab;
  let folder: string;
  let overrides: WorktreeOverrides;
  let files: Buffer;
  let volumes: Map<string, KnownVolume>;
  /** The volumes of containers, by the ID, and the volumes that were written to. */
  let mounted: string[];
  let written: string[];
  /** Returns true if it answers a request itself. */
  let fault: (request: SeenRequest, response: ServerResponse) => boolean;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gantry-fill-'));
    overrides = new WorktreeOverrides(folder);
    const entry = { kind: 'folder', permissions: 0o755, modifiedAt: 0, name: './conf' } as const;
    const chunks: Uint8Array[] = [];
    for await (const chunk of writeTar([entry])) chunks.push(chunk);
    files = Buffer.concat(chunks);
    volumes = new Map(
      ['db', 'cache'].map((key) => [`shop_${key}`, { labels: volumeLabels('shop', key) }]),
    );
    mounted = [];
    written = [];
    fault = () => false;
    const access = { volumes: new VolumeContainers('aaaaaaaaaaaa-1-bbbbbbbb') };
    lab = await openCommandLab(
      (request, response) => {
        if (!fault(request, response)) answer(request, response);
      },
      {
        window: {
          files: () => Promise.resolve(access as FilesAccess),
          worktrees: () => Promise.resolve(overrides),
        },
      },
    );
  });
  afterEach(async () => {
    rmSync(folder, { recursive: true, force: true });
    await lab.close();
  });

  function answer({ method, path, body }: SeenRequest, response: ServerResponse): void {
    const given = (body.startsWith('{') ? JSON.parse(body) : {}) as {
      readonly Name?: string;
      readonly Labels?: Readonly<Record<string, string>>;
      readonly HostConfig?: { readonly Binds: readonly string[] };
    };
    const [, kind, key = ''] = path.split('/');
    if (path === '/volumes') json(response, 200, { Volumes: [...volumes.keys()].map(shown) });
    else if (path === '/volumes/create') {
      const { Name = '', Labels = {} } = given;
      if (!volumes.has(Name)) volumes.set(Name, { labels: Labels });
      json(response, 201, shown(Name));
    } else if (path === '/containers/json') json(response, 200, []);
    else if (path === '/containers/create') {
      mounted.push(given.HostConfig?.Binds[0]?.split(':')[0] ?? '');
      json(response, 201, { Id: idOf(String(mounted.length)) });
    } else if (kind === 'containers') {
      const volume = mounted[Number(key[0]) - 1] ?? '';
      if (method === 'PUT') written.push(volume);
      response.writeHead(method === 'DELETE' ? 204 : 200, { 'content-type': 'application/x-tar' });
      response.end(method === 'GET' ? files : undefined);
    } else if (!volumes.has(key)) json(response, 404, { message: `no such volume: ${key}` });
    else if (method === 'GET') json(response, 200, shown(key));
    else {
      volumes.delete(key);
      response.writeHead(204).end();
    }
  }

  function shown(name: string): object {
    const { labels = {}, options = {} } = volumes.get(name) ?? {};
    const CreatedAt = '2026-01-01T00:00:00Z';
    return { Name: name, Driver: 'local', Labels: labels, Options: options, CreatedAt };
  }

  const fill = (caller?: AbortSignal): Promise<boolean> => fillVolumes(OWNER, lab.context, caller);
  const sent = (): readonly string[] =>
    lab.engine.seen
      .filter(({ method }) => method !== 'GET')
      .map(({ method, path }) => `${method} ${path}`);
  const own = (): readonly string[] => [...volumes.keys()].filter((one) => one.startsWith(PROJECT));
  const marks = (): readonly string[] =>
    readdirSync(folder).filter((name) => name.endsWith('.cloning'));
  const failOnPut = (message: string, only = ''): void => {
    fault = ({ method, path }, response) => {
      const volume = mounted[Number(path.split('/')[2]?.[0]) - 1];
      const isFault = method === 'PUT' && (only === '' || volume === only);
      if (isFault) json(response, 500, { message });
      return isFault;
    };
  };

  it('start empty if the user chooses that, or a program does the Up', async () => {
    assert.equal(await fill(AbortSignal.any([])), true);
    assert.deepEqual(lab.ui.shown, []);
    lab.ui.act(pick('Start with Empty Volumes'));
    assert.equal(await fill(), true);
    assert.deepEqual(sent(), []);
  });

  it('are not created, and Up does not go on, after Escape', async () => {
    lab.ui.act(ESCAPE);
    assert.equal(await fill(), false);
    assert.deepEqual(sent(), []);
    const [question] = lab.ui.of('pick');
    assert.equal(question?.text, `Volumes of ${PROJECT}`);
    assert.equal(question.detail, 'Select what the volumes start with');
  });

  it('are cloned with the labels by which Compose knows them, without its hash', async () => {
    const labels = { ...volumeLabels('shop', 'db'), 'com.docker.compose.config-hash': 'x', a: 'b' };
    volumes.set('shop_db', { labels });
    lab.ui.act(pick('Clone Volumes of shop'));
    assert.equal(await fill(), true);
    assert.deepEqual(own(), [`${PROJECT}_db`, `${PROJECT}_cache`]);
    const { [CREATION_LABEL]: proof, ...made } = volumes.get(`${PROJECT}_db`)?.labels ?? {};
    assert.notEqual(proof, undefined);
    assert.deepEqual(made, { a: 'b', ...volumeLabels(PROJECT, 'db') });
    assert.deepEqual([...new Set(written)], own());
    const reports = lab.ui.of('progress').find(({ text }) => text === 'Cloning volumes of shop');
    assert.equal(reports?.reports?.at(-1)?.message, '3.1 kB');
    assert.deepEqual(marks(), []);
    assert.equal(lab.ui.of('confirm').length, 0);
  });

  it('are offered from each worktree, with its branch, the volumes and their known sizes', async () => {
    const gitFolder = join(folder, 'git/.git');
    mkdirSync(gitFolder, { recursive: true });
    writeFileSync(join(gitFolder, 'HEAD'), 'ref: refs/heads/search\n');
    const record = { project: OTHER, folder, gitFolder, base: 'shop', ports: [] };
    await overrides.write(record, '');
    volumes.set(`${OTHER}_db`, { labels: volumeLabels(OTHER, 'db') });
    volumes.set(`${OTHER}_cache`, { labels: volumeLabels(OTHER, 'cache'), options: { o: 'x' } });
    lab.inventory.volumeSizes.replace(new Map([['shop_db', 1_200_000]]));
    lab.ui.act(ESCAPE);
    await fillVolumes({ ...OWNER, common: gitFolder }, lab.context);
    assert.deepEqual(
      lab.ui.of('pick')[0]?.items?.map(({ label, description, detail }) => ({
        label,
        description,
        detail,
      })),
      [
        { label: 'Start with Empty Volumes', description: undefined, detail: undefined },
        {
          label: 'Clone Volumes of shop',
          description: undefined,
          detail: `shop_db (1.2 MB), shop_cache. ${NOT_COPIED}`,
        },
        {
          label: `Clone Volumes of ${OTHER}`,
          description: 'search',
          detail: `${OTHER}_db. Not cloned because of driver options: cache. ${NOT_COPIED}`,
        },
      ],
    );
  });

  it('are offered from a project with another name in the same folder of the repository', async () => {
    const inFolder = (project: string, folder: string) => {
      const labels = volumeLabels(project, '');
      const where = { 'com.docker.compose.project.working_dir': folder };
      return container(project === 'acme' ? 'a' : 'b', {
        labels: { ...labels, ...where, 'com.docker.compose.config-hash': 'x' },
      });
    };
    volumes = new Map(
      ['acme', 'web'].map((name) => [`${name}_db`, { labels: volumeLabels(name, 'db') }]),
    );
    lab.list([inFolder('acme', '/shop/api'), inFolder('web', '/shop/web')]);
    lab.ui.act(ESCAPE);
    assert.equal(await fill(), false);
    assert.deepEqual(
      lab.ui.of('pick')[0]?.items?.map(({ label }) => label),
      ['Start with Empty Volumes', 'Clone Volumes of acme'],
    );
  });

  it('are not asked about once there is one, or a container, or if there is nothing to clone', async () => {
    lab.list([
      container('a', {
        labels: { ...volumeLabels(PROJECT, ''), 'com.docker.compose.config-hash': 'x' },
      }),
    ]);
    assert.equal(await fill(), true);
    lab.list([]);
    volumes.set(`${PROJECT}_cache`, { labels: volumeLabels(PROJECT, 'cache') });
    assert.equal(await fill(), true);
    volumes.clear();
    assert.equal(await fill(), true);
    assert.equal(await fillVolumes({ ...OWNER, volumes: [] }, lab.context), true);
    assert.deepEqual(
      lab.ui.shown.filter(({ kind }) => kind !== 'progress'),
      [],
    );
  });

  it('are cloned while containers write only after a warning that names these', async () => {
    const mounts = (volume: string, isReadOnly: boolean) => [
      { kind: 'volume', path: '/data', volume, isReadOnly, source: '' } as never,
    ];
    lab.list([
      container('a', { mounts: mounts('shop_db', false) }),
      container('b', { mounts: mounts('shop_cache', false) }),
      container('c', { mounts: mounts('shop_cache', true) }),
      container('d', { mounts: mounts('shop_db', false), state: 'exited' }),
    ]);
    lab.ui.act(pick('Clone Volumes of shop'), ESCAPE);
    assert.equal(await fill(), false);
    const [warning] = lab.ui.of('confirm');
    assert.equal(warning?.text, 'Clone volumes of shop?');
    assert.match(
      warning.detail ?? '',
      /Running containers may write files during the copy: a, b\./,
    );
    assert.deepEqual(sent(), []);
    lab.ui.act(pick('Clone Volumes of shop'), give('Clone'));
    assert.equal(await fill(), true);
    assert.equal(own().length, 2);
  });

  it('are all removed if one cannot be cloned', async () => {
    failOnPut('no space left', `${PROJECT}_cache`);
    lab.ui.act(pick('Clone Volumes of shop'));
    await assert.rejects(fill(), /no space left/);
    assert(written.includes(`${PROJECT}_db`));
    assert.deepEqual([...volumes.keys()], ['shop_db', 'shop_cache']);
    assert.deepEqual(marks(), []);
  });

  it('are looked for with a progress that can be canceled', async () => {
    fault = ({ path }) => path === '/volumes';
    const filling = fill();
    await until(() => lab.engine.seen.some(({ path }) => path === '/volumes'), 'the list');
    assert.deepEqual(
      lab.ui.of('progress').map(({ text }) => text),
      ['Loading volumes'],
    );
    lab.ui.cancel();
    await assert.rejects(filling, { name: 'AbortError' });
  });

  it('are all removed after Cancel', async () => {
    fault = ({ method, path }) => {
      const isLast = mounted[Number(path.split('/')[2]?.[0]) - 1] === `${PROJECT}_cache`;
      if (method === 'PUT' && isLast) lab.ui.cancel();
      return false;
    };
    lab.ui.act(pick('Clone Volumes of shop'));
    await assert.rejects(fill(), { name: 'AbortError' });
    assert.deepEqual([...volumes.keys()], ['shop_db', 'shop_cache']);
    assert.deepEqual(marks(), []);
  });

  it('are not cloned if one was created during the question, which stays', async () => {
    lab.ui.act((shown) => {
      volumes.set(`${PROJECT}_cache`, { labels: {} });
      return pick('Clone Volumes of shop')(shown);
    });
    await assert.rejects(fill(), (error) =>
      errorMessage(error).includes(`${PROJECT}_cache already exists`),
    );
    assert.deepEqual(own(), [`${PROJECT}_cache`]);
    assert(!written.includes(`${PROJECT}_cache`));
  });

  it('stay marked by the window that clones them if another one comes second', async () => {
    const mark = { overrides, project: PROJECT, engine: lab.engine.url };
    const { promise: end, resolve } = Promise.withResolvers<undefined>();
    const first = withCloneMark(
      mark,
      () => false,
      () => end,
    );
    lab.ui.act((shown) => {
      volumes.set(`${PROJECT}_db`, { labels: { [CREATION_LABEL]: 'x' } });
      return pick('Clone Volumes of shop')(shown);
    });
    await assert.rejects(fill(), { name: 'VolumeExistsError' });
    await assert.rejects(fill(), /are being cloned/);
    resolve(undefined);
    await first;
    assert.equal(await fill(), true);
  });

  it('are not created if a source is removed during the question', async () => {
    lab.ui.act((shown) => {
      volumes.delete('shop_cache');
      return pick('Clone Volumes of shop')(shown);
    });
    await assert.rejects(fill(), /no such volume: shop_cache/);
    assert.deepEqual(own(), []);
  });

  it('that are incomplete are named with a button to remove them, and not used until then', async () => {
    fault = ({ method, path }, response) => {
      const isFault = method === 'PUT' || (method === 'DELETE' && path.startsWith('/volumes/'));
      if (isFault) json(response, 500, { message: 'broken' });
      return isFault;
    };
    lab.ui.act(pick('Clone Volumes of shop'));
    assert.equal(await fill(), false);
    const [shown] = lab.ui.of('error');
    assert.match(shown?.text ?? '', /Could not clone the volumes.*_db is incomplete/);
    assert.deepEqual(shown?.buttons, [`Remove ${PROJECT}_db`]);
    const refused = {
      message: `Volumes of ${PROJECT} are being cloned. If that was interrupted, remove ${PROJECT}_db, then try again.`,
    };
    await assert.rejects(fill(), refused);
    await assert.rejects(fill(AbortSignal.any([])), refused);
    fault = () => false;
    await shown.press?.(`Remove ${PROJECT}_db`);
    assert.deepEqual(own(), []);
    lab.ui.act(pick('Clone Volumes of shop'));
    assert.equal(await fill(), true);
    assert.equal(own().length, 2);
    assert.deepEqual(marks(), []);
    assert.equal(await fill(), true);
  });

  it('are not used by another window while they are cloned, which leaves them alone', async () => {
    let other: Promise<void> | undefined;
    fault = ({ method }) => {
      if (method === 'PUT') other ??= assert.rejects(fill(), /are being cloned/);
      return false;
    };
    lab.ui.act(pick('Clone Volumes of shop'));
    assert.equal(await fill(), true);
    await (other ?? assert.fail());
    assert.equal(own().length, 2);
  });
});
