import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { launchBrowser, type TestBrowser } from '../../bed/vscode/browser.ts';
import { serveVSCode, UNATTENDED } from '../../bed/vscode/serve.mjs';
import type { Settings } from '../../bed/vscode/settings.mjs';
import { Workbench } from '../../bed/vscode/workbench.ts';
import { until } from '../../bed/until.ts';
import { delay } from '../../../src/base/time.ts';
import { Eye } from './eye.ts';
import { cpuMs, hostsOf } from './proc.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** The folder of the extension: this repository, or an unpacked .vsix. */
export const GANTRY = process.env['GANTRY_EXTENSION'] ?? ROOT;

/** Tall enough for thirty rows in each of two views. */
const SIZE = { width: 1280, height: 1500 };

const SETTINGS = {
  'workbench.reduceMotion': 'on',
  // The port scan of VS Code reads all of /proc every two seconds.
  'remote.autoForwardPorts': false,
  'remote.autoForwardPortsSource': 'output',
};

/** The extension host counts as idle when it uses less CPU time than this in the given interval. */
const QUIET = { cpuMs: 15, inMs: 500 };
const QUIET_LIMIT_MS = 30_000;

/** A separate window: new page, new profile, new extension host. */
export interface BenchWindow {
  readonly page: Page;
  readonly workbench: Workbench;
  readonly eye: Eye;
  /** The PID of the extension host. */
  readonly host: number;
  /** The PIDs of the renderer processes, which include that of this window. */
  renderers(): Promise<readonly number[]>;
  close(): Promise<void>;
}

/** A VS Code server with one extension, whose windows are opened one after the other. */
export interface Windows {
  /** Opens a window and waits until it is idle. */
  open(): Promise<BenchWindow>;
  close(): Promise<void>;
}

/** What VS Code is served with. */
export interface Serving {
  /** The folder of the extension. By default there is none. */
  readonly extension?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly settings?: Settings;
  /** Folders of additional extensions. */
  readonly beside?: readonly string[];
  /** The folder to open; by default an empty one. */
  readonly folder?: string;
}

async function openWindows({
  extension,
  env,
  settings,
  beside = [],
  folder,
}: Serving): Promise<Windows> {
  const served = await serveVSCode({
    ...(extension !== undefined && { extension }),
    extensions: beside,
    ...(folder !== undefined && { folder }),
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

/** Runs work with a VS Code server, and stops the server afterwards. */
export async function withWindows<T>(
  serving: Serving,
  use: (windows: Windows) => Promise<T>,
): Promise<T> {
  const windows = await openWindows(serving);
  try {
    return await use(windows);
  } finally {
    await windows.close();
  }
}

/** Runs work in a new window, and closes the window afterwards. */
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

/** Waits until the startup work of the window is done, so that it is not measured. */
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
