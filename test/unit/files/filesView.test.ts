import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import type * as vscode from 'vscode';
import { Emitter, toDisposable, type Memento } from '../../../src/base/lifetime.ts';
import type { AllFiles, FilesChange } from '../../../src/files/allFiles.ts';
import { FileIndex, type Listing } from '../../../src/files/fileIndex.ts';
import {
  FileNode,
  FileNoteNode,
  FileRootNode,
  type PathNode,
} from '../../../src/files/fileNode.ts';
import { fileRootKey, toFileUri, type FileRoot } from '../../../src/files/fileRoot.ts';
import type * as filesView from '../../../src/files/filesView.ts';
import { fakeMemento } from '../support/commandLab.ts';
import '../support/fakeEditor.ts';
import { DataTransfer, DataTransferItem, executed, views } from '../support/fakeVscode.ts';

const PLACE = { engine: 'docker', kind: 'container', id: 'c'.repeat(64), name: 'web' } as const;
const OTHER = { ...PLACE, id: 'd'.repeat(64), name: 'db' } as const;

describe('files/filesView', () => {
  let view: filesView.FilesView;
  let create: () => filesView.FilesView;
  let memory: Memento;
  let shows: number;
  let changes: Emitter<FilesChange>;
  let removals: Emitter<void>;
  let gone: Set<string>;
  /** The current names of the containers that were renamed, by ID. */
  let names: Map<string, string>;
  let refreshed: string[];
  let listed: { path: string; isPatient: boolean | undefined; signal: AbortSignal | undefined }[];
  let list: () => Promise<Listing>;
  let repainted: unknown[];
  let watched: Set<string>;

  beforeEach(async () => {
    const { FilesView } = await import('../../../src/files/filesView.ts');
    watched = new Set();
    names = new Map();
    changes = new Emitter();
    removals = new Emitter();
    gone = new Set();
    refreshed = [];
    listed = [];
    repainted = [];
    list = () => Promise.resolve(indexOf('a'));
    const all = {
      onDidChange: changes.event,
      onDidRemove: removals.event,
      canRun: () => true,
      isThere: (root: FileRoot) => !gone.has(fileRootKey(root)),
      nameOf: ({ id, name }: FileRoot) => names.get(id) ?? name,
      watch: ({ name }: FileRoot) => {
        watched.add(name);
        return toDisposable(() => watched.delete(name));
      },
      refresh: ({ name }: FileRoot) => refreshed.push(name),
      of: () => ({
        list: (path: string, options: { isPatient?: boolean; signal?: AbortSignal }) => {
          listed.push({ path, isPatient: options.isPatient, signal: options.signal });
          return list();
        },
        leadsToFolder: (_: string, target: string) => target === 'a',
      }),
    } as unknown as AllFiles;
    executed.length = 0;
    memory = fakeMemento();
    shows = 0;
    create = () =>
      new FilesView(all, {
        describe: (error) => `because ${String(error)}`,
        memory,
        onShow: () => shows++,
      });
    view = create();
    view.onDidChangeTreeData((node) => repainted.push(node));
  });
  afterEach(() => view.dispose());

  /** Returns the listing of a folder with these files, of which the index keeps three. */
  function indexOf(...names: readonly string[]): Listing {
    const index = new FileIndex(3);
    for (const name of names) index.add({ ...entry(name, 'file'), contents: Readable.from([]) });
    const listing = index.list([]);
    assert(listing);
    return listing;
  }

  const entry = (name: string, kind: 'file' | 'folder' | 'link' | 'other') =>
    ({ name, kind, size: 1, permissions: 0, modifiedAt: 0, linkTarget: 'a' }) as const;
  const shownPlaces = async (): Promise<readonly string[]> =>
    (await view.getChildren()).map((node) => (node as PathNode).root.name);

  it('shows a note below the entries if the folder has more than are kept', async () => {
    list = () => Promise.resolve(indexOf('a', 'b', 'c', 'd'));
    const rows = await view.getChildren(new FileRootNode(PLACE));
    const note = rows.at(-1);
    assert(note instanceof FileNoteNode);
    assert.deepEqual(
      [rows.length, note.present().label],
      [4, 'Only the first 3 entries are shown.'],
    );
    assert.deepEqual(await view.getChildren(note), []);
  });

  it('sorts folders and links to folders first, and numbers in names by value', async () => {
    const entries = [entry('b10', 'file'), entry('b2', 'file'), entry('l', 'link')];
    list = () => Promise.resolve({ entries: [...entries, entry('z', 'folder')], isWhole: true });
    const rows = await view.getChildren(new FileRootNode(PLACE));
    assert.deepEqual(
      rows.map((row) => row instanceof FileNode && [row.entry.name, row.isFolder]),
      [
        ['l', true],
        ['z', true],
        ['b2', false],
        ['b10', false],
      ],
    );
    assert.deepEqual(
      rows.map((row) => view.getParent(row)),
      rows.map((row) => row.parent),
    );
    assert(rows[0]?.parent instanceof FileRootNode);
    assert.equal(view.getParent(rows[0].parent), undefined);
  });

  it('says that a folder or a volume is empty, on a row without a click', async () => {
    list = () => Promise.resolve(indexOf());
    const volume = new FileRootNode({ ...PLACE, kind: 'volume', id: 'data', name: 'data' });
    const folder = new FileNode(volume, entry('sub', 'folder'), true);
    const items = await Promise.all(
      [volume, folder].map(async (node) =>
        (await view.getChildren(node)).map((row) => view.getTreeItem(row)),
      ),
    );
    assert.deepEqual(
      items.map((rows) =>
        rows.map(({ label, description, contextValue, command, resourceUri }) => [
          ...[label, description, contextValue, command, resourceUri],
        ]),
      ),
      ['empty volume', 'empty folder'].map((text) => [
        ['', text, 'files.empty', undefined, undefined],
      ]),
    );
  });

  it('shows why a folder cannot be read', async () => {
    list = () => Promise.reject(new Error('no'));
    const [note] = await view.getChildren(new FileRootNode(PLACE));
    assert(note instanceof FileNoteNode && note.kind === 'failed');
    assert.equal(note.text, 'because Error: no');
    assert.equal(view.getTreeItem(note).command, undefined);
  });

  it('reads a folder to the end when its note is clicked, and aborts when its container is closed', async () => {
    await view.open(PLACE);
    const [root] = (await view.getChildren()) as [PathNode];
    list = () => Promise.resolve({ entries: [], isWhole: false });
    const [note] = (await view.getChildren(root)) as [FileNoteNode];
    assert.equal(view.getTreeItem(note).command?.command, 'gantry.files.refresh');
    view.readOn(note);
    assert.equal(repainted.at(-1), root);
    await view.getChildren(root);
    await view.getChildren(root);
    assert.deepEqual(
      listed.map(({ isPatient, signal }) => [isPatient, signal?.aborted]),
      [
        [false, undefined],
        [true, false],
        [false, undefined],
      ],
    );
    view.close(PLACE);
    assert.equal(listed[1]?.signal?.aborted, true);
    view.readOn(note);
    await view.getChildren(root);
    assert.equal(listed.at(-1)?.signal?.aborted, false);
    view.dispose();
    assert.equal(listed.at(-1)?.signal?.aborted, true);
  });

  it('shows each container once and selects it', async () => {
    const isOpen = (): unknown => executed.findLast(([name]) => name === 'setContext')?.[2];
    await view.open(PLACE);
    assert.equal(isOpen(), true);
    const [first] = views.get('gantry.fileTree')?.selection ?? [];
    await view.open(OTHER);
    await view.open(PLACE);
    assert.deepEqual(await shownPlaces(), ['web', 'db']);
    assert.deepEqual(view.selection, [first]);
    assert.deepEqual([...watched], ['web', 'db']);
    view.close(PLACE);
    assert.deepEqual([...watched], ['db']);
    assert.deepEqual([await shownPlaces(), isOpen()], [['db'], true]);
    view.close(OTHER);
    assert.deepEqual([await shownPlaces(), isOpen()], [[], false]);
    const before = executed.length;
    view.close(OTHER);
    assert.equal(executed.length, before);
  });

  it('reads again on request, and closes containers that no longer exist', async () => {
    await view.open(PLACE);
    await view.open(OTHER);
    view.refreshAll();
    assert.deepEqual(refreshed, ['web', 'db']);
    const [root] = await view.getChildren();
    repainted.length = 0;
    changes.fire({ root: PLACE, isRequested: false });
    changes.fire({ root: { ...PLACE, id: 'e'.repeat(64) }, isRequested: true });
    assert.deepEqual(repainted, []);
    changes.fire({ root: PLACE, isRequested: true });
    assert.deepEqual(repainted, [root]);
    removals.fire();
    assert.deepEqual(await shownPlaces(), ['web', 'db']);
    gone.add(fileRootKey(PLACE));
    removals.fire();
    assert.deepEqual(await shownPlaces(), ['db']);
  });

  it('shows the new name of a container that is renamed', async () => {
    await view.open(PLACE, (name) => `${name} (Docker)`);
    await view.open(OTHER);
    const before = await view.getChildren();
    repainted.length = 0;
    removals.fire();
    assert.deepEqual(repainted, []);
    names.set(PLACE.id, 'api');
    removals.fire();
    assert.deepEqual([repainted, await shownPlaces()], [[undefined], ['api', 'db']]);
    const after = await view.getChildren();
    assert.equal(view.getTreeItem(after[0]!).label, 'api (Docker)');
    assert.equal(after[0]?.id, before[0]?.id);
    assert.equal(after[1], before[1]);
  });

  describe('after a reload', () => {
    const restore = (): Promise<void> => {
      view.dispose();
      view = create();
      watched.clear();
      return view.restore((engine) => (name) => `${name} (${engine})`);
    };

    it('shows what was open, and asks nothing before it is visible', async () => {
      await view.open(PLACE);
      await view.open(OTHER);
      await view.open({ ...OTHER, kind: 'volume', id: 'data', name: 'data' });
      view.close(OTHER);
      names.set(PLACE.id, 'api');
      removals.fire();
      executed.length = 0;
      await restore();
      assert.deepEqual(executed, [['setContext', 'gantry.filesOpen', true]]);
      const labels = (await view.getChildren()).map((node) => view.getTreeItem(node).label);
      assert.deepEqual(labels, ['api (docker)', 'data (docker)']);
      assert.deepEqual([[...watched], listed, shows], [[], [], 0]);
      views.get('gantry.fileTree')?.open();
      assert.deepEqual([[...watched], shows], [['api', 'data'], 1]);
    });

    it('shows nothing that is gone, that was not stored by Gantry, or that was closed', async () => {
      await view.open(PLACE);
      view.close(PLACE);
      assert.equal(memory.get('gantry.openFiles'), undefined);
      await view.open(OTHER);
      gone.add(fileRootKey(OTHER));
      await restore();
      assert.deepEqual(await shownPlaces(), []);
      const wrong = [null, 1, {}, { ...PLACE, id: '../..' }, { ...PLACE, kind: 'host' }];
      for (const kept of ['text', wrong]) {
        await memory.update('gantry.openFiles', kept);
        await restore();
        assert.deepEqual(await shownPlaces(), []);
      }
    });

    it('keeps only those that were opened last', async () => {
      for (let at = 0; at < 25; at++)
        await view.open({ ...PLACE, kind: 'volume', id: `v${at}`, name: `v${at}` });
      await restore();
      const shown = await shownPlaces();
      assert.deepEqual([shown.length, shown[0], shown.at(-1)], [20, 'v5', 'v24']);
    });
  });

  it('opens files and links on click, and sets the URI of files and folders', async () => {
    const root = new FileRootNode(PLACE);
    const kinds = ['file', 'folder', 'link', 'other'] as const;
    const items = kinds.map((kind) =>
      view.getTreeItem(new FileNode(root, entry(kind, kind), kind === 'folder')),
    );
    assert.deepEqual(
      items.map(({ command, resourceUri, collapsibleState }) => [
        ...[command?.command, resourceUri?.path, collapsibleState],
      ]),
      [
        ['vscode.open', '/web/file', 0],
        [undefined, '/web/folder', 1],
        ['vscode.open', undefined, 0],
        [undefined, undefined, 0],
      ],
    );
    const { tooltip } = await view.resolveTreeItem(items[0]!, root);
    assert(typeof tooltip === 'object');
    assert.match(tooltip.value, /web/);
  });

  describe('drag and drop', () => {
    const dropped: { node: PathNode; uris: readonly vscode.Uri[] }[] = [];
    const data = (text: string): vscode.DataTransfer => {
      const transfer = new DataTransfer([['text/uri-list', new DataTransferItem(text)]]);
      return transfer as unknown as vscode.DataTransfer;
    };
    beforeEach(() => {
      dropped.length = 0;
      view.onDidDrop((drop) => dropped.push(drop));
    });

    it('provides the URIs of the dragged rows', async () => {
      const root = new FileRootNode(PLACE);
      const transfer = data('');
      view.handleDrag([root, new FileNoteNode(root, 'a', 'partial')], transfer);
      const { path, query } = toFileUri(PLACE, '/');
      const text = await transfer.get('text/uri-list')?.asString();
      assert.equal(text, `gantry-container://${path}?${query}`);
    });

    it('accepts only local files dropped on a folder', async () => {
      const folder = new FileNode(new FileRootNode(PLACE), entry('a', 'folder'), true);
      await view.handleDrop(folder, data('#a\r\nfile:///tmp/a\n\nhttps://example.org/b'));
      assert.equal(dropped[0]?.node, folder);
      assert.deepEqual(
        dropped[0].uris.map(({ path }) => path),
        ['/tmp/a'],
      );
      await view.handleDrop(folder, data('https://example.org/b'));
      await view.handleDrop(folder, new DataTransfer() as unknown as vscode.DataTransfer);
      assert.equal(dropped.length, 1);
    });

    it('drops into the only container if not dropped on a row', async () => {
      const targets = async (): Promise<readonly FileRoot[]> => {
        await view.handleDrop(undefined, data('file:///tmp/a'));
        return dropped.splice(0).map(({ node }) => node.root);
      };
      assert.deepEqual(await targets(), []);
      await view.open(PLACE);
      assert.deepEqual(await targets(), [PLACE]);
      await view.open(OTHER);
      assert.deepEqual(await targets(), []);
    });
  });
});
