import assert from 'node:assert/strict';
import { LogPositions } from '../../../src/logviewer/logPositions.ts';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as vscode from 'vscode';
import { Inventory } from '../../../src/inventory/inventory.ts';
import type { LogViewers } from '../../../src/logviewer/logViewers.ts';
import type { ViewerEngine } from '../../../src/logviewer/host/openLogSet.ts';
import '../support/fakeEditor.ts';
import { panels, Uri } from '../support/fakeVscode.ts';

const LIVE = { kind: 'live', info: { product: 'docker', engineApi: '1.41', api: '1.41' } } as const;
/** A project without containers: its log is empty. */
const EMPTY = { engine: 'default', ids: [], project: 'shop' };

describe('LogViewers', () => {
  let viewers: LogViewers;
  let engine: ViewerEngine;
  let problem: Error | undefined;

  const open = (): Promise<{ readonly title: string }> => viewers.open(engine, EMPTY, ['shop']);

  beforeEach(async () => {
    const { LogViewers } = await import('../../../src/logviewer/logViewers.ts');
    problem = undefined;
    const inventory = new Inventory();
    inventory.setPhase(LIVE);
    engine = {
      id: 'default',
      connect: () => Promise.reject(new Error('not expected')),
      inventory,
      watch: () => {
        if (problem) throw problem;
      },
      titleOf: (name) => name,
    };
    viewers = new LogViewers({
      extensionUri: Uri.file('/extension') as unknown as vscode.Uri,
      spillFolder: join(tmpdir(), 'gantry-no-spill'),
      memento: { get: () => undefined } as unknown as vscode.Memento,
      engineOf: () => engine,
      describe: String,
      positions: new LogPositions(),
    });
  });

  afterEach(() => {
    viewers.dispose();
    assert.equal(panels.size, 0);
  });

  it('reveals the open viewer of the same containers', async () => {
    const { title } = await open();
    assert.deepEqual(await open(), { title });
    assert.deepEqual(
      [...panels].map(({ reveals }) => reveals),
      [1],
    );
  });

  it('opens a viewer again after its first opening failed', async () => {
    problem = new Error('no space left');
    await assert.rejects(open(), problem);
    problem = undefined;
    await open();
    assert.deepEqual(
      [...panels].map(({ reveals }) => reveals),
      [0],
    );
  });

  it('opens a viewer again after its engine was replaced', async () => {
    const reveals = () => [...panels].map(({ reveals }) => reveals);
    await open();
    viewers.end('another');
    await open();
    assert.deepEqual(reveals(), [1]);
    viewers.end('default');
    await open();
    assert.deepEqual(reveals(), [0]);
  });

  it('opens a viewer for each build and each step of it, once', async () => {
    const build = {
      ref: 'r',
      title: 'shop',
      isOver: true,
      replay: () => Promise.reject(new Error('no longer there')),
    };
    const step = { id: 's', name: '[1/2] RUN make' };
    const titles = [build, { ...build, step }, build].map((one) => viewers.openBuild(engine, one));
    assert.deepEqual(await Promise.all(titles), [
      { title: 'Logs: shop' },
      { title: 'Logs: shop [1/2] RUN make' },
      { title: 'Logs: shop' },
    ]);
    assert.deepEqual(
      [...panels].map(({ reveals }) => reveals),
      [1, 0],
    );
  });
});
