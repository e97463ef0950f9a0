import type { Workbench } from '../../bed/vscode/workbench.ts';
import { describeWindow } from './describeWindow.ts';
import { imageLabel, seen } from './seen.ts';

const KIND = process.env['GANTRY_BED_KIND'] ?? 'engine';

describeWindow(`the Images view, on ${KIND}`, {}, (window) => {
  const { lab } = window;
  let workbench: Workbench;
  const shot = (name: string): Promise<void> => workbench.shot(`images-${KIND}/${name}`);

  before(() => ({ workbench } = window));

  /** Selects an entry of the view's submenu. */
  const arrange = (entry: string): Promise<void> =>
    workbench.titleAction('Images', 'View & Sort', entry);

  it('groups images if the user turns that on', async () => {
    const image = await lab.tag('grouped');
    await seen(workbench, 'Images', imageLabel(image));
    await arrange('Group by Repository');
    const group = image.replace(/:1$/, '');
    await seen(workbench, 'Images', group);
    await seen(workbench, 'Images', '1', ({ level }) => level === 2);
    await shot('grouped');
    await arrange('Do Not Group');
    await seen(workbench, 'Images', imageLabel(image), ({ level }) => level === 1);
  });
});
