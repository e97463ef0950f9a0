// The statistics page on a real engine: a container that is loaded, and from its peak to the log at that second.
import assert from 'node:assert/strict';
import type { Workbench } from '../../bed/vscode/workbench.ts';
import { until } from '../../bed/until.ts';
import { describeWindow } from './describeWindow.ts';
import { seen } from './seen.ts';
import { ViewerTab } from './viewerTab.ts';

const KIND = process.env['GANTRY_BED_KIND'] ?? 'engine';
/** Writes more lines each second than are in view; works for some seconds without a line once it has the file. */
const WORK = `i=0; while true; do
  if rm /tmp/go 2>/dev/null; then
    echo "INFO work begins"; timeout 8 sh -c 'while :; do :; done'; echo "INFO work ends"
  fi
  for line in $(seq 60); do echo "INFO idle $i.$line"; done
  i=$((i + 1)); sleep 1
done`;
/** Time in milliseconds that a window takes to start on a busy machine. */
const START_MS = 60_000;
/** Percent of a processor that is work, and not rest, also on a busy machine. */
const BUSY = 15;

describeWindow(`the statistics page, on ${KIND}`, { isJourney: true, isLast: true }, (window) => {
  const { lab } = window;
  let workbench: Workbench;
  let viewer: ViewerTab;
  let name: string;

  before(async () => {
    ({ workbench } = window);
    viewer = new ViewerTab(workbench.page);
    name = await lab.running('loaded', { cmd: ['sh', '-c', WORK] });
    await seen(workbench, 'Containers', name);
  });

  const cpu = () => viewer.frame.getByRole('slider', { name: 'CPU' });
  const percentIn = (text: string | null) => Number(/([\d.]+)%/.exec(text ?? '')?.[1] ?? NaN);
  const nowPercent = async () => percentIn(await viewer.frame.locator('.cpu .value').textContent());
  const atCursor = async () => (await cpu().getAttribute('aria-valuetext')) ?? '';
  const shot = (what: string) => workbench.shot(`statistics-page-${KIND}/${what}`);

  it('shows that a container works, and that it rests again', async () => {
    await workbench.quick.run('Gantry Containers: Show Statistics');
    await workbench.quick.pick('Select a container or project', name);
    await workbench.page.getByRole('tab', { name: `Statistics: ${name}` }).waitFor();
    await until(async () => (await nowPercent()) < BUSY, 'it rests');
    await lab.run(name, 'touch /tmp/go');
    await until(async () => (await nowPercent()) > BUSY, 'it works');
    await shot('works');
    await until(async () => (await nowPercent()) < BUSY, 'it rests again');
  });

  it('leads from the peak to the log at that second', async () => {
    await cpu().focus();
    const left = async (): Promise<number> => {
      await workbench.page.keyboard.press('ArrowLeft');
      return percentIn(await atCursor());
    };
    await until(async () => (await left()) > BUSY, 'the cursor is at the work');
    for (let value = 0, next = await left(); next > value; next = await left()) value = next;
    await workbench.page.keyboard.press('ArrowRight');
    const line = await viewer.frame.locator('.cpu .u-cursor-x').boundingBox();
    assert.ok(line);
    await shot('peak');
    await workbench.page.mouse.click(line.x, line.y + line.height / 2);
    await workbench.page.getByRole('tab', { name: `Logs: ${name}` }).waitFor();
    // Far from the end, which the viewer would follow otherwise.
    await viewer.says(/INFO work begins/);
    await viewer.says(/INFO work ends/);
    await shot('log');
  });

  it('is back after a reload of the window, empty, and follows', async () => {
    await workbench.page.getByRole('tab', { name: `Statistics: ${name}` }).click();
    await cpu().waitFor();
    // The browser asks whether to leave if VS Code still has something to store.
    workbench.page.once('dialog', (dialog) => void dialog.accept());
    const isNew = workbench.page.waitForEvent('domcontentloaded', { timeout: START_MS });
    await workbench.quick.run('Developer: Reload Window');
    await isNew;
    await cpu().waitFor({ timeout: START_MS });
    await until(async () => (await nowPercent()) < BUSY, 'it reads again');
    await shot('restored');
  });
});
