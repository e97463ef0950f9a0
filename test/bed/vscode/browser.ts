import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { atEnd } from './cleanup.mjs';

/** A headless browser and everything it has written. */
export interface TestBrowser {
  readonly browser: Browser;
  /** Opens a page with its own profile, storage and clipboard permissions. */
  newPage(size?: { width: number; height: number }): Promise<Page>;
  /** May be called more than once. */
  close(): Promise<void>;
}

const PLACES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

const FLAGS = [
  // Chromium refuses to run as root with its sandbox. It only shows pages of our own server.
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * Wide enough for VS Code's default side bar of 300 px; in a narrower window, the side bar takes a quarter of
 * the width.
 */
export const SIZE = { width: 1280, height: 800 };

/** Returns the path of Chromium; `CHROMIUM` overrides the usual paths. */
export function findChromium(): string | undefined {
  const named = process.env['CHROMIUM'];
  return named ?? PLACES.find((path) => existsSync(path));
}

function executable(): string {
  const path = findChromium();
  if (path !== undefined) return path;
  throw new Error(
    'No Chromium was found. On Debian: apt-get install chromium-headless-shell. Elsewhere set CHROMIUM to its path.',
  );
}

async function open(browser: Browser, size: { width: number; height: number }): Promise<Page> {
  const context: BrowserContext = await browser.newContext({ viewport: size });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  // The first load on a busy machine with cold caches is slow.
  page.setDefaultNavigationTimeout(60_000);
  return page;
}

/** Starts headless Chromium with its profile and caches in a temporary folder. */
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
      // On a signal, Playwright would exit this process before the other cleanup has run.
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
