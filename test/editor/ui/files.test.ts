// Browses the files of containers and images as a user does.
import assert from 'node:assert/strict';
import type { Workbench } from '../../bed/vscode/workbench.ts';
import { until } from '../../bed/until.ts';
import { describeWindow } from './describeWindow.ts';
import { imageLabel, seen } from './seen.ts';

describeWindow('the files of a container in VS Code', { isJourney: true }, (window) => {
  const { lab } = window;
  let workbench: Workbench;
  let container: string;

  before(async () => {
    ({ workbench } = window);
    container = await lab.create('web');
  });

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

  it('can be browsed from its row, even if it was never started', async () => {
    await seen(workbench, 'Containers', container);
    await workbench.contextMenu(workbench.row(container, 'Containers'), 'Browse Files');
    await shows(container, 'bin', 'etc');
    await workbench.toggle(workbench.row('etc', 'Files'));
    await shows('passwd', 'group');
    await workbench.shot('files/browse');
  });

  it('open read-only on a click', async () => {
    await workbench.select(workbench.row('passwd', 'Files'));
    const text = workbench.page.locator('.editor-instance .view-lines');
    await until(async () => (await text.innerText()).includes('root:x:0:0'), 'the file is open');
    await workbench.shot('files/open');
  });

  it('disappear from the view with their container', async () => {
    await lab.ask('DELETE', `/containers/${container}?force=1`);
    await until(
      async () => !(await labels()).includes(container),
      'the row of the container is removed',
    );
  });

  it('of an image can be browsed too, without showing a temporary container', async () => {
    const image = await lab.tag('web');
    await seen(workbench, 'Images', imageLabel(image));
    await workbench.contextMenu(workbench.row(imageLabel(image), 'Images'), 'Browse Files');
    await shows(image, 'bin', 'etc');
    const containers = (await workbench.rows('Containers')).map(({ label }) => label);
    assert(!containers.some((label) => label.includes('temporary')), containers.join());
    await workbench.shot('files/image');
    await workbench.inlineAction(workbench.row(image, 'Files'), 'Close Files');
    await until(
      async () => (await workbench.pane('Files').count()) === 0,
      'the Files view is hidden',
    );
  });
});
