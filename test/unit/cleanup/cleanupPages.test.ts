import assert from 'node:assert/strict';
import type { WebviewPanel } from 'vscode';
import type { CleanupPages } from '../../../src/cleanup/cleanupPages.ts';
import { openSystemLab, type SystemLab } from '../commands/system/systemLab.ts';
import '../support/fakeEditor.ts';
import { FakePanel, panels, Uri } from '../support/fakeVscode.ts';
import { settle } from '../support/lab.ts';

describe('CleanupPages', () => {
  let lab: SystemLab;
  let pages: CleanupPages;
  /** Restores the page of an engine. Resolves to whether it stays open. */
  const restore = (engine: unknown): boolean => {
    const panel = new FakePanel('Clean Up');
    panels.add(panel);
    pages.restore(panel as unknown as WebviewPanel, { engine });
    return panels.has(panel);
  };

  beforeEach(async () => {
    lab = await openSystemLab();
    const { CleanupPages: Pages } = await import('../../../src/cleanup/cleanupPages.ts');
    const contextOf = (id: string) => (id === lab.context.unit.id ? lab.context : undefined);
    pages = new Pages(Uri.file('/extension') as never, contextOf);
  });

  afterEach(async () => {
    pages.dispose();
    await lab.close();
  });

  it('restores one page for each engine, and closes a page whose engine was removed', () => {
    assert.deepEqual([undefined, 'removed'].map(restore), [false, false]);
    const { id } = lab.context.unit;
    assert.equal(restore(id), true);
    assert.equal(restore(id), false);
  });

  it('reveals the open page of an engine, and opens another one after it was closed', () => {
    pages.open(lab.context);
    const [panel = assert.fail('no page')] = panels;
    pages.open(lab.context);
    assert.deepEqual([panels.size, panel.reveals], [1, 1]);
    panel.dispose();
    pages.open(lab.context);
    assert.equal(panels.size, 1);
  });

  it('ends without an unhandled rejection if the page is closed while it lists', async () => {
    const rejections: unknown[] = [];
    const onRejection = (reason: unknown): void => void rejections.push(reason);
    process.on('unhandledRejection', onRejection);
    pages.open(lab.context);
    const [panel = assert.fail('no page')] = panels;
    const closed = new Promise<void>((resolve) => {
      lab.before = () => {
        panel.dispose();
        resolve();
        return undefined;
      };
    });
    panel.messages.fire({ type: 'ready' });
    await closed;
    await settle();
    process.off('unhandledRejection', onRejection);
    assert.deepEqual(rejections, []);
  });
});
