// Takes the screenshots of the log viewer for the README, in a real VS Code with a real engine: node
// test/editor/viewerPictures.ts
import { join } from 'node:path';
import type { BedEngine } from '../bed/engines.ts';
import { askWell } from '../bed/http.ts';
import { BED_IMAGE, importBusybox } from '../bed/images.ts';
import { until } from '../bed/until.ts';
import type { Editor } from './harness.ts';
import { FAULT, LINES, printing, SERVICES, type Service, type Shop } from './shop.ts';
import { seen } from './ui/seen.ts';
import { ViewerTab } from './ui/viewerTab.ts';
import { SHOP_IMAGES, withShop } from './withShop.ts';

export const MEDIA = join(import.meta.dirname, '../../media');

/** Repetitions of each service's output; the api fails in the first of the later ones. */
const EARLIER = 4;
const LATER = 3;

/** Gives the image of the bed the names of those of the shop. */
export async function nameImages(engine: BedEngine): Promise<void> {
  await importBusybox(engine);
  for (const name of Object.values(SHOP_IMAGES)) {
    const [repo, tag] = name.split(':');
    await askWell(engine.socket, 'POST', `/images/${BED_IMAGE}/tag?repo=${repo}&tag=${tag}`);
  }
  await askWell(engine.socket, 'DELETE', `/images/${BED_IMAGE}`);
}

/** Returns the whole output of a service: the api fails once. */
export function textsOf(service: Service, earlier = EARLIER, later = LATER): readonly string[] {
  const all = LINES[service];
  const well = all.filter((line) => !line.includes('\n'));
  const many = (count: number) => Array.from({ length: count }, () => well).flat();
  return [...many(earlier), ...all, ...many(later - 1)];
}

/** Starts all services at the same time. */
async function fill(shop: Shop): Promise<void> {
  const start = (service: Service): Promise<void> =>
    shop.up(service, `${printing(textsOf(service), '0.13')}\nexec sleep 100000`);
  await Promise.all(SERVICES.map(start));
}

async function open({ workbench }: Editor, viewer: ViewerTab, project: string): Promise<void> {
  await workbench.openView('Gantry');
  await seen(workbench, 'Containers', project);
  await workbench.inlineAction(workbench.row(project, 'Containers'), 'Open Log Viewer');
  // A folded stack trace counts as one row.
  const rows = SERVICES.flatMap((service) => textsOf(service)).length;
  const shown = async (): Promise<string | null> => viewer.log.getAttribute('aria-rowcount');
  await until(async () => Number(await shown()) === rows, 'all log lines are shown');
}

async function find(viewer: ViewerTab, words: string): Promise<void> {
  await viewer.log.click();
  await viewer.page.keyboard.press('ControlOrMeta+f');
  await viewer.input('Find').fill(words);
  await viewer.frame.locator('.row.current .match').first().waitFor();
}

/** Takes the dark screenshot: one error, its stack trace, and the source that threw it. */
async function takeDark({ page, workbench }: Editor, viewer: ViewerTab): Promise<void> {
  await workbench.quick.run('View: Toggle Primary Side Bar Visibility');
  await find(viewer, 'cannot be paid');
  await viewer.row('4711').locator('.badge').click();
  const link = viewer.row(`line ${FAULT.line}, in charge`).getByRole('link').first();
  await until(async () => {
    await link.click({ timeout: 1000 });
    await page.getByRole('tab', { name: FAULT.file }).waitFor({ timeout: 2000 });
    return true;
  }, 'the source opens');
  await page.locator('.view-line', { hasText: FAULT.text }).waitFor();
  await workbench.notices.clear();
  await workbench.shot('viewer-readme/dark');
  await page.screenshot({ path: join(MEDIA, 'log-viewer.png') });
}

/** Takes the light screenshot: many hits, JSON fields, and a folded stack trace. */
async function takeLight({ page, workbench }: Editor, viewer: ViewerTab): Promise<void> {
  await workbench.quick.run('View: Toggle Primary Side Bar Visibility');
  await page.getByRole('tab', { name: FAULT.file }).click();
  await workbench.quick.run('View: Close Editor');
  await viewer.row('4711').locator('.twistie').click();
  await workbench.quick.run('Preferences: Color Theme');
  await workbench.quick.type('Select Color Theme', 'Light Modern');
  await viewer.frame.locator('body[data-vscode-theme-kind="vscode-light"]').waitFor();
  await find(viewer, 'order');
  const after = 'xpath=following-sibling::*[contains(., "4712")][1]';
  await viewer.row('4711').locator(after).locator('.twistie').click();
  await viewer.frame.locator('.field').first().waitFor();
  await workbench.notices.clear();
  await workbench.shot('viewer-readme/light');
  await page.screenshot({ path: join(MEDIA, 'log-viewer-light.png') });
}

async function main(): Promise<void> {
  const settings = { 'editor.minimap.enabled': false, 'editor.fontSize': 13 };
  const prepare = async (engine: BedEngine, shop: Shop): Promise<void> => {
    await nameImages(engine);
    await fill(shop);
  };
  await withShop({ settings, size: { width: 1280, height: 730 } }, prepare, async (editor) => {
    const viewer = new ViewerTab(editor.page);
    await open(editor, viewer, 'shop');
    await takeDark(editor, viewer);
    await takeLight(editor, viewer);
  });
}

if (import.meta.main) await main();
