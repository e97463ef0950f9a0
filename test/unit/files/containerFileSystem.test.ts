import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import type * as vscode from 'vscode';
import { readFirstEntry } from '../../../src/engine/archive/readTar.ts';
import { writeTar } from '../../../src/engine/archive/writeTar.ts';
import { Emitter } from '../../../src/base/lifetime.ts';
import type { AllFiles, FilesChange } from '../../../src/files/allFiles.ts';
import type * as containerFileSystem from '../../../src/files/containerFileSystem.ts';
import { toFileUri } from '../../../src/files/fileRoot.ts';
import { FileTreeReader } from '../../../src/files/fileTreeReader.ts';
import '../support/fakeEditor.ts';
import { json, type Answer, type FakeEngine } from '../support/fakeEngine.ts';
import { changedDocuments, Uri, workspace } from '../support/fakeVscode.ts';
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
  let readOnly: object | undefined;
  let offered: string[];
  let isCut: boolean;

  const answer: Answer = ({ method, path, query, body }, response) => {
    if (path.endsWith('/json')) {
      json(response, 200, {
        Id: PLACE.id,
        State: { Status: 'exited' },
        HostConfig: {},
        Mounts: [],
      });
      return;
    }
    if (method === 'PUT') {
      if (isCut) response.destroy();
      else {
        tar = Buffer.from(body);
        response.end();
      }
      return;
    }
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
    readOnly = undefined;
    offered = [];
    isCut = false;
    const all = {
      onDidChange: changes.event,
      of: () => files,
      refresh: () => undefined,
      accessToWrite: () => (work: (...given: unknown[]) => unknown) => work(connection, PLACE.id),
      whyReadOnly: () => Promise.resolve(readOnly),
      asksProcesses: () => Promise.resolve(false),
      localPath: () => Promise.resolve(undefined),
      replacementOf: () => undefined,
    } as unknown as AllFiles;
    const show = (message: string, ...actions: { title: string }[]): void => {
      offered.push([message, ...actions.map(({ title }) => title)].join(' | '));
    };
    const ui = {
      info: show,
      warn: show,
      confirm: () => Promise.resolve(true),
      commit: () => undefined,
    };
    system = new ContainerFileSystem(all, () => 'words', ui);
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
    const file = { type: 1, size: 3, mtime: at, ctime: at };
    assert.deepEqual(await system.stat(uriOf('/a')), file);
    readOnly = { reason: 'readOnlyRoot' };
    assert.deepEqual(await system.stat(uriOf('/a')), { ...file, permissions: 1 });
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

  const archive = async (text: string): Promise<Buffer> => {
    const own = { name: 'a', kind: 'file', uid: 5, gid: 6, permissions: 0o640 } as const;
    const open = (): Readable => Readable.from([Buffer.from(text)]);
    const bytes: Uint8Array[] = [];
    for await (const one of writeTar([
      { ...own, modifiedAt: 0, size: Buffer.byteLength(text), open },
    ]))
      bytes.push(one);
    return Buffer.concat(bytes);
  };
  const save = (text: string): Promise<void> =>
    system.writeFile(uriOf('/a'), Buffer.from(text), { create: true, overwrite: true });
  const open = async (text: string): Promise<void> => {
    stats = { '/a': { mode: FILE, size: text.length, mtime: '2026-01-01T00:00:00Z' } };
    tar = await archive(text);
    await system.stat(uriOf('/a'));
    await system.readFile(uriOf('/a'));
  };

  it('saves a file with its owner, group and mode, and knows what was saved', async () => {
    await open('old');
    await save('new');
    for await (const one of readFirstEntry(Readable.from([tar]))) {
      assert.deepEqual(one.owner, { uid: 5, gid: 6, mode: 0o640, hasAttributes: false });
      assert.deepEqual([one.name, one.size], ['a', 3]);
    }
    await save('newer');
    assert.match(
      offered.join(),
      /^Saved in the container web\. What is not in a mount .* \| Commit\.\.\.$/,
    );
  });

  it('does not overwrite what somebody else wrote, of the same length and with an older date', async () => {
    await open('old');
    tar = await archive('odd');
    await assert.rejects(save('new'), { message: 'Unavailable: words' });
    assert.deepEqual(offered, ['words | Compare | Overwrite']);
    for await (const one of readFirstEntry(Readable.from([tar])))
      for await (const bytes of one.contents) assert.equal(Buffer.from(bytes).toString(), 'odd');
  });

  /** A document of `/a` in an editor. */
  const show = (text: string): { isDirty: boolean; uri: Uri; getText: () => string } => {
    const uri = Uri.from(toFileUri(PLACE, '/a'));
    const document = { isDirty: false, uri, getText: () => text };
    workspace.textDocuments = [document];
    return document;
  };

  it('does not overwrite what only another reader has read', async () => {
    await open('old');
    const document = show('old');
    tar = await archive('odd');
    await system.readFile(uriOf('/a'));
    document.isDirty = true;
    await assert.rejects(save('new'), { message: 'Unavailable: words' });
  });

  it('saves what is based on what the document was reverted to', async () => {
    await open('old');
    const document = show('changed');
    document.isDirty = true;
    tar = await archive('\uFEFFo\r\nd');
    await system.readFile(uriOf('/a'));
    document.isDirty = false;
    document.getText = () => 'o\nd';
    changedDocuments.fire({ document, contentChanges: [] });
    document.isDirty = true;
    await save('new');
  });

  it('does not overwrite a document of which it did not read the contents', async () => {
    await open('old');
    system.dispose();
    workspace.textDocuments = [{ uri: Uri.from(toFileUri(PLACE, '/b')) }];
    stats['/b'] = stats['/a'] ?? {};
    const contents = Buffer.from('new');
    const options = { create: true, overwrite: true };
    await assert.rejects(system.writeFile(uriOf('/b'), contents, options), { message: /words/ });
  });

  it('says what the file has after a cut, and stays unsaved', async () => {
    await open('old');
    isCut = true;
    await assert.rejects(save('new'), { message: 'Unavailable: words' });
    assert.deepEqual(offered, []);
    isCut = false;
    await save('new');
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
