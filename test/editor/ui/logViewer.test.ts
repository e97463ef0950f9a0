// Checks that the log viewer works with this kind of engine; logViewerWork.test.ts has all tests that do not
// depend on the kind.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bed } from '../../bed/env.ts';
import { until, type Workbench } from '../../bed/vscode/workbench.ts';
import { describeWindow } from './describeWindow.ts';
import { seen } from './seen.ts';
import { ViewerTab } from './viewerTab.ts';

const KIND = process.env['GANTRY_BED_KIND'] ?? 'engine';
const LINES = 9000;
const FAULT = 'ERROR order 4711 cannot be paid (/app/src/pay.go:7:11)';
const SOURCE = Array.from({ length: 20 }, (_, at) => `// this is line ${at + 1}`).join('\n');
/** Prints many lines with one to search for among them, then more lines as long as the container runs. */
const SCRIPT = `
i=1; while [ $i -le ${LINES} ]; do
  if [ $i = 2000 ]; then echo '${FAULT}'; else echo "INFO request $i served"; fi
  i=$((i+1))
done
while true; do echo "INFO tick $i"; i=$((i+1)); sleep 0.3; done`;
const TICKS = 'i=1; while true; do echo "INFO $0 $i"; i=$((i+1)); sleep 0.5; done';

const OPTIONS = { isJourney: true, settings: { 'gantry.logs.tail': 20_000 } };

describeWindow(`the log viewer, on ${KIND}`, OPTIONS, (window) => {
  const { lab } = window;
  let workbench: Workbench;
  let viewer: ViewerTab;
  let web: string;
  const shot = (name: string): Promise<void> => workbench.shot(`viewer-${KIND}/${name}`);

  before(async () => {
    const { folder } = window;
    ({ workbench } = window);
    mkdirSync(join(folder, 'src'));
    writeFileSync(join(folder, 'src/pay.go'), SOURCE);
    web = lab.name('web');
    await lab.ask('POST', `/containers/create?name=${web}`, {
      Image: bed().image,
      Cmd: ['sh', '-c', SCRIPT],
      StopSignal: 'SIGKILL',
      WorkingDir: '/app',
      HostConfig: { Binds: [`${folder}:/app`] },
    });
    await lab.start(web);
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

  it('finds one line among thousands', async () => {
    await viewer.log.click();
    await workbench.page.keyboard.press('ControlOrMeta+f');
    await viewer.input('Find').fill('order 4711');
    await viewer.says(/order 4711 cannot be paid/);
    await viewer
      .row(/order 4711/)
      .locator('.match', { hasText: 'order 4711' })
      .waitFor();
    const count = viewer.frame.locator('.find .count');
    await until(
      async () => (await count.innerText()) === '1 of 1',
      'the number of matches is shown',
    );
    await shot('found');
  });

  it('opens the source that a line names', async () => {
    await viewer
      .row(/order 4711/)
      .getByRole('link')
      .first()
      .click();
    await workbench.page.getByRole('tab', { name: /pay\.go/ }).waitFor();
    const status = workbench.page.locator('.statusbar', { hasText: /Ln 7, Col 11/ });
    await status.waitFor();
    await shot('source');
  });

  it('follows a compose project through the restart of one of its services', async () => {
    for (const service of ['api', 'db', 'queue']) {
      const labels = {
        'com.docker.compose.project': lab.name('shop'),
        'com.docker.compose.service': service,
      };
      await lab.running(service, { cmd: ['sh', '-c', TICKS, service], labels });
    }
    await workbench.quick.run('View: Close All Editors');
    const row = (await seen(workbench, 'Containers', lab.name('shop'))).label;
    await workbench.inlineAction(workbench.row(row, 'Containers'), 'Open Log Viewer');
    await workbench.page.getByRole('tab', { name: `Logs: ${row} (3)` }).waitFor();
    for (const service of ['api', 'db', 'queue']) await viewer.says(new RegExp(`INFO ${service}`));
    await lab.ask('POST', `/containers/${lab.name('api')}/restart?t=0`);
    await viewer.says(/The container was started again\./);
    await shot('project');
    const members = viewer.frame.locator('.row .member');
    await until(
      async () => new Set(await members.allInnerTexts()).size === 3,
      'the rows of all three services',
    );
  });
});

function tickIn(text: string): number {
  return Number(/INFO tick (\d+)/.exec(text)?.[1] ?? 0);
}

async function newestTick(viewer: ViewerTab): Promise<number> {
  return Math.max(...(await viewer.texts()).map(tickIn));
}
