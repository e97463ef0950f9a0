import assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import { Emitter } from '../../../src/base/lifetime.ts';
import type { AllFiles, FilesChange } from '../../../src/files/allFiles.ts';
import type * as containerFileSystem from '../../../src/files/containerFileSystem.ts';
import { toFileUri } from '../../../src/files/fileRoot.ts';
import { FileTreeReader } from '../../../src/files/fileTreeReader.ts';
import '../support/fakeEditor.ts';
import { json, type Answer, type FakeEngine } from '../support/fakeEngine.ts';
import { Uri, workspace } from '../support/fakeVscode.ts';
import { openLab, type Lab } from '../support/lab.ts';
import { packed, pathStat } from '../support/tars.ts';

const PLACE = { engine: 'docker', kind: 'container', id: 'c'.repeat(64), name: 'web' } as const;
const FILE = 0o644;
const FOLDER = 0x8000_0000 + 0o755;
const LINK = 0x0800_0000 + 0o777;

describe('files/containerFileSystem', () => {
  let lab: Lab;
  let engine: FakeEngine;
  let changes: Emitter<FilesChange>;
  let system: containerFileSystem.ContainerFileSystem;
  let stats: Record<string, object>;
  let tar: Buffer;

  const answer: Answer = ({ method, query }, response) => {
    const stat = stats[query.get('path') ?? ''] ?? { mode: FOLDER };
    if ('status' in stat) {
      json(response, Number(stat.status), { message: 'no' });
      return;
    }
    response.writeHead(200, { 'x-docker-container-path-stat': pathStat(stat) });
    response.end(method === 'HEAD' ? undefined : tar);
  };

  beforeEach(async () => {
    const { ContainerFileSystem } = await import('../../../src/files/containerFileSystem.ts');
    lab = openLab();
    const { connection, ...fake } = await lab.fake(answer);
    engine = fake.engine;
    stats = {};
    changes = new Emitter();
    const files = new FileTreeReader({
      access: (work) => work(connection, PLACE.id),
      isMoving: () => false,
      now: () => 0,
    });
    const all = { onDidChange: changes.event, of: () => files } as unknown as AllFiles;
    system = new ContainerFileSystem(all, () => 'words');
  });
  afterEach(async () => {
    system.dispose();
    workspace.textDocuments = [];
    await lab.close();
  });

  const uriOf = (path: string): vscode.Uri =>
    Uri.from(toFileUri(PLACE, path)) as unknown as vscode.Uri;

  it('returns the stat of a path, and for a link that of its target', async () => {
    stats = {
      '/a': { mode: FILE, size: 3, mtime: '2026-01-01T00:00:00Z' },
      '/l': { mode: LINK, size: 1, linkTarget: '/b' },
      '/none': { mode: LINK, size: 2, linkTarget: '/nowhere' },
      '/nowhere': { status: 404 },
    };
    const at = Date.parse('2026-01-01T00:00:00Z');
    const file = { type: 1, size: 3, mtime: at, ctime: at, permissions: 1 };
    assert.deepEqual(await system.stat(uriOf('/a')), file);
    assert.equal((await system.stat(uriOf('/l'))).type, 2 + 64);
    const { type, size } = await system.stat(uriOf('/none'));
    assert.deepEqual([type, size], [64, 2]);
  });

  it('lists a folder and recognizes links to its folders', async () => {
    tar = await packed([
      { name: 'd', type: 'directory' },
      { name: 'f' },
      { name: 'ld', type: 'symlink', linkname: 'd' },
      { name: 'lf', type: 'symlink', linkname: 'f' },
      { name: 'p', type: 'fifo' },
    ]);
    const entries = Object.fromEntries(await system.readDirectory(uriOf('/')));
    assert.deepEqual(entries, { d: 2, f: 1, ld: 2 + 64, lf: 1 + 64, p: 0 });
  });

  it('fails with the errors of the VS Code file system API', async () => {
    stats = { '/none': { status: 404 }, '/broken': { status: 500 } };
    tar = await packed([{ name: 'folder', type: 'directory' }]);
    const failed = async (work: Promise<unknown>): Promise<unknown> =>
      work.catch((error: unknown) => String(error));
    assert.equal(await failed(system.stat(uriOf('/none'))), 'Error: FileNotFound');
    assert.equal(await failed(system.stat(uriOf('/broken'))), 'Error: Unavailable: words');
    assert.equal(await failed(system.readFile(uriOf('/folder'))), 'Error: FileIsADirectory');
    const asked = engine.seen.length;
    const address = new Uri('gantry-container', '', '/web/a', 'engine=docker');
    const wrong = system.stat(address as unknown as vscode.Uri);
    assert.equal(await failed(wrong), 'Error: FileNotFound');
    assert.equal(engine.seen.length, asked);
  });

  it('fires for the open documents of a container whose files may have changed', () => {
    const told: string[] = [];
    system.onDidChangeFile((all) => told.push(...all.map(({ uri }) => uri.path)));
    const other = { ...PLACE, id: 'd'.repeat(64), name: 'db' };
    changes.fire({ root: PLACE, isRequested: false });
    workspace.textDocuments = [
      Uri.from(toFileUri(PLACE, '/a')),
      Uri.from(toFileUri(other, '/b')),
      Uri.from({ ...toFileUri(PLACE, '/c'), scheme: 'file' }),
      Uri.from({ scheme: 'gantry-container', path: '/web/d' }),
    ].map((uri) => ({ uri }));
    changes.fire({ root: PLACE, isRequested: false });
    assert.deepEqual(told, ['/web/a']);
    system.dispose();
    changes.fire({ root: PLACE, isRequested: false });
    assert.equal(told.length, 1);
  });
});
