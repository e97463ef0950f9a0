// The files of containers and images, as a person goes through them.
import assert from 'node:assert/strict';
import { until, type Workbench } from '../../bed/vscode/workbench.ts';
import { openWorkbench, shotOnFailure, type Editor } from '../harness.ts';
import { Lab } from './lab.ts';
import { seen } from './seen.ts';

describe('the files of a container in the editor', function () {
  this.timeout(90_000);
  let lab: Lab;
  let editor: Editor;
  let workbench: Workbench;
  let container: string;

  before(async () => {
    lab = new Lab();
    container = await lab.create('web');
    editor = await openWorkbench();
    ({ workbench } = editor);
    await workbench.openView('Gantry');
  });

  after(async () => {
    await editor.close();
    await lab.clean();
  });

  shotOnFailure(() => editor);

  const labels = async (): Promise<readonly string[]> =>
    (await workbench.rows('Files')).map(({ label }) => label);
  const shows = (...wanted: readonly string[]): Promise<unknown> =>
    until(
      async () => {
        const found = await labels();
        return wanted.every((label) => found.includes(label));
      },
      `${wanted.join(', ')} below Files`,
    );

  it('are browsed from its row, though it never ran', async () => {
    await seen(workbench, 'Containers', container);
    await workbench.contextMenu(workbench.row(container, 'Containers'), 'Browse Files');
    await shows(container, 'bin', 'etc');
    await workbench.toggle(workbench.row('etc', 'Files'));
    await shows('passwd', 'group');
    await workbench.shot('files/browse');
  });

  it('open by a click, read-only', async () => {
    await workbench.row('passwd', 'Files').click();
    const text = workbench.page.locator('.editor-instance .view-lines');
    await until(async () => (await text.innerText()).includes('root:x:0:0'), 'the file is open');
    await workbench.shot('files/open');
  });

  it('leave the view with their container', async () => {
    await lab.ask('DELETE', `/containers/${container}?force=1`);
    await until(async () => !(await labels()).includes(container), 'its row is gone');
  });

  it('of an image are browsed, too, and no container of it is seen', async () => {
    const image = await lab.tag('web');
    await seen(workbench, 'Images', image);
    await workbench.contextMenu(workbench.row(image, 'Images'), 'Browse Files');
    await shows(image, 'bin', 'etc');
    const containers = (await workbench.rows('Containers')).map(({ label }) => label);
    assert(!containers.some((label) => label.includes('temporary')), containers.join());
    await workbench.shot('files/image');
  });
});
