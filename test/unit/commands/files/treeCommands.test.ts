import assert from 'node:assert/strict';
import { AllFiles } from '../../../../src/files/allFiles.ts';
import { FileNode, FileRootNode } from '../../../../src/files/fileNode.ts';
import type { FileRoot } from '../../../../src/files/fileRoot.ts';
import type { FilesView } from '../../../../src/files/filesView.ts';
import type { KnownEngines } from '../../../../src/inventory/knownEngine.ts';
import { container, image } from '../../inventory/support/nouns.ts';
import { ENGINE, openCommandLab, type CommandLab } from '../../support/commandLab.ts';
import { json, type Answer, type SeenRequest } from '../../support/fakeEngine.ts';
import { give, type } from '../../support/scriptedUi.ts';
import { packed, pathStat } from '../../support/tars.ts';

const WEB = container('a', { name: 'web', state: 'running' });
const ROOT: FileRoot = { engine: ENGINE, kind: 'container', id: WEB.id, name: 'web' };
const VOLUME: FileRoot = { engine: ENGINE, kind: 'volume', id: 'data', name: 'data' };
const FOLDER_BIT = 0x8000_0000;

describe('the commands on the tree of files', () => {
  let lab: CommandLab;
  let all: AllFiles;
  let shown: string[];
  let changes: object[];
  /** Sizes of the files of the container in bytes; undefined for folders. */
  let files: Map<string, number | undefined>;
  /** Programs that the container does not have. */
  let missing: Set<string>;
  let isRunning: boolean;
  let ran: (readonly string[])[];
  let exits: number;

  beforeEach(async () => {
    files = new Map([
      ['/', undefined],
      ['/app', undefined],
      ['/app/a.conf', 3],
      ['/app/sub', undefined],
      ['/app/sub/b', 5],
      ['/-x', 1],
      ['/data', undefined],
    ]);
    [missing, isRunning, ran, shown, changes] = [new Set(), true, [], [], []];
    const view = {
      show: (_: FileRoot, path: string) => Promise.resolve(shown.push(path)),
    } as unknown as FilesView;
    lab = await openCommandLab(answer);
    const engines = {
      get: () => lab.context.unit,
      onDidChange: () => ({ dispose: () => undefined }),
      onDidChangeInventory: () => ({ dispose: () => undefined }),
    } as unknown as KnownEngines;
    all = new AllFiles(engines, 'owner', () => 0);
    all.onDidChange(({ created, deleted }) => changes.push({ created, deleted }));
    Object.assign(lab.context.window, { files: () => Promise.resolve({ all, view }) });
    const { commands } = await import('../../../../src/commands/files/commands.ts');
    lab.register(commands(lab));
    lab.list([WEB]);
  });
  afterEach(async () => {
    all.dispose();
    await lab.close();
  });

  const answer: Answer = (request, response) => {
    const { method, path, query } = request;
    const wanted = (query.get('path') ?? '').replace(/\/\.$/, '') || '/';
    if (path.endsWith('/exec')) {
      const { Cmd } = JSON.parse(request.body) as { readonly Cmd: readonly string[] };
      exits = run(Cmd);
      json(response, 201, { Id: 'e'.repeat(64) });
    } else if (path.startsWith('/exec/') && path.endsWith('/json'))
      json(response, 200, { Running: false, ExitCode: exits });
    else if (path.startsWith('/exec/')) response.end();
    else if (path === '/containers/json') json(response, 200, []);
    else if (path === '/volumes/data') json(response, 200, { Name: 'data', Driver: 'local' });
    else if (path === '/containers/create') json(response, 201, { Id: 'f'.repeat(64) });
    else if (method === 'DELETE') response.writeHead(204).end();
    else if (!path.endsWith('/archive')) json(response, 200, inspected());
    else if (method === 'PUT') {
      note(request);
      response.end();
    } else answerArchive(method, wanted.replace(/^\/volume(?=\/|$)/, '') || '/', response);
  };
  const inspected = () => ({
    Id: WEB.id,
    Name: '/web',
    State: { Status: isRunning ? 'running' : 'exited', Running: isRunning },
    Mounts: [{ Type: 'volume', Name: 'data', Destination: '/data', RW: true }],
    HostConfig: {},
  });
  const answerArchive = (method: string, wanted: string, response: Parameters<Answer>[1]): void => {
    if (!files.has(wanted)) {
      json(response, 404, { message: 'no such path' });
      return;
    }
    const size = files.get(wanted);
    const mode = size === undefined ? FOLDER_BIT + 0o755 : 0o644;
    const stat = pathStat({ mode, size: size ?? 0 });
    response.writeHead(200, { 'x-docker-container-path-stat': stat });
    if (method === 'HEAD') response.end();
    else void tarOf(wanted).then((tar) => response.end(tar));
  };
  const tarOf = (wanted: string): Promise<Buffer> => {
    const own = files.get(wanted);
    if (own !== undefined) return packed([{ name: wanted.split('/').at(-1) ?? '', size: own }]);
    const below = wanted === '/' ? '/' : `${wanted}/`;
    const inside = [...files].filter(([path]) => path.startsWith(below) && path !== '/');
    return packed(
      inside.map(([path, size]) => {
        const name = path.slice(below.length);
        return size === undefined ? { name, type: 'directory' } : { name, size };
      }),
    );
  };
  /** Adds what a tar has. */
  const note = ({ query, body }: SeenRequest): void => {
    const folder = query.get('path') ?? '';
    for (let at = 0; at + 512 <= body.length; at += 512) {
      const [name = ''] = body.slice(at, at + 100).split('\0');
      const isFolder = body[at + 156] === '5';
      if (name !== '')
        files.set(
          `${folder === '/' ? '' : folder}/${name}`.replace(/\/$/, ''),
          isFolder ? undefined : 0,
        );
    }
  };
  /** Does what the programs do. Returns the exit code. */
  const run = ([program = '', ...args]: readonly string[]): number => {
    if (missing.has(program)) return 127;
    if (args[0] === '--help') return 0;
    if (program !== 'rm' && program !== 'mv') return 1;
    ran.push([program, ...args]);
    const [from = '', to = ''] = args.slice(args.indexOf('--') + 1);
    for (const [path, size] of [...files]) {
      if (path !== from && !path.startsWith(`${from}/`)) continue;
      files.delete(path);
      if (program === 'mv') files.set(to + path.slice(from.length), size);
    }
    return 0;
  };

  const nodeOf = (path: string, root: FileRoot = ROOT): FileNode => {
    const size = files.get(path);
    const parts = path.slice(1).split('/');
    const name = parts.pop() ?? '';
    const above = parts.length === 0 ? new FileRootNode(root) : nodeOf(`/${parts.join('/')}`, root);
    const kind = size === undefined ? 'folder' : 'file';
    const entry = {
      name,
      kind,
      size: size ?? 0,
      permissions: 0,
      modifiedAt: 0,
      linkTarget: '',
    } as const;
    return new FileNode(above, entry, kind === 'folder');
  };
  const { id } = WEB;

  it('delete what is selected by key, after a question that says how much', async () => {
    lab.selection = [nodeOf('/app'), nodeOf('/app/a.conf'), nodeOf('/-x')];
    lab.ui.act(give('Delete Permanently'));
    await lab.press('gantry.files.delete');
    const [question] = lab.ui.of('confirm');
    assert.deepEqual(
      [question?.text, question?.detail, question?.buttons],
      [
        'Delete app, -x in web?',
        'This deletes 3 files, 2 folders, 9 B permanently and cannot be undone.',
        ['Delete Permanently'],
      ],
    );
    assert.deepEqual(ran, [
      ['rm', '-rf', '--one-file-system', '--', '/app'],
      ['rm', '-f', '--', '/-x'],
    ]);
    assert.deepEqual([...files.keys()], ['/', '/data']);
    assert.deepEqual(changes, [
      { created: undefined, deleted: '/app' },
      { created: undefined, deleted: '/-x' },
    ]);
  });

  it('delete nothing if the user cancels, or without a row', async () => {
    assert.equal(await lab.run('gantry.files.delete', nodeOf('/app')), undefined);
    assert.equal(await lab.press('gantry.files.delete'), undefined);
    assert.deepEqual(ran, []);
  });

  it('delete by argument a folder that has something only if that is wanted', async () => {
    const remove = (more: object) => lab.call('gantry.files.delete', { id, path: '/app', ...more });
    await assert.rejects(remove({}), /The folder \/app is not empty/);
    await assert.rejects(remove({ image: 'b' }), /"image" is only for a "volume"/);
    assert.deepEqual(await remove({ recursive: true }), { outcome: 'deleted', path: '/app' });
    await assert.rejects(remove({ path: '/' }), /The top folder cannot be deleted/);
    await assert.rejects(remove({ path: '/data', recursive: true }), /\/data is a mount/);
    assert.deepEqual(lab.ui.shown, []);
  });

  it('say why nothing can be deleted', async () => {
    const remove = () => lab.call('gantry.files.delete', { id, path: '/-x' });
    missing.add('rm');
    await assert.rejects(remove(), /web does not have the program rm, which has to run in it/);
    isRunning = false;
    await assert.rejects(remove(), /web does not run. Start it first/);
    await assert.rejects(
      lab.call('gantry.files.delete', { volume: 'data', path: '/-x' }),
      /No running container that can write to the volume data has the program rm/,
    );
  });

  it('offer a local image for a volume that no running container can change', async () => {
    lab.list([WEB], [image('b', { tags: ['tool:latest'] })]);
    lab.ui.act(give('Delete Permanently'), give('Select Image...'));
    await lab.run('gantry.files.delete', nodeOf('/-x', VOLUME));
    const [, question] = lab.ui.of('confirm');
    assert.equal(question?.text, 'Start a local image to change the files of data?');
    assert.match(question.detail ?? '', /^No running container .*\n\n.*without network/);
    assert.deepEqual(
      lab.ui.of('pick')[0]?.items?.map(({ label }) => label),
      ['tool:latest'],
    );
    assert.deepEqual(ran, []);
  });

  it('rename to a name that is free, and select the row', async () => {
    lab.ui.act(type('b.conf'));
    await lab.run('gantry.files.rename', nodeOf('/app/a.conf'));
    const [box] = lab.ui.of('input');
    assert.deepEqual([box?.input?.value, box?.input?.selection], ['a.conf', [0, 1]]);
    for (const name of ['', '.', '..', 'a/b', 'a\0', '\uFFFD', 'é'.repeat(128)])
      assert.notEqual(box?.input?.problem?.(name), undefined, name);
    for (const name of ['é'.repeat(127), '-rf', 'a\nb', '...'])
      assert.equal(box?.input?.problem?.(name), undefined, name);
    assert.deepEqual(ran, [['mv', '-nT', '--', '/app/a.conf', '/app/b.conf']]);
    assert.deepEqual(shown, ['/app/b.conf']);
    assert.deepEqual(changes, [{ created: '/app/b.conf', deleted: '/app/a.conf' }]);
  });

  it('rename by argument, and never replace anything', async () => {
    const rename = (to: string) => lab.call('gantry.files.rename', { id, path: '/-x', to });
    await assert.rejects(rename('/app/a.conf'), /\/app\/a.conf already exists/);
    await assert.rejects(rename('/data/x'), /are not in the same mount/);
    await assert.rejects(rename('y'), /"y" is not an absolute path/);
    assert.deepEqual(await rename('/app/../y'), { outcome: 'renamed', path: '/-x', to: '/y' });
  });

  it('create folders on the way to a name, and open a new file', async () => {
    lab.ui.act(type('in/er/'), type('app.conf'));
    await lab.run('gantry.files.createFolder', nodeOf('/app/a.conf'));
    await lab.run('gantry.files.createFile', nodeOf('/app/sub'));
    assert.deepEqual(shown, ['/app/in/er', '/app/sub/app.conf']);
    assert.deepEqual([files.has('/app/in/er'), files.get('/app/sub/app.conf')], [true, 0]);
    assert.match(lab.ui.of('openFile')[0]?.text ?? '', /\/web\/app\/sub\/app\.conf/);
    const create = (path: string, mode?: number) =>
      lab.call('gantry.files.createFolder', { id, path, mode });
    await assert.rejects(create('/app'), /Could not create the folder/);
    await assert.rejects(create('/n', 4096), /"mode" must be a number from 0 to 4095/);
    assert.deepEqual(await create('/n'), { outcome: 'created', path: '/n' });
  });

  it('name a copy as the Explorer does', async () => {
    const { copyName } = await import('../../../../src/commands/files/renameCommands.ts');
    const taken = new Set(['a copy.tar', 'b copy', 'b copy 2']);
    assert.equal(copyName('a.tar', false, taken), 'a copy 2.tar');
    assert.equal(copyName('b', true, taken), 'b copy 3');
    assert.equal(copyName('.env', false, taken), '.env copy');
    assert.equal(copyName('c.d', true, taken), 'c.d copy');
  });
});
