// Takes the screenshot of the statistics for the README, in a real VS Code with a real engine: node
// test/editor/statisticsPicture.ts
import { join } from 'node:path';
import type { BedEngine } from '../bed/engines.ts';
import type { Editor } from './harness.ts';
import { SERVICES, type Service, type Shop } from './shop.ts';
import { says } from './ui/seen.ts';
import { MEDIA, nameImages } from './viewerPictures.ts';
import { withShop } from './withShop.ts';

/** By service: loops of work, pause after them in seconds, and memory in MiB. */
const WORK: Readonly<Record<Service, readonly [loops: number, pause: number, mebibytes: number]>> =
  {
    api: [60_000, 2, 48],
    cache: [2_000, 1, 64],
    db: [20_000, 1, 96],
    web: [8_000, 1, 24],
    worker: [200_000, 9, 32],
  };
/** Time in milliseconds for which the graphs are drawn. */
const RECORDED_MS = 110_000;

/** Works for a while, again and again, with a little more memory each time. */
function working(service: Service): string {
  const [loops, pause, mebibytes] = WORK[service];
  return [
    'size=0; cd /dev/shm',
    'while :; do',
    `  i=0; while [ $i -lt ${loops} ]; do i=$((i + 1)); done`,
    `  [ $size -lt ${mebibytes} ] && dd if=/dev/zero of=load bs=1M seek=$size count=4 2>/dev/null && size=$((size + 4))`,
    `  sleep ${pause}`,
    'done',
  ].join('\n');
}

async function main(): Promise<void> {
  const settings = { 'gantry.containers.statistics': true };
  const prepare = async (engine: BedEngine, shop: Shop): Promise<void> => {
    await nameImages(engine);
    for (const service of SERVICES) await shop.up(service, working(service));
  };
  await withShop({ settings, size: { width: 1280, height: 730 } }, prepare, async (editor) => {
    await record(editor);
    await editor.page.screenshot({ path: join(MEDIA, 'statistics.png') });
  });
}

async function record({ page, workbench }: Editor): Promise<void> {
  await workbench.openView('Gantry');
  await workbench.setSideBarWidth(300);
  await says(workbench, 'Containers', 'shop', /%/);
  await workbench.contextMenu(workbench.row('shop', 'Containers'), 'More', 'Show Statistics');
  await workbench.notices.clear();
  await page.waitForTimeout(RECORDED_MS);
}

if (import.meta.main) await main();
