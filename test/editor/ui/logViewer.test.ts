// Checks that the log viewer works with this kind of engine; logViewerWork.test.ts and the page tests have everything
// that does not depend on the kind.
import type { Workbench } from '../../bed/vscode/workbench.ts';
import { describeWindow } from './describeWindow.ts';
import { seen } from './seen.ts';
import { ViewerTab } from './viewerTab.ts';

const KIND = process.env['GANTRY_BED_KIND'] ?? 'engine';
const TICKS = 'i=1; while true; do echo "INFO $0 $i"; i=$((i+1)); sleep 0.5; done';

describeWindow(`the log viewer, on ${KIND}`, { isJourney: true }, (window) => {
  const { lab } = window;
  let workbench: Workbench;
  let viewer: ViewerTab;
  let web: string;

  before(async () => {
    ({ workbench } = window);
    web = await lab.running('web', { cmd: ['sh', '-c', TICKS, 'tick'] });
    viewer = new ViewerTab(workbench.page);
    await seen(workbench, 'Containers', web);
  });

  it('opens from the palette, and follows the log', async () => {
    await workbench.quick.run('Gantry Containers: Open Log Viewer');
    await workbench.quick.pick('Select a container or project', web);
    await workbench.page.getByRole('tab', { name: `Logs: ${web}` }).waitFor();
    await viewer.says(/INFO tick/);
    const last = await newestTick(viewer);
    await viewer.shows('newer lines', (texts) => texts.some((text) => tickIn(text) > last + 1));
  });
});

function tickIn(text: string): number {
  return Number(/INFO tick (\d+)/.exec(text)?.[1] ?? 0);
}

async function newestTick(viewer: ViewerTab): Promise<number> {
  return Math.max(...(await viewer.texts()).map(tickIn));
}
