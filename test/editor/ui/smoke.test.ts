import assert from 'node:assert/strict';
import { openWorkbench, shotOnFailure, type Editor } from '../harness.ts';

describe('the view container', function () {
  this.timeout(60_000);
  let editor: Editor | undefined;

  before(async () => {
    editor = await openWorkbench();
  });
  after(() => editor?.close());
  shotOnFailure(() => editor);

  it('opens from the activity bar and has two views', async () => {
    const { workbench } = editor!;
    await workbench.openView('Gantry');
    await workbench.pane('Containers').waitFor();
    await workbench.pane('Images').waitFor();
    assert.equal(await workbench.sideBarWidth(), 300);
    await workbench.shot('smoke/view');
  });
});
