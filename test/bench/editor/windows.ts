import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { launchBrowser, type TestBrowser } from '../../bed/vscode/browser.ts';
import { serveVSCode, UNATTENDED } from '../../bed/vscode/serve.mjs';
import type { Settings } from '../../bed/vscode/settings.mjs';
import { until, Workbench } from '../../bed/vscode/workbench.ts';
import { delay } from '../../../src/time.ts';
import { Eye } from './eye.ts';
import { cpuMs, hostsOf } from './proc.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** Gantry's folder: this repository, or an unpacked .vsix. */
export const GANTRY = process.env['GANTRY_EXTENSION'] ?? ROOT;

/** Tall enough for thirty rows in each of two views. */
const SIZE = { width: 1280, height: 1500 };

const SETTINGS = {
  'workbench.reduceMotion': 'on',
  // VS Code's own scan for ports reads all of /proc every two seconds.
  'remote.autoForwardPorts': false,
  'remote.autoForwardPortsSource': 'output',
};

/** The extension host counts as quiet when it computes less than this in so long. */
const QUIET = { cpuMs: 15, inMs: 500 };
const QUIET_LIMIT_MS = 30_000;

/** A window of its own: new page, new profile, new extension host. */
export interface BenchWindow {
  readonly page: Page;
  readonly workbench: Workbench;
  readonly eye: Eye;
  /** The extension host's process. */
  readonly host: number;
  /** The processes that show pages, this window's among them. */
  renderers(): Promise<readonly number[]>;
  close(): Promise<void>;
}

/** A VS Code with one extension in it, whose windows are opened one after the other. */
export interface Windows {
  /** Opens a window and waits until nothing happens in it any more. */
  open(): Promise<BenchWindow>;
  close(): Promise<void>;
}

/**
 * Serves VS Code with an extension in it, or without any.
 *
 * @param beside more extensions, by their folders.
 */
export async function openWindows(
  extension: string | undefined,
  env: NodeJS.ProcessEnv,
  settings: Settings = {},
  beside: readonly string[] = [],
): Promise<Windows> {
  const served = await serveVSCode({
    ...(extension !== undefined && { extension }),
    extensions: beside,
    env: { DOCKER_CONFIG: join(ROOT, 'out/no-docker-config'), ...env },
    settings: { ...SETTINGS, ...settings },
    serverArgs: UNATTENDED,
  });
  const browser = await launchBrowser().catch(async (error: unknown) => {
    await served.stop();
    throw error;
  });
  return {
    open: () => openWindow(browser, served, extension !== undefined),
    async close() {
      await browser.close();
      await served.stop();
    },
  };
}

/** Does something with a VS Code of one extension, and takes it down again. */
export async function withWindows<T>(
  extension: string | undefined,
  env: NodeJS.ProcessEnv,
  use: (windows: Windows) => Promise<T>,
  settings: Settings = {},
  beside: readonly string[] = [],
): Promise<T> {
  const windows = await openWindows(extension, env, settings, beside);
  try {
    return await use(windows);
  } finally {
    await windows.close();
  }
}

/** Does something in a new window, and closes it. */
export async function inWindow<T>(
  windows: Windows,
  use: (window: BenchWindow) => Promise<T>,
): Promise<T> {
  const window = await windows.open();
  try {
    return await use(window);
  } finally {
    await window.close();
  }
}

async function openWindow(
  browser: TestBrowser,
  { url, pid }: { readonly url: string; readonly pid: number },
  hasIcon: boolean,
): Promise<BenchWindow> {
  const page = await browser.newPage(SIZE);
  const eye = await Eye.openIn(page);
  const workbench = new Workbench(page);
  const others = new Set(hostsOf(pid));
  await page.goto(url);
  await workbench.ready();
  if (hasIcon) await workbench.icon('Gantry').waitFor();
  const find = (): number | undefined => hostsOf(pid).find((one) => !others.has(one));
  const host = await until(find, 'an extension host', QUIET_LIMIT_MS);
  await untilQuiet(host);
  const close = (): Promise<void> => page.context().close();
  const renderers = (): Promise<readonly number[]> => renderersOf(browser);
  return { page, workbench, eye, host, renderers, close };
}

async function renderersOf({ browser }: TestBrowser): Promise<readonly number[]> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  return processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id);
}

/** What a window does by itself after it has been opened must not be measured as ours. */
async function untilQuiet(host: number): Promise<void> {
  const deadline = Date.now() + QUIET_LIMIT_MS;
  let before = cpuMs(host);
  do {
    await delay(QUIET.inMs);
    const now = cpuMs(host);
    if (now - before < QUIET.cpuMs) return;
    before = now;
  } while (Date.now() < deadline);
}
