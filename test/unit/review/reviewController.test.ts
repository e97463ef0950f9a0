import assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import type { ContainerChanges, FileChange } from '../../../src/engine/containers/listChanges.ts';
import { Inventory, type InventoryChange } from '../../../src/inventory/inventory.ts';
import type { KnownEngines } from '../../../src/inventory/knownEngine.ts';
import { Emitter } from '../../../src/base/lifetime.ts';
import { imageFileSource, type FileSource } from '../../../src/engine/volumes/fileSource.ts';
import { loadReview, type ReviewSubject } from '../../../src/review/review.ts';
import type * as reviewController from '../../../src/review/reviewController.ts';
import { container, idOf, image } from '../inventory/support/nouns.ts';
import '../support/fakeEditor.ts';
import type { Answer, FakeEngine } from '../support/fakeEngine.ts';
import {
  CancellationTokenSource,
  closedDocuments,
  decorations,
  executed,
  providers,
  TreeItem,
  Uri,
  views,
} from '../support/fakeVscode.ts';
import { failure, openLab, when, type Lab } from '../support/lab.ts';
import { packed, pathStat } from '../support/tars.ts';

const LIVE = { kind: 'live', info: { product: 'docker', engineApi: '1.41', api: '1.41' } } as const;
const VIEW = 'gantry.changeTree';
const CHANGES: readonly FileChange[] = [
  { path: '/etc/web', kind: 'changed' },
  { path: '/etc/new', kind: 'added' },
  { path: '/etc/old', kind: 'deleted' },
];

describe('review/reviewController', () => {
  let lab: Lab;
  let engine: FakeEngine;
  let inventory: Inventory;
  let changes: Emitter<InventoryChange>;
  let controller: reviewController.ReviewController;
  let source: FileSource;
  let tar: Buffer;

  /** Every path is a file of three bytes, except that `/empty` is a folder. */
  const answer: Answer = ({ method, query }, response) => {
    const isFolder = query.get('path') === '/empty';
    const stat = { mode: isFolder ? 0x8000_0000 + 0o755 : 0o644, size: 3 };
    response.writeHead(200, { 'x-docker-container-path-stat': pathStat(stat) });
    response.end(method === 'HEAD' ? undefined : tar);
  };

  beforeEach(async () => {
    const { ReviewController } = await import('../../../src/review/reviewController.ts');
    lab = openLab();
    tar = await packed([{ name: 'a', size: 3 }]);
    const { connection, ...fake } = await lab.fake(answer);
    engine = fake.engine;
    source = (work) => work(connection, idOf('a'));
    inventory = new Inventory();
    changes = new Emitter();
    inventory.onDidChange((change) => changes.fire(change));
    executed.length = 0;
    const engines = { get: () => ({ inventory }), onDidChangeInventory: changes.event };
    controller = new ReviewController('me', engines as unknown as KnownEngines);
  });
  afterEach(async () => {
    controller.dispose();
    await lab.close();
  });

  function subjectOf(
    list: readonly FileChange[],
    more: Partial<ReviewSubject> = {},
  ): ReviewSubject {
    return {
      ...{ engine: 'docker', kind: 'container', id: idOf('a'), name: 'web', base: 'alpine' },
      list: () => Promise.resolve({ changes: list, leftOut: 0 }),
      ...{ before: source, after: source, mounts: [], ...more },
    };
  }

  /** Returns the tree data provider of the view. */
  function provider(): vscode.TreeDataProvider<never> {
    const found = views.get(VIEW)?.options.treeDataProvider;
    assert(found);
    return found;
  }

  async function rows(folder?: never): Promise<never[]> {
    return (await provider().getChildren(folder)) ?? [];
  }

  async function items(folder?: never): Promise<readonly vscode.TreeItem[]> {
    const shown: vscode.TreeItem[] = [];
    for (const row of await rows(folder)) shown.push(await provider().getTreeItem(row));
    return shown;
  }

  async function pointedAt(row: never): Promise<unknown> {
    const { token } = new CancellationTokenSource();
    const item = new TreeItem('a') as unknown as vscode.TreeItem;
    const resolve = provider().resolveTreeItem?.(item, row, token);
    return ((await resolve) ?? item).tooltip;
  }

  const context = (): unknown => executed.findLast(([name]) => name === 'setContext')?.[2];

  it('shows the changes and the name of the container', async () => {
    await controller.open(subjectOf(CHANGES));
    assert.equal(views.get(VIEW)?.message, 'web · 1 added, 1 changed, 1 deleted');
    assert.equal(context(), 'container');
    const [folder] = await rows();
    assert.deepEqual(
      (await items(folder)).map(({ label, contextValue, command }) => [
        ...[label, contextValue, command?.command],
      ]),
      ['new', 'old', 'web'].map((name, at) => [
        ...[name, `change.${['added', 'deleted', 'changed'][at]}`, 'gantry.changes.open'],
      ]),
    );
    const [item] = await items(folder);
    const [decoration] = [...decorations].map(({ provideFileDecoration }) =>
      provideFileDecoration(item?.resourceUri as unknown as Uri),
    );
    assert.deepEqual({ ...(decoration as object) }, { badge: 'A', tooltip: 'Added' });
    assert.equal(item?.accessibilityInformation?.label, '/etc/new, Added');
  });

  it('refreshes its rows before it sets the message, after which VS Code refreshes later', async () => {
    const messages: unknown[] = [];
    provider().onDidChangeTreeData?.(() => messages.push(views.get(VIEW)?.message));
    const list = { changes: [], leftOut: 2 };
    await controller.open(subjectOf([], { list: () => Promise.resolve(list) }));
    assert.deepEqual(messages, [undefined]);
    assert.match(views.get(VIEW)?.message ?? '', /^web · No changes/);
  });

  it('shows the path and source of an excluded mount in its tooltip', async () => {
    await controller.open(
      subjectOf([], { mounts: [{ target: '/data', type: 'volume', source: 'db' }] }),
    );
    const [mounts] = await rows();
    const [mount] = await rows(mounts);
    assert.equal(await pointedAt(mount!), '/data\ndb');
    assert.equal(await pointedAt(mounts!), undefined);
  });

  it('expands up to 50 changes, collapses more, and always collapses ignored paths', async () => {
    const files = (count: number): FileChange[] =>
      Array.from({ length: count }, (_, at) => ({ path: `/a/${at}`, kind: 'added' }));
    for (const [count, folding] of [
      [50, 2],
      [51, 1],
    ] as const) {
      await controller.open(subjectOf([...files(count), { path: '/tmp/a/b', kind: 'added' }]));
      const [, noise] = await rows();
      const states = [...(await items()), ...(await items(noise))];
      assert.deepEqual(
        states.map(({ collapsibleState }) => collapsibleState),
        [folding, 1, 1],
      );
    }
  });

  it('requests the sizes of container files once, and not of deleted ones', async () => {
    const empty: FileChange = { path: '/empty', kind: 'added' };
    await controller.open(subjectOf([...CHANGES, empty]));
    const repainted: unknown[] = [];
    provider().onDidChangeTreeData?.((changed) => repainted.push(changed));
    const [folder] = await rows();
    await rows(folder);
    await when(() => repainted.length === 2);
    const described = (await items(folder)).map(({ description }) => description);
    assert.deepEqual(described, ['3 B', '', '3 B']);
    const [, emptied] = await items();
    assert.deepEqual([emptied?.contextValue, emptied?.collapsibleState], ['folder', 2]);
    const asked = engine.seen.map(({ query }) => query.get('path'));
    assert.deepEqual(asked.sort(), ['/empty', '/etc/new', '/etc/web']);
  });

  it('requests no sizes for an image, but shows paths in tooltips', async () => {
    await controller.open(subjectOf(CHANGES, { kind: 'image' }));
    const [folder] = await rows();
    const [file] = await rows(folder);
    assert.deepEqual(
      [await pointedAt(folder!), await pointedAt(file!)],
      ['/etc\n3 changes', '/etc/new'],
    );
    assert.equal(engine.seen.length, 0);
  });

  it('shows the size and permissions of a file in its tooltip', async () => {
    await controller.open(subjectOf(CHANGES));
    const [folder] = await rows();
    const [file, deleted] = await rows(folder);
    assert.equal(await pointedAt(file!), '/etc/new\n3 B · rw-r--r-- (644)');
    assert.equal(await pointedAt(deleted!), '/etc/old');
  });

  it('opens both sides of a changed file, and the existing side of an added or deleted one', async () => {
    const entry = { name: 'web', path: '/etc/web', size: 0 } as const;
    assert.equal(await controller.openEntry({ ...entry, kind: 'changed' }), false);
    await controller.open(subjectOf(CHANGES));
    const shown = async (kind: FileChange['kind']): Promise<readonly unknown[]> => {
      executed.length = 0;
      assert.equal(await controller.openEntry({ ...entry, kind }), true);
      return executed.flat().map((one) => (one instanceof Uri ? one.toString() : one));
    };
    const before = `gantry-review:///alpine/etc/web?${idOf('a')}.base`;
    const after = `gantry-review:///web/etc/web?${idOf('a')}`;
    const options = { preview: true };
    const [command, ...changed] = await shown('changed');
    assert.equal(command, 'vscode.diff');
    const summary = encodeURI(' (summary)');
    assert.deepEqual(changed.slice(0, 2), [
      before.replace('?', `${summary}?`),
      after.replace('?', `${summary}?`),
    ]);
    assert.deepEqual(changed.slice(2), ['web (alpine ↔ web)', options]);
    assert.deepEqual(await shown('added'), ['vscode.open', after, options, 'web (added)']);
    assert.deepEqual(await shown('deleted'), ['vscode.open', before, options, 'web (deleted)']);
    const uri = executed[0]?.[1] as Uri;
    const documents = providers.get('gantry-review') as vscode.TextDocumentContentProvider;
    const text = (): unknown =>
      documents.provideTextDocumentContent(uri as never, undefined as never);
    assert.equal(text(), '...');
    closedDocuments.fire({ uri });
    assert.equal(text(), 'This review was closed. Review the changes again to open the file.');
  });

  it('opens nothing for a file that no longer exists, and reports why a side cannot be read', async () => {
    await controller.open(subjectOf(CHANGES));
    const entry = { name: 'web', path: '/etc/web', size: 0, kind: 'changed' } as const;
    engine.answer((_, response) => void response.writeHead(404).end('{}'));
    assert.equal(await controller.openEntry(entry), false);
    // The response for the other side would never end.
    let isLeft = false;
    engine.answer((_, response) => {
      if (engine.seen.length % 2 === 0) return void response.writeHead(500).end('{"message":"no"}');
      response.on('close', () => (isLeft = true));
    });
    await failure(controller.openEntry(entry), 'failed');
    await when(() => isLeft);
  });

  it('reports that the image to compare with no longer exists, and opens nothing', async () => {
    const { connection } = await lab.fake((_, response) => {
      response.writeHead(404).end('{"message":"No such image: sha256:a"}');
    });
    const before = imageFileSource(() => Promise.resolve(connection), 'sha256:a', 'me');
    await controller.open(subjectOf(CHANGES, { before }));
    executed.length = 0;
    for (const kind of ['changed', 'deleted'] as const) {
      const entry = { name: 'web', path: '/etc/web', size: 0, kind };
      await failure(controller.openEntry(entry), 'notFound');
    }
    assert.deepEqual(executed, []);
  });

  it('closes when its subject is removed, unless it was never listed or the engine is disconnected', async () => {
    const list = (...letters: readonly string[]): void => {
      inventory.replaceAll(
        letters.map((letter) => container(letter)),
        [image('c')],
        0,
        LIVE,
      );
    };
    await controller.open(subjectOf(CHANGES));
    list('b');
    assert.notEqual(controller.current, undefined);
    list('a', 'b');
    inventory.setPhase({ kind: 'connecting' });
    inventory.replaceAll([], [], 0);
    assert.notEqual(controller.current, undefined);
    list('b');
    assert.equal(controller.current, undefined);
    assert.deepEqual([context(), views.get(VIEW)?.message], [undefined, '']);
    assert.deepEqual(await rows(), []);
    const picture = { kind: 'image', id: `sha256:${idOf('c')}` } as const;
    controller.show(await loadReview(subjectOf(CHANGES, picture)));
    inventory.clear(0, { kind: 'off' });
    inventory.replaceImages([], { ...LIVE, images: 'awaited' });
    assert.notEqual(controller.current, undefined);
    inventory.replaceImages([], LIVE);
    assert.equal(controller.current, undefined);
  });

  it('lists the changes again, and a later listing replaces an earlier one', async () => {
    await controller.refresh();
    let list: readonly FileChange[] = CHANGES;
    const subject = subjectOf([], {
      list: () => Promise.resolve({ changes: list, leftOut: 0 }),
    });
    await controller.open(subject);
    list = CHANGES.slice(1);
    await controller.refresh();
    assert.equal(controller.current?.tree.main.size, 2);
    const first = controller.open(subject);
    const second = controller.open(subjectOf([]));
    await assert.rejects(first, { name: 'AbortError' });
    await second;
    assert.equal(controller.current.tree.main.size, 0);
    const stopped = new AbortController();
    const third = controller.open(subject, stopped.signal);
    stopped.abort();
    await assert.rejects(third, { name: 'AbortError' });
  });

  it('keeps a listing while a file is opened and the shown container is removed', async () => {
    inventory.replaceAll([container('a'), container('b')], [], 0, LIVE);
    await controller.open(subjectOf(CHANGES));
    const listed = Promise.withResolvers<ContainerChanges>();
    const other = subjectOf([], { id: idOf('b'), list: () => listed.promise });
    const opening = controller.open(other);
    const entry = { name: 'web', path: '/etc/web', size: 0, kind: 'changed' } as const;
    assert.equal(await controller.openEntry(entry), true);
    inventory.replaceAll([container('b')], [], 0, LIVE);
    assert.equal(context(), undefined);
    listed.resolve({ changes: CHANGES, leftOut: 0 });
    await opening;
    assert.equal(controller.current?.subject, other);
  });

  it('drops the refresh of a container that is removed', async () => {
    inventory.replaceAll([container('a')], [], 0, LIVE);
    const listed = Promise.withResolvers<ContainerChanges>();
    const whole: ContainerChanges = { changes: CHANGES, leftOut: 0 };
    let list = Promise.resolve(whole);
    await controller.open(subjectOf([], { list: () => list }));
    list = listed.promise;
    const refreshing = controller.refresh();
    inventory.replaceAll([], [], 0, LIVE);
    listed.resolve(whole);
    await assert.rejects(refreshing, { name: 'AbortError' });
    assert.equal(controller.current, undefined);
  });

  it('focuses its view', async () => {
    await controller.focus();
    assert.deepEqual(executed.at(-1), ['gantry.changeTree.focus']);
  });
});
