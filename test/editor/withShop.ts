// The frame of the pictures for the README: an engine, the compose project in it, and a window.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDocker, type BedEngine } from '../bed/engines.ts';
import { openWorkbench, type Editor, type OpenOptions } from './harness.ts';
import { Shop, writeSources, type Service } from './shop.ts';
import { Lab } from './ui/lab.ts';

/**
 * Opens a window on the sources of the project, and runs `work` in it. Removes everything afterwards.
 *
 * @param prepare prepares the new engine, before the window is opened.
 */
export async function withShop(
  options: Pick<OpenOptions, 'settings' | 'size' | 'env'>,
  prepare: (engine: BedEngine, shop: Shop) => Promise<void>,
  work: (editor: Editor, shop: Shop, folder: string) => Promise<void>,
): Promise<void> {
  const parent = mkdtempSync(join(tmpdir(), 'gantry-picture-'));
  const folder = join(parent, 'shop');
  writeSources(folder);
  const engine = await startDocker();
  try {
    const lab = new Lab({ socket: engine.socket, image: SHOP_IMAGES.api });
    const shop = new Shop(lab, folder, { project: 'shop', images: SHOP_IMAGES });
    await prepare(engine, shop);
    const editor = await openWorkbench({ dockerHost: engine.url, folder, ...options });
    try {
      await work(editor, shop, folder);
    } finally {
      await editor.close();
    }
  } finally {
    await engine.stop();
    rmSync(parent, { recursive: true, force: true });
  }
}

/** The images of the services. */
export const SHOP_IMAGES: Readonly<Record<Service, string>> = {
  api: 'acme/api:2.4.0',
  cache: 'redis:8-alpine',
  db: 'postgres:17-alpine',
  web: 'nginx:1.29-alpine',
  worker: 'acme/worker:2.4.0',
};
