// Records the animated picture for the README, in a real VS Code with a real engine: node test/editor/animation.ts
// Needs img2webp (on Debian: apt-get install webp).
import { join } from 'node:path';
import { Film } from './film.ts';
import type { Editor } from './harness.ts';
import { printing, SERVICES, type Shop } from './shop.ts';
import { says, seen } from './ui/seen.ts';
import { ViewerTab } from './ui/viewerTab.ts';
import { loadImages } from './screenshot.ts';
import { MEDIA, textsOf } from './viewerPictures.ts';
import { SHOP_IMAGES, withShop } from './withShop.ts';

const SIZE = { width: 1000, height: 560 };
/** Repetitions of each service's output before and after the error: too many to see it without a search. */
const REPETITIONS = [40, 30] as const;

/** Shows the rows of a compose project as its containers are created. */
async function showRows(film: Film, { workbench }: Editor, shop: Shop): Promise<void> {
  await film.hold(800);
  for (const service of SERVICES) {
    await shop.up(service, `${printing(textsOf(service, ...REPETITIONS), '0')}\nexec sleep 100000`);
    await says(workbench, 'Containers', service, /^Up/);
    await film.hold(300);
  }
  await film.hold(800);
}

/** Stops and starts a container by the buttons of its row. */
async function showStop(film: Film, { workbench }: Editor): Promise<void> {
  const row = workbench.row('worker', 'Containers');
  for (const [title, after] of [
    ['Stop', /^Stopped/],
    ['Start', /^Up/],
  ] as const) {
    const button = row.getByRole('button', { name: title, exact: true });
    await film.moveTo(title === 'Stop' ? row.locator('.label-name') : button);
    if (title === 'Stop') await film.moveTo(button);
    await film.hold(500);
    await workbench.inlineAction(row, title);
    await says(workbench, 'Containers', 'worker', after);
    await film.hold(1100);
  }
}

/** Opens the log of a container and searches it. */
async function showLog(film: Film, { page, workbench }: Editor): Promise<void> {
  const row = workbench.row('api', 'Containers');
  await film.moveTo(row.locator('.label-name'));
  await film.moveTo(row.getByRole('button', { name: 'Show Logs', exact: true }));
  await film.hold(400);
  await workbench.inlineAction(row, 'Show Logs');
  const viewer = new ViewerTab(page);
  await viewer.says(/order accepted/);
  await film.moveTo(viewer.log);
  await film.hold(1200);
  await viewer.log.click();
  await page.keyboard.press('ControlOrMeta+f');
  await viewer.input('Find').waitFor();
  await film.hold(400);
  await film.type('cannot be paid');
  await viewer.frame.locator('.row.current .match').first().waitFor();
  await viewer.row('in charge').waitFor();
  await viewer.frame.getByText('1 of 1').waitFor();
  await film.hold(2800);
}

async function record(editor: Editor, shop: Shop): Promise<void> {
  const { page, workbench } = editor;
  await workbench.openView('Gantry');
  await seen(workbench, 'Images', SHOP_IMAGES.api);
  await workbench.notices.clear();
  const film = await Film.of(page, { x: 620, y: 420 });
  await showRows(film, editor, shop);
  await showStop(film, editor);
  await showLog(film, editor);
  film.save(join(MEDIA, 'gantry.webp'));
  console.log(`${film.length / 1000} s`);
}

async function main(): Promise<void> {
  const settings = {
    'workbench.startupEditor': 'none',
    // Longer than the film: no tooltips.
    'workbench.hover.delay': 60_000,
    'gantry.logs.openIn': 'viewer',
  };
  await withShop({ settings, size: SIZE }, loadImages, record);
}

if (import.meta.main) await main();
