// Takes the screenshot of two worktrees for the README, in a real VS Code with a real engine: node
// test/editor/worktreesPicture.ts
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { newestSystem, PLUGINS } from '../bed/newestSystem.ts';
import type { BedEngine } from '../bed/engines.ts';
import type { Editor } from './harness.ts';
import { makeWorktrees } from './makeWorktrees.ts';
import { Keys } from './ui/keys.ts';
import { until } from '../bed/until.ts';
import { MEDIA, nameImages } from './viewerPictures.ts';
import { SHOP_IMAGES, withShop } from './withShop.ts';

const BRANCHES = { main: 'main', login: 'feature/login' } as const;

type Folder = keyof typeof BRANCHES;

const COMPOSE = `name: shop
services:
  web:
    image: ${SHOP_IMAGES.web}
    command: sleep 1000
    container_name: shop-web
    ports: ["8080:80"]
    environment:
      API_URL: http://localhost:3000
  api:
    image: ${SHOP_IMAGES.api}
    command: sleep 1000
    ports: ["3000:3000"]
  db:
    image: ${SHOP_IMAGES.db}
    command: sleep 1000
    ports: ["5432:5432"]
    volumes: [data:/var/lib/postgresql/data]
volumes:
  data:
    name: shop-data
`;

async function main(): Promise<void> {
  const { root } = await newestSystem((text) => process.stdout.write(text));
  const env = { PATH: [join(root, PLUGINS), process.env['PATH']].join(delimiter) };
  const size = { width: 1280, height: 730 };
  await withShop(
    { size, env },
    (engine: BedEngine) => nameImages(engine),
    async (editor, _, parent) => {
      await editor.workbench.openView('Gantry');
      await editor.workbench.setSideBarWidth(480);
      const folderOf = (name: Folder): string => join(parent, name);
      const [first, second] = (['main', 'login'] as const).map((name) => {
        mkdirSync(folderOf(name));
        writeFileSync(join(folderOf(name), 'compose.yaml'), COMPOSE);
        return { folder: folderOf(name), branch: BRANCHES[name] };
      });
      if (first && second) makeWorktrees(first, second);
      for (const name of ['main', 'login'] as const) await bringUp(editor, folderOf(name));
      await preview(editor);
      await editor.page.screenshot({ path: join(MEDIA, 'worktrees.png') });
    },
  );
}

/** Brings up the project of a worktree, whose volumes start empty. */
async function bringUp({ workbench }: Editor, folder: string): Promise<void> {
  const keys = new Keys(workbench);
  const before = (await workbench.rows('Containers')).filter(({ level }) => level === 1).length;
  await keys.run('Up in This Worktree', 'Gantry Compose');
  await keys.choose('Select a project or compose file', join(folder, 'compose.yaml'));
  await workbench.quick.asks('The Up Preview view shows what is different here');
  await keys.press('Enter');
  if (before > 0) {
    await workbench.quick.asks(/./);
    await workbench.page.waitForTimeout(1000);
    await keys.press('Enter');
  }
  await until(async () => {
    const rows = (await workbench.rows('Containers')).filter(({ level }) => level === 1);
    return (
      rows.length > before && rows.every(({ description }) => description.includes('3 of 3 up'))
    );
  }, 'all containers');
}

/** Shows what is different in the second one. */
async function preview({ page, workbench }: Editor): Promise<void> {
  const row = workbench.row('shop · feature/login', 'Containers');
  await row.waitFor();
  await workbench.contextMenu(row, 'Compose', 'What Would Up Change?');
  await page.locator('.panel .monaco-list-row', { hasText: 'environment.API_URL' }).click();
  await page.locator('.tab', { hasText: 'compose.yaml' }).waitFor();
  await page.locator('.codelens-decoration a').first().waitFor();
  await workbench.notices.clear();
  await page.mouse.move(900, 300);
  await page.waitForTimeout(1000);
}

if (import.meta.main) await main();
