// The main use of the log viewer: follow five services through restarts, find one error among very many lines,
// and open the source that threw it. A benchmark uses a million lines.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { visibleText } from '../../../src/logs/text/visibleText.ts';
import type { Workbench } from '../../bed/vscode/workbench.ts';
import { press, typeInto } from '../../bed/vscode/press.ts';
import { until } from '../../bed/until.ts';
import { FAULT, LINES, SERVICES, Shop, TRACE, printing, writeSources } from '../shop.ts';
import { FAINT_TEXTS } from '../page/faintTexts.ts';
import { describeWindow } from './describeWindow.ts';
import { seen } from './seen.ts';
import { ViewerTab } from './viewerTab.ts';

const MANY = 10_000;
const AT = 4000;
/** The error to find. */
const NEEDLE = 'ERROR order 815 cannot be paid';
/** The engine takes some seconds to write and send these lines; a busy machine takes longer. */
const MANY_MS = 60_000;

const STAY = 'exec sleep 100000';
/** Prints very many lines, including the error, as soon as a file appears in its folder. */
const IMPORT = `
while [ ! -e /app/import ]; do sleep 0.1; done
awk 'BEGIN { for (i = 1; i <= ${MANY}; i++) {
  print "INFO row " i " imported"
  if (i == ${AT}) print ${JSON.stringify([NEEDLE, ...TRACE].join('\n'))}
} }'
echo 'INFO import is done'
${STAY}`;

// The underlying streams are tested on both kinds of engine without a window.
describeWindow('a project of five services in the log viewer', { isJourney: true }, (window) => {
  let shop: Shop;
  let workbench: Workbench;
  let viewer: ViewerTab;
  const shot = (name: string): Promise<void> => workbench.shot(`viewer-project/${name}`);

  before(async () => {
    ({ workbench } = window);
    writeSources(window.folder);
    shop = new Shop(window.lab, window.folder);
    const start = (service: (typeof SERVICES)[number]): Promise<unknown> => {
      const begin = printing(LINES[service], '0.1');
      return shop.up(service, `${begin}\n${service === 'api' ? IMPORT : STAY}`);
    };
    await Promise.all(SERVICES.map(start));
    viewer = new ViewerTab(workbench.page);
  });

  it('is opened from its row, with all services in one editor', async () => {
    const row = (await seen(workbench, 'Containers', shop.project)).label;
    await workbench.inlineAction(workbench.row(row, 'Containers'), 'Open Log Viewer');
    await workbench.page.getByRole('tab', { name: `Logs: ${row} (5)` }).waitFor();
    await viewer.shows('all lines', (texts) => {
      return SERVICES.every((service) => texts.some((text) => text === shownEnd(service)));
    });
    const names = new Set(await viewer.frame.locator('.row .member').allInnerTexts());
    assert.deepEqual(
      [...names].sort(),
      SERVICES.map((service) => `${service}-1`),
    );
    // The page tests check this in other themes.
    const faint: unknown = await viewer.log.evaluate(FAINT_TEXTS);
    assert.deepEqual(faint, []);
    await shot('five');
  });

  it('is followed through a restart, a new container, and an additional one', async () => {
    await shop.restart('api');
    await viewer.says(/The container was started again\./);
    await shop.renew('db', `echo 'LOG:  redo is not required'; ${STAY}`);
    await viewer.says(/The container was removed\./);
    await viewer.says(/redo is not required/);
    await shop.up('worker', `echo 'INFO second worker is up'; ${STAY}`, 2);
    await viewer.says(/second worker is up/);
    await viewer.button('Containers').click();
    const items = viewer.frame.getByRole('menuitemcheckbox');
    const gone = `${shop.name('db')} (exited)`;
    await until(
      async () => (await items.allTextContents()).includes(gone),
      'the old container is listed as exited',
    );
    assert.deepEqual(
      (await items.allTextContents()).sort(),
      [
        'All Containers',
        ...SERVICES.map((service) => shop.name(service)),
        gone,
        shop.name('worker', 2),
      ].sort(),
    );
    await shot('members');
    await workbench.page.keyboard.press('Escape');
  });

  it('has one error found among 10,000 lines', async () => {
    writeFileSync(join(window.folder, 'api/import'), '');
    const rows = async (): Promise<number> =>
      Number(await viewer.log.getAttribute('aria-rowcount'));
    await until(async () => (await rows()) >= MANY, 'all rows are shown', MANY_MS);
    await viewer.says(/import is done/);
    await viewer.log.click();
    await workbench.page.keyboard.press('ControlOrMeta+f');
    await typeInto(viewer.input('Find'), 'order 815');
    const count = viewer.frame.locator('.find .count');
    await until(async () => (await count.innerText()) === '1 of 1', 'the only match is shown');
    const around = [`INFO row ${AT} imported`, `INFO row ${AT + 1} imported`];
    await viewer.shows(
      'the match and the lines around it',
      (texts) =>
        texts.some((text) => text.startsWith(NEEDLE)) && around.every((one) => texts.includes(one)),
    );
    await shot('found');
  });

  it('links to the source that threw the error', async () => {
    const badge = viewer.row(NEEDLE).locator('.badge');
    const fold = badge.filter({ hasText: `${TRACE.length} more lines` });
    const link = viewer.row(`line ${FAULT.line}, in charge`).getByRole('link').first();
    // The search for the first typed letters may have found a match in these lines, and unfolded them.
    if (!(await link.isVisible())) await press(fold);
    await link.click();
    await workbench.page.getByRole('tab', { name: FAULT.file }).waitFor();
    const { page } = workbench;
    await page.locator('.statusbar', { hasText: `Ln ${FAULT.line}, Col 1` }).waitFor();
    await page.locator('.view-line', { hasText: FAULT.text }).waitFor();
    await shot('source');
  });
});

/** Returns the last line of a service as shown, without its escape sequences. */
function shownEnd(service: (typeof SERVICES)[number]): string {
  return visibleText(LINES[service].at(-1)!);
}
