import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AllFiles } from '../../../../src/files/allFiles.ts';
import { FileNode, FileNoteNode, FileRootNode } from '../../../../src/files/fileNode.ts';
import type { FileRoot } from '../../../../src/files/fileRoot.ts';
import type { FilesView } from '../../../../src/files/filesView.ts';
import type { KnownEngines } from '../../../../src/inventory/knownEngine.ts';
import { container, image, volume } from '../../inventory/support/nouns.ts';
import { VolumeNode } from '../../../../src/views/volumes/volumeNode.ts';
import {
  containerRow,
  ENGINE,
  imageRow,
  openCommandLab,
  type CommandLab,
} from '../../support/commandLab.ts';
import { json, type Answer } from '../../support/fakeEngine.ts';
import { file, give, pick, type } from '../../support/scriptedUi.ts';
import { packed } from '../../support/tars.ts';

const WEB = container('a', { name: 'web', state: 'exited' });
const ROOT: FileRoot = { engine: ENGINE, kind: 'container', id: WEB.id, name: 'web' };
const FOLDER_BIT = 0x8000_0000;
/** Sizes of the container's files in bytes; undefined for folders. */
const FILES: Readonly<Record<string, number | undefined>> = {
  '/': undefined,
  '/etc': undefined,
  '/etc/hosts': 3,
  '/etc/hostname': 5,
  '/run': undefined,
  '/run/data': undefined,
  '/sys': undefined,
};

/** Responses of an engine whose container has these files and accepts uploads. */
const answer: Answer = async ({ method, path, query }, response) => {
  const wanted = (query.get('path') ?? '').replace(/\/\.$/, '') || '/';
  if (!path.endsWith('/archive')) json(response, 200, { Id: WEB.id, Name: '/web' });
  else if (method === 'PUT') response.end();
  else if (!Object.hasOwn(FILES, wanted)) json(response, 404, { message: 'no such path' });
  else if (method === 'HEAD') {
    const size = FILES[wanted];
    const mode = size === undefined ? FOLDER_BIT + 0o755 : 0o644;
    const stat = Buffer.from(JSON.stringify({ mode, size: size ?? 0 })).toString('base64');
    response.writeHead(200, { 'x-docker-container-path-stat': stat }).end();
  } else response.end(await tarOf(wanted));
};

function tarOf(wanted: string): Promise<Buffer> {
  const below = wanted === '/' ? '/' : `${wanted}/`;
  const entries = Object.entries(FILES).flatMap(([path, size]): readonly Entry[] => {
    if (path === '/' || !(path === wanted || path.startsWith(below))) return [];
    const name = path === wanted ? path.slice(path.lastIndexOf('/') + 1) : path.slice(below.length);
    if (size !== undefined) return [{ name, size }];
    return path === wanted ? [] : [{ name, type: 'directory' }];
  });
  return packed(entries);
}

type Entry = Parameters<typeof packed>[0][number];

describe('the commands on files', () => {
  let lab: CommandLab;
  let all: AllFiles;
  let home: string;
  /** The calls of the Files view. */
  let viewed: (readonly string[])[];
  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), 'gantry-files-'));
    viewed = [];
    const view = {
      open: ({ kind, name }: FileRoot, titleOf: (name: string) => string) =>
        Promise.resolve(viewed.push(['open', kind, titleOf(name)])),
      close: ({ name }: FileRoot) => viewed.push(['close', name]),
      readOn: ({ folder }: FileNoteNode) => viewed.push(['readOn', folder.path]),
      refreshAll: () => viewed.push(['refreshAll']),
    } as unknown as FilesView;
    lab = await openCommandLab(answer);
    const engines = {
      get: () => lab.context.unit,
      onDidChange: () => ({ dispose: () => undefined }),
      onDidChangeInventory: () => ({ dispose: () => undefined }),
    } as unknown as KnownEngines;
    all = new AllFiles(engines, 'owner', () => 0);
    all.onDidChange(({ root }) => viewed.push(['refresh', root.name]));
    Object.assign(lab.context.window, { files: () => Promise.resolve({ all, view }) });
    const { commands } = await import('../../../../src/commands/files/commands.ts');
    lab.register(commands(lab));
    lab.list([WEB]);
  });
  afterEach(async () => {
    all.dispose();
    rmSync(home, { recursive: true, force: true });
    await lab.close();
  });

  const entryOf = (name: string, kind: 'file' | 'folder', size = 0) =>
    ({ name, kind, size, permissions: 0o644, modifiedAt: 0, linkTarget: '' }) as const;
  const root = new FileRootNode(ROOT);
  const etc = new FileNode(root, entryOf('etc', 'folder'), true);
  const hosts = new FileNode(etc, entryOf('hosts', 'file', 3), false);
  const hostname = new FileNode(etc, entryOf('hostname', 'file', 5), false);
  const id = WEB.id;

  it('list a folder, and show all files of a row', async () => {
    const listing = await lab.call('gantry.files.browse', { id: 'web', path: '/etc' });
    const { entries } = listing as { readonly entries: readonly { readonly name: string }[] };
    assert.deepEqual(
      entries.map(({ name }) => name),
      ['hostname', 'hosts'],
    );
    await lab.run('gantry.files.browse', containerRow(WEB));
    const untagged = image('b', { tags: [] });
    await lab.run('gantry.files.browse', imageRow(untagged));
    assert.deepEqual(viewed, [
      ['open', 'container', 'web'],
      ['open', 'image', 'b'.repeat(12)],
    ]);
  });

  it('work on the selected volume if there is no row', async () => {
    lab.selection = [new VolumeNode(ENGINE, volume('data'))];
    await lab.run('gantry.files.browse');
    assert.deepEqual(viewed, [['open', 'volume', 'data']]);
    assert.deepEqual(lab.ui.of('pick'), []);
  });

  it('accept only one container or image, and an absolute path', async () => {
    const browse = (argument: object) => lab.call('gantry.files.browse', argument);
    await assert.rejects(browse({}), /Set one of "id" \(a container\), "image", or "volume"/);
    await assert.rejects(browse({ id, image: 'b' }), /Set one/);
    await assert.rejects(
      browse({ id, path: 'etc' }),
      /"etc" is not an absolute path in the container/,
    );
    await assert.rejects(browse({ id, path: '/e\0tc' }), /is not an absolute path/);
    assert.deepEqual(lab.engine.seen, []);
  });

  it('open a file as a document, and a folder in the view', async () => {
    const opened = await lab.call('gantry.files.open', { id, path: '/etc/hosts' });
    const uri = `gantry-container:/web/etc/hosts?engine=${ENGINE}&container=${id}`;
    assert.deepEqual(opened, { uri });
    assert.deepEqual(
      lab.ui.of('openFile').map(({ text }) => text),
      [uri],
    );
    await lab.run('gantry.files.open', etc);
    assert.deepEqual(viewed, [['open', 'container', 'web']]);
  });

  it('let the user pick a file of a container, and open it', async () => {
    lab.ui.act(type('etc hostn'));
    const found = await lab.run('gantry.files.find', containerRow(WEB));
    assert.deepEqual(found, { paths: ['/etc/hostname'], isWhole: true });
    const [asked] = lab.ui.of('pick');
    assert.equal(asked?.text, 'Matching files: 2');
    assert.deepEqual(
      asked.items?.map(({ label, description }) => [label, description]),
      [
        ['hosts', 'etc · 3 B'],
        ['hostname', 'etc · 5 B'],
      ],
    );
    assert.match(lab.ui.of('openFile')[0]?.text ?? '', /\/web\/etc\/hostname/);
  });

  it('find paths below a folder', async () => {
    assert.deepEqual(await lab.call('gantry.files.find', { id, path: '/etc', name: 'host' }), {
      paths: ['/etc/hosts', '/etc/hostname'],
      isWhole: true,
    });
  });

  it('copy the paths of all rows, and nothing if there is none', async () => {
    assert.deepEqual(await lab.run('gantry.files.copyPath', hosts, etc), { outcome: 'copied' });
    assert.equal(await lab.run('gantry.files.copyPath'), undefined);
    await lab.call('gantry.files.copyPath', { id, path: '/etc//hosts/' });
    assert.deepEqual(
      lab.ui.of('copy').map(({ text }) => text),
      ['/etc/hosts\n/etc', '/etc/hosts'],
    );
  });

  it('refresh the selected row: the rest of a folder, a container, or all', async () => {
    await lab.run('gantry.files.refresh', new FileNoteNode(etc, 'more', 'partial'));
    await lab.run('gantry.files.refresh', hosts);
    await lab.run('gantry.files.refresh');
    await lab.call('gantry.files.refresh', { id });
    assert.deepEqual(viewed, [
      ['readOn', '/etc'],
      ['refresh', 'web'],
      ['refreshAll'],
      ['refresh', 'web'],
    ]);
  });

  it('close the files of the selected row', async () => {
    await lab.run('gantry.files.close', root);
    await lab.call('gantry.files.close', { id });
    assert.deepEqual(viewed, [
      ['close', 'web'],
      ['close', 'web'],
    ]);
  });

  it('download a file to the path in an argument, and replace one only if it allows it', async () => {
    const to = join(home, 'hosts');
    const download = (more: object = {}) =>
      lab.call('gantry.files.download', { id, path: '/etc/hosts', to, ...more });
    await assert.rejects(
      download({ to: 'hosts' }),
      /"hosts" is not an absolute path on this machine/,
    );
    writeFileSync(to, 'mine');
    await assert.rejects(download(), /hosts" already exists/);
    assert.equal(readFileSync(to, 'utf8'), 'mine');
    assert.deepEqual(await download({ replace: true }), { files: 1, bytes: 3, leftOut: [] });
    assert.equal(readFileSync(to, 'utf8'), '...');
  });

  it('download one file to the path that the user chooses, and show where it was saved', async () => {
    lab.ui.act(give(file(join(home, 'copy'))));
    const done = await lab.run('gantry.files.download', hosts);
    assert.deepEqual(done, { files: 1, bytes: 3, leftOut: [] });
    const [dialog] = lab.ui.of('saveDialog');
    assert.deepEqual([dialog?.text, dialog?.detail], ['Download hosts', 'hosts']);
    const progress = lab.ui.of('progress').at(-1);
    assert.equal(progress?.text, 'Downloading copy');
    assert.equal(progress.reports?.at(-1)?.message, '3 B');
    assert.equal(lab.ui.of('info')[0]?.text, `Downloaded 1 file (3 B) to ${home}.`);
    assert.equal(readFileSync(join(home, 'copy'), 'utf8'), '...');
  });

  it('download several files into a folder, count them together, and keep existing files', async () => {
    writeFileSync(join(home, 'hosts'), 'mine');
    lab.ui.act(give([file(home)]), give('Keep Files'));
    const done = await lab.run('gantry.files.download', hosts, hostname);
    assert.deepEqual(done, {
      ...{ files: 1, bytes: 5 },
      leftOut: [{ name: 'hosts', reason: 'inTheWay' }],
    });
    const [asked] = lab.ui.of('choose');
    assert.equal(asked?.text, 'Already exists: hosts');
    assert.deepEqual(asked.buttons, ['Replace Files', 'Keep Files']);
    assert.equal(lab.ui.of('progress')[0]?.text, 'Downloading 2 items');
    const [warning] = lab.ui.of('warn');
    assert.equal(warning?.text, 'Downloaded 1 file (5 B). Skipped 1: hosts (already exists)');
    assert.equal(readFileSync(join(home, 'hosts'), 'utf8'), 'mine');
    lab.ui.act(give([file(home)]), give('Replace Files'));
    await lab.run('gantry.files.download', hosts, hostname);
    assert.equal(readFileSync(join(home, 'hosts'), 'utf8'), '...');
  });

  it('replace by a download only what the question named', async () => {
    writeFileSync(join(home, 'hosts'), 'mine');
    lab.ui.act(give([file(home)]), () => {
      writeFileSync(join(home, 'hostname'), 'new');
      return 'Replace Files';
    });
    const done = await lab.run('gantry.files.download', hosts, hostname);
    assert.deepEqual(done, {
      ...{ files: 1, bytes: 3 },
      leftOut: [{ name: 'hostname', reason: 'inTheWay' }],
    });
    assert.equal(readFileSync(join(home, 'hosts'), 'utf8'), '...');
    assert.equal(readFileSync(join(home, 'hostname'), 'utf8'), 'new');
  });

  it('download a folder under its name, without a question if nothing is in the way', async () => {
    lab.ui.act(give([file(home)]));
    const done = await lab.run('gantry.files.download', etc);
    assert.deepEqual(done, { files: 2, bytes: 8, leftOut: [] });
    assert.deepEqual(lab.ui.of('choose'), []);
    assert.equal(lab.ui.of('openDialog')[0]?.text, 'Download etc');
    assert.equal(readFileSync(join(home, 'etc/hostname'), 'utf8'), '.....');
  });

  it('download nothing if the user cancels', async () => {
    assert.equal(await lab.run('gantry.files.download', hosts), undefined);
    assert.equal(await lab.run('gantry.files.download', etc), undefined);
    assert.equal(await lab.run('gantry.files.download'), undefined);
    mkdirSync(join(home, 'etc'));
    lab.ui.act(give([file(home)]));
    assert.equal(await lab.run('gantry.files.download', etc), undefined);
    assert.deepEqual(
      lab.ui.shown.map(({ kind }) => kind),
      [
        ...['progress', 'saveDialog', 'progress', 'openDialog', 'progress', 'pick'],
        ...['progress', 'openDialog', 'choose'],
      ],
    );
  });

  for (const verb of ['open', 'download']) {
    it(`${verb} nothing if the user cancels while the engine keeps the request waiting`, async () => {
      const closed = Promise.withResolvers<unknown>();
      lab.engine.answer((_, response) => {
        response.on('close', closed.resolve);
        lab.ui.cancel();
      });
      assert.equal(await lab.run(`gantry.files.${verb}`, hosts), undefined);
      await closed.promise;
      assert.deepEqual(
        lab.ui.shown.map(({ kind, text }) => [kind, text]),
        [['progress', 'Reading the files of web']],
      );
    });
  }

  it('upload files next to a row after a question that names the replaced files', async () => {
    for (const name of ['hosts', 'new']) writeFileSync(join(home, name), name);
    const chosen = ['hosts', 'new'].map((name) => file(join(home, name)));
    lab.ui.act(give(chosen), give('Upload and Replace'));
    assert.deepEqual(await lab.run('gantry.files.upload', hosts), { outcome: 'uploaded' });
    const [question] = lab.ui.of('confirm');
    assert.equal(question?.text, 'Upload hosts, new to /etc in web?');
    assert.equal(
      question.detail,
      'Existing files are replaced, existing folders are merged: hosts',
    );
    const [put] = lab.engine.seen.filter(({ method }) => method === 'PUT');
    assert.equal(put?.query.get('path'), '/etc');
    const looks = lab.engine.seen.filter(
      ({ method, query }) => method === 'HEAD' && query.get('path') === '/etc',
    );
    assert.equal(looks.length, 3, 'before the question, after it, and at the upload');
    assert.equal(lab.ui.of('info')[0]?.text, 'Uploaded hosts, new to /etc in web.');
    assert.deepEqual(viewed, [['refresh', 'web']]);
  });

  it('do not replace a file that was created while the question was open', async () => {
    writeFileSync(join(home, 'new'), '');
    lab.ui.act(give([file(join(home, 'new'))]), () => {
      lab.engine.answer((request, response) =>
        answer(
          request.query.get('path') === '/etc/new'
            ? { ...request, query: new URLSearchParams({ path: '/etc/hosts' }) }
            : request,
          response,
        ),
      );
      return 'Upload';
    });
    assert.equal(await lab.run('gantry.files.upload', etc), undefined);
    const [question] = lab.ui.of('confirm');
    assert.equal(question?.detail, 'No files will be replaced.');
    assert.match(lab.ui.of('error')[0]?.text ?? '', /created in the meantime: new\. Nothing was/);
    assert(lab.engine.seen.every(({ method }) => method !== 'PUT'));
  });

  it('upload several files into a volume through one container for each step', async () => {
    const chosen = ['a', 'b', 'c'].map((name) => join(home, name));
    for (const path of chosen) writeFileSync(path, '');
    lab.engine.answer((request, response) => {
      const { method, path, query } = request;
      if (path === '/volumes/data') json(response, 200, { Name: 'data' });
      else if (path === '/containers/create') json(response, 201, { Id: WEB.id });
      else if (method === 'DELETE') response.writeHead(204).end();
      else if (query.get('path') !== '/volume') return answer(request, response);
      else return answer({ ...request, query: new URLSearchParams({ path: '/etc' }) }, response);
      return undefined;
    });
    lab.ui.act(give(chosen.map((path) => file(path))), give('Upload'));
    const row = new VolumeNode(ENGINE, volume('data'));
    assert.deepEqual(await lab.run('gantry.files.upload', row), { outcome: 'uploaded' });
    const created = () => lab.engine.seen.filter(({ path }) => path === '/containers/create');
    assert.equal(created().length, 3);
    const replacing = { volume: 'data', path: '/', from: chosen, replace: true };
    await lab.call('gantry.files.upload', replacing);
    assert.equal(created().length, 4);
    const [checked] = lab.ui.of('progress');
    assert.equal(checked?.text, 'Checking / in data');
    assert(lab.ui.shown.indexOf(checked) < lab.ui.shown.indexOf(lab.ui.of('confirm')[0]!));
  });

  it('upload nothing if the user cancels the check for existing files', async () => {
    writeFileSync(join(home, 'new'), '');
    lab.engine.answer(() => lab.ui.cancel());
    lab.ui.act(give([file(join(home, 'new'))]));
    assert.equal(await lab.run('gantry.files.upload', etc), undefined);
    assert.deepEqual(
      lab.ui.shown.map(({ kind }) => kind),
      ['openDialog', 'progress'],
    );
  });

  it('upload for an argument, and replace files only if it allows it', async () => {
    const from = [join(home, 'hosts')];
    const upload = (more: object = {}) =>
      lab.call('gantry.files.upload', { id, path: '/etc', from, ...more });
    await assert.rejects(upload(), /File ".*hosts" not found on this machine/);
    const intoImage = { image: 'a', path: '/etc', from };
    await assert.rejects(lab.call('gantry.files.upload', intoImage), /unknown property "image"/);
    writeFileSync(join(home, 'hosts'), '');
    await assert.rejects(upload({ from: [] }), /must have different names/);
    await assert.rejects(upload({ from: [...from, ...from] }), /must have different names/);
    await assert.rejects(upload(), /Already exists: hosts/);
    await assert.rejects(upload({ path: '/etc/hosts' }), /Could not upload/);
    assert(lab.engine.seen.every(({ method }) => method !== 'PUT'));
    assert.deepEqual(await upload({ replace: true }), { outcome: 'uploaded' });
  });

  it('upload nothing into an image', async () => {
    writeFileSync(join(home, 'new'), '');
    lab.ui.act(give([file(join(home, 'new'))]));
    assert.equal(await lab.run('gantry.files.upload', imageRow(image('b'))), undefined);
    assert.match(lab.ui.of('error')[0]?.text ?? '', /An image cannot be changed/);
  });

  describe('to a container with a mount in memory and a volume in it', () => {
    const run = new FileNode(root, entryOf('run', 'folder'), true);
    const upload = (path: string) =>
      lab.call('gantry.files.upload', { id, path, from: [join(home, 'new')] });
    const puts = (): readonly unknown[] =>
      lab.engine.seen.flatMap(({ method, query }) => (method === 'PUT' ? [query.get('path')] : []));
    beforeEach(() => {
      writeFileSync(join(home, 'new'), '');
      const HostConfig = { Tmpfs: { '/run/': '' } };
      const State = { Status: 'running' };
      const Mounts = [{ Type: 'volume', Name: 'data', Destination: '/run/data' }];
      lab.engine.answer(async (request, response) => {
        if (!request.path.endsWith('/json')) await answer(request, response);
        else json(response, 200, { Id: WEB.id, Name: '/web', HostConfig, Mounts, State });
      });
    });

    it('upload only into the volume: Docker writes under the mount', async () => {
      await assert.rejects(upload('/run'), /\/run is a mount in memory/);
      await assert.rejects(upload('/sys'), /\/sys is a mount in memory/);
      lab.ui.act(give([file(join(home, 'new'))]));
      assert.equal(await lab.run('gantry.files.upload', run), undefined);
      assert.match(lab.ui.of('error')[0]?.text ?? '', /\/run is a mount in memory/);
      assert.deepEqual(lab.ui.of('confirm'), []);
      assert.deepEqual(puts(), []);
      assert.deepEqual(await upload('/run/data'), { outcome: 'uploaded' });
      assert.deepEqual(puts(), ['/run/data']);
    });

    it('upload into both with Podman', async () => {
      lab.engine.ping((_, response) => {
        response.writeHead(200, { 'api-version': '1.41', 'libpod-api-version': '5.8.6' }).end('OK');
      });
      for (const path of ['/run', '/run/data']) await upload(path);
      assert.deepEqual(puts(), ['/run', '/run/data']);
    });
  });

  it('compare a file with the local file at an absolute path in an argument', async () => {
    const compare = (other: string) =>
      lab.call('gantry.files.compare', { id, path: '/etc/hosts', with: other });
    await assert.rejects(compare('hosts'), /"hosts" is not an absolute path on this machine/);
    assert.deepEqual(await compare('/etc/hosts'), { title: 'hosts: local ↔ web' });
  });

  it('ask for a container if there is no row', async () => {
    lab.ui.act(pick('web'));
    await lab.run('gantry.files.browse');
    assert.deepEqual(viewed, [['open', 'container', 'web']]);
  });
});
