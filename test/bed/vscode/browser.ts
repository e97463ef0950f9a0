import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { atEnd } from './cleanup.mjs';

/** A browser without a window, and all it has written. */
export interface TestBrowser {
  readonly browser: Browser;
  /** A new page with a profile, storage and clipboard permission of its own. */
  newPage(size?: { width: number; height: number }): Promise<Page>;
  /** May be called again. */
  close(): Promise<void>;
}

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

const FLAGS = [
  // Chromium refuses to run as root with its sandbox; the only pages shown are our own server's.
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Wide enough for VS Code's default side bar of 300 px: it takes a quarter of a narrower window. */
const SIZE = { width: 1280, height: 800 };

/** Where Chromium is; `CHROMIUM` names one in an unusual place. */
export function findChromium(): string | undefined {
  const named = process.env['CHROMIUM'];
  return named ?? PLACES.find((path) => existsSync(path));
}

function executable(): string {
  const path = findChromium();
  if (path !== undefined) return path;
  throw new Error(
    'No Chromium was found. On Debian: apt-get install chromium. Elsewhere set CHROMIUM to its path.',
  );
}

async function open(browser: Browser, size: { width: number; height: number }): Promise<Page> {
  const context: BrowserContext = await browser.newContext({ viewport: size });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  // The first load on a busy machine with cold caches.
  page.setDefaultNavigationTimeout(60_000);
  return page;
}

/** Starts Chromium without a window; its profile and caches are in a temporary folder. */
export async function launchBrowser(): Promise<TestBrowser> {
  const executablePath = executable();
  const dir = mkdtempSync(join(tmpdir(), 'gantry-chromium-'));
  const remove = () => {
    rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  };
  const released = atEnd(remove);
  const away = { XDG_CONFIG_HOME: dir, XDG_CACHE_HOME: dir, TMPDIR: dir };
  try {
    const browser = await chromium.launch({
      executablePath,
      headless: true,
      args: FLAGS,
      env: { ...(process.env as Record<string, string>), ...away },
      // Playwright would end this process on a signal before others have cleaned up.
      ...{ handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false },
    });
    let closing: Promise<void> | undefined;
    const close = async () => {
      await browser.close();
      remove();
      released();
    };
    return {
      browser,
      newPage: (size = SIZE) => open(browser, size),
      close: () => (closing ??= close()),
    };
  } catch (error) {
    remove();
    released();
    throw error;
  }
}
