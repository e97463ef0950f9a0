import type { Workbench } from '../../bed/vscode/workbench.ts';
import { describeWindow } from './describeWindow.ts';
import { imageLabel, seen } from './seen.ts';

const KIND = process.env['GANTRY_BED_KIND'] ?? 'engine';

describeWindow(`the Images view, on ${KIND}`, {}, (window) => {
  const { lab } = window;
  let workbench: Workbench;
  const shot = (name: string): Promise<void> => workbench.shot(`images-${KIND}/${name}`);

  before(() => ({ workbench } = window));

  /** Groups the images. */
  const group = async (held: string, wanted: string): Promise<void> => {
    await workbench.titleAction('Images', 'Filter and Sort... (/)');
    await workbench.quick.pick('Filter and Sort', `Group by: ${held}`);
    await workbench.quick.pick('Group By', wanted);
  };

  it('groups images if the user turns that on', async () => {
    const image = await lab.tag('grouped');
    await seen(workbench, 'Images', imageLabel(image));
    await group('None', 'Repository');
    await seen(workbench, 'Images', image.replace(/:1$/, ''));
    await seen(workbench, 'Images', '1', ({ level }) => level === 2);
    await shot('grouped');
    await group('Repository', 'None');
    await seen(workbench, 'Images', imageLabel(image), ({ level }) => level === 1);
  });
});
