// What the log viewer is for: five services followed through restarts, one error found among a million lines, and
// the source that threw it.
import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { visibleText } from '../../../src/logs/text/visibleText.ts';
import { until, type Workbench } from '../../bed/vscode/workbench.ts';
import { openWorkbench, shotOnFailure, type Editor } from '../harness.ts';
import { FAULT, LINES, SERVICES, Shop, TRACE, printing, writeSources } from '../shop.ts';
import { FAINT_TEXTS } from '../page/faintTexts.ts';
import { Lab } from './lab.ts';
import { seen } from './seen.ts';
import { ViewerTab } from './viewerTab.ts';

const MILLION = 1_000_000;
const AT = 420_000;
/** The one among them. */
const NEEDLE = 'ERROR order 815 cannot be paid';
/** The engine writes and tells that many in some seconds; a busy machine takes longer. */
const MILLION_MS = 120_000;

/** The themes a new VS Code offers, by the class they give a page. */
const THEMES = {
  'vscode-light': 'Light Modern',
  'vscode-high-contrast': 'Dark High Contrast',
  'vscode-high-contrast-light': 'Light High Contrast',
  'vscode-dark': 'Dark Modern',
} as const;

const STAY = 'exec sleep 100000';
/** Prints a million lines once it is told to by a file in its folder, and the error among them. */
const IMPORT = `
while [ ! -e /app/import ]; do sleep 0.1; done
awk 'BEGIN { for (i = 1; i <= ${MILLION}; i++) {
  print "INFO row " i " imported"
  if (i == ${AT}) print ${JSON.stringify([NEEDLE, ...TRACE].join('\n'))}
} }'
echo 'INFO import is done'
${STAY}`;

// The streams beneath are tested on both kinds of engine, without a window.
describe('five services in the log viewer', function () {
  this.timeout(MILLION_MS + 30_000);
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'gantry-shop-'));
  let lab: Lab;
  let shop: Shop;
  let editor: Editor;
  let workbench: Workbench;
  let viewer: ViewerTab;
  const shot = (name: string): Promise<string> => workbench.shot(`viewer-project/${name}`);

  before(async () => {
    writeSources(folder);
    lab = new Lab();
    shop = new Shop(lab, folder);
    for (const service of SERVICES) {
      const begin = printing(LINES[service], '0.1');
      await shop.up(service, `${begin}\n${service === 'api' ? IMPORT : STAY}`);
    }
    editor = await openWorkbench({ folder });
    ({ workbench } = editor);
    viewer = new ViewerTab(editor.page);
    await workbench.openView('Gantry');
  });

  shotOnFailure(() => editor);

  after(async () => {
    await editor.close();
    await lab.clean();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is followed from its row, all services in one', async () => {
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
    await shot('five');
  });

  it('can be read in every theme', async () => {
    await viewer.row('4710').first().locator('.twistie').click();
    await viewer.frame.locator('.field').first().waitFor();
    await viewer.button('Filter').first().click();
    await viewer.log.click();
    await workbench.page.keyboard.press('ControlOrMeta+f');
    await viewer.input('Find').fill('order');
    await viewer.frame.locator('.row.current .match').first().waitFor();
    for (const [kind, theme] of Object.entries(THEMES)) {
      await workbench.quick.run('Preferences: Color Theme');
      await workbench.quick.type('Select Color Theme', theme);
      await viewer.frame.locator(`body[data-vscode-theme-kind="${kind}"]`).waitFor();
      await shot(kind);
      const faint: unknown = await viewer.log.evaluate(FAINT_TEXTS);
      assert.deepEqual(faint, [], theme);
    }
    await viewer.button('Filter').first().click();
    await viewer.log.click();
    await workbench.page.keyboard.press('End');
  });

  it('is followed on through a restart, a new container, and one more', async () => {
    await shop.restart('api');
    await viewer.says(/The container was started again\./);
    await shop.renew('db', `echo 'LOG:  redo is not required'; ${STAY}`);
    await viewer.says(/The container was removed\./);
    await viewer.says(/redo is not required/);
    await shop.up('worker', `echo 'INFO second worker is up'; ${STAY}`, 2);
    await viewer.says(/second worker is up/);
    await viewer.button('Containers').click();
    const items = viewer.frame.getByRole('menuitemcheckbox');
    const gone = `${shop.name('db')} (ended)`;
    await until(async () => (await items.allTextContents()).includes(gone), 'the old db is over');
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

  it('has one error found among a million lines', async () => {
    writeFileSync(join(folder, 'api/import'), '');
    const rows = async (): Promise<number> =>
      Number(await viewer.log.getAttribute('aria-rowcount'));
    await until(async () => (await rows()) >= MILLION, 'a million rows', MILLION_MS);
    await viewer.says(/import is done/);
    await viewer.log.click();
    await workbench.page.keyboard.press('ControlOrMeta+f');
    await viewer.input('Find').fill('order 815');
    const count = viewer.frame.locator('.find .count');
    await until(async () => (await count.innerText()) === '1 of 1', 'the only hit');
    await viewer.shows('it in view', (texts) => texts.some((text) => text.startsWith(NEEDLE)));
    const [before, after] = [`INFO row ${AT} imported`, `INFO row ${AT + 1} imported`];
    const texts = await viewer.texts();
    assert.ok(texts.includes(before) && texts.includes(after), texts.join(' / '));
    await shot('found');
  });

  it('leads to the source that threw it', async () => {
    const fold = viewer.row(NEEDLE).locator('.badge');
    await fold.filter({ hasText: `${TRACE.length} more lines` }).click();
    const link = viewer.row(`line ${FAULT.line}, in charge`).getByRole('link').first();
    await link.click();
    await workbench.page.getByRole('tab', { name: FAULT.file }).waitFor();
    const { page } = workbench;
    await page.locator('.statusbar', { hasText: `Ln ${FAULT.line}, Col 1` }).waitFor();
    await page.locator('.view-line', { hasText: FAULT.text }).waitFor();
    await shot('source');
  });
});

/** The last line of a service as it is shown: without its escape sequences. */
function shownEnd(service: (typeof SERVICES)[number]): string {
  return visibleText(LINES[service].at(-1)!);
}
