import assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import type { Engines } from '../../../../src/engines/engines.ts';
import type { Orphans } from '../../../../src/projects/orphans.ts';
import type { ComposeLensProvider } from '../../../../src/app/lenses/composeLensProvider.ts';
import { toDisposable } from '../../../../src/base/lifetime.ts';
import '../../support/fakeEditor.ts';
import { Uri, window } from '../../support/fakeVscode.ts';

describe('app/lenses/composeLensProvider: the lenses of a compose file', () => {
  let provider: ComposeLensProvider;
  let listeners: Readonly<Record<'inventory' | 'engines' | 'files', Set<() => void>>>;
  let starts: number;
  let changes: number;
  let changed: PromiseWithResolvers<void>;

  beforeEach(async () => {
    const module = await import('../../../../src/app/lenses/composeLensProvider.ts');
    listeners = { inventory: new Set(), engines: new Set(), files: new Set() };
    starts = 0;
    changes = 0;
    const eventOf = (all: Set<() => void>) => (listener: () => void) => {
      all.add(listener);
      return toDisposable(() => all.delete(listener));
    };
    changed = Promise.withResolvers();
    const unit = {
      name: 'docker',
      inventory: { containers: new Map(), phase: { kind: 'live' } },
      start: () => (starts += 1),
    };
    const engines = {
      onDidChangeInventory: eventOf(listeners.inventory),
      onDidChange: eventOf(listeners.engines),
      all: [unit],
      get: () => unit,
    };
    const orphans = { onDidChange: eventOf(listeners.files) } as unknown as Orphans;
    const onDidChange = (): void => {
      changes += 1;
      changed.resolve();
    };
    provider = new module.ComposeLensProvider({
      engines: engines as unknown as Engines,
      orphans,
      onDidChange,
    });
    window.visibleTextEditors = [{ document: {} }];
  });

  afterEach(() => {
    provider.dispose();
    window.visibleTextEditors = [];
  });

  it('are above the services, and start the engine that lists their containers', async () => {
    let reads = 0;
    const document = {
      version: 1,
      uri: new Uri('file', '', '/shop/compose.yaml'),
      getText: () => {
        reads += 1;
        return 'services:\n  web:\n    image: a\n';
      },
    };
    const provide = () => provider.provide(document as unknown as vscode.TextDocument, 'actions');
    const lenses = await provide();
    assert.ok(lenses.length > 0);
    assert.ok(lenses.every(({ command }) => command?.title));
    // A choice of the user, not a call.
    const [up] = lenses;
    assert.deepEqual(up?.command?.arguments, [{ files: ['/shop/compose.yaml'] }, []]);
    assert.equal(starts, 1);
    assert.equal((await provide()).length, lenses.length);
    assert.equal(reads, 1, 'a version is read once');
    document.version = 2;
    await provide();
    assert.equal(reads, 2);
  });

  for (const what of ['inventory', 'engines', 'files'] as const)
    it(`change with the ${what}`, async () => {
      for (const listener of listeners[what]) listener();
      assert.equal(listeners[what].size, 1);
      await changed.promise;
    });

  // VS Code waits before it asks, and again after each change that it is notified of.
  it('report a change only once until VS Code asks for them', async () => {
    const change = (): void => {
      for (const listener of listeners.inventory) listener();
    };
    for (let times = 0; times < 3; times++) change();
    assert.equal(changes, 1);
    const uri = new Uri('file', '', '/shop/compose.yaml');
    const document = { version: 1, uri, getText: () => '' };
    await provider.provide(document as unknown as vscode.TextDocument, 'actions');
    change();
    assert.equal(changes, 2);
  });

  it('listen to nothing after they are disposed', () => {
    provider.dispose();
    assert.deepEqual(
      [listeners.inventory.size, listeners.engines.size, listeners.files.size],
      [0, 0, 0],
    );
  });
});
