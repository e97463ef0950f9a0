import assert from 'node:assert/strict';
import type { WebviewPanel } from 'vscode';
import '../support/fakeEditor.ts';
import type { DetailsPages } from '../../../src/details/detailsPages.ts';
import { openCommandLab, type CommandLab } from '../support/commandLab.ts';
import { json } from '../support/fakeEngine.ts';
import { FakePanel, panels, Uri } from '../support/fakeVscode.ts';

describe('DetailsPages', () => {
  let lab: CommandLab;
  let pages: DetailsPages;

  beforeEach(async () => {
    lab = await openCommandLab((_, response) => json(response, 404, { message: 'no' }));
    const { DetailsPages: Pages } = await import('../../../src/details/detailsPages.ts');
    pages = new Pages({
      extensionUri: Uri.file('/extension') as never,
      contextOf: (id) => (id === lab.context.unit.id ? lab.context : undefined),
      run: () => Promise.resolve(),
    });
  });
  afterEach(async () => {
    pages.dispose();
    await lab.close();
  });

  const open = (id: string) =>
    pages.open(lab.context, { kind: 'container', id, name: id }, { preserveFocus: true });
  const titles = () => [...panels].map(({ title }) => title);
  const first = (): FakePanel => [...panels][0] ?? assert.fail('no page');

  it('are one page that is used again, until it is pinned', () => {
    open('a');
    open('b');
    assert.deepEqual(titles(), ['b']);
    first().messages.fire({ type: 'pin', isOn: true });
    open('b');
    assert.deepEqual(titles(), ['b']);
    open('c');
    assert.deepEqual(titles(), ['b', 'c']);
    open('d');
    assert.deepEqual(titles(), ['b', 'd']);
    first().messages.fire({ type: 'pin', isOn: false });
    first().dispose();
    assert.deepEqual(titles(), ['d']);
  });

  it('are restored with what they showed, and closed without it', () => {
    const restore = (state: unknown): boolean => {
      const panel = new FakePanel('Details');
      panels.add(panel);
      pages.restore(panel as unknown as WebviewPanel, state);
      return panels.has(panel);
    };
    const engine = lab.context.unit.id;
    const kept = { engine, kind: 'container', id: 'a', name: 'web', isPinned: true };
    for (const odd of [undefined, 7, {}, { ...kept, engine: 'no' }, { ...kept, kind: 'pod' }])
      assert.equal(restore(odd), false);
    assert.equal(restore(kept), true);
    assert.deepEqual(titles(), ['web']);
    // It is still pinned.
    open('b');
    assert.deepEqual(titles(), ['web', 'b']);
  });
});
