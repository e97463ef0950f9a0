// What the tests of the user interface call to have VS Code before them.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ConsoleMessage, Page } from 'playwright-core';
import { launchBrowser, type TestBrowser } from '../bed/vscode/browser.ts';
import { serveVSCode, UNATTENDED } from '../bed/vscode/serve.mjs';
import { Workbench } from '../bed/vscode/workbench.ts';

/** How the editor is opened; everything has a default. */
export interface OpenOptions {
  /** `DOCKER_HOST` in the editor; the bed's engine by default, none with ''. */
  readonly dockerHost?: string;
  /** On top of the quiet ones; Gantry's own as well, machine-scoped ones too. */
  readonly settings?: Record<string, unknown>;
  /** Width of the side bar, 300 px by default. */
  readonly width?: number;
  /** Size of the window. */
  readonly size?: { readonly width: number; readonly height: number };
  /** More variables for the extension host. */
  readonly env?: NodeJS.ProcessEnv;
  /** Whether VS Code asks if folders are trusted; otherwise all are. */
  readonly trust?: boolean;
  /** The folder that is open; an empty one by default. */
  readonly folder?: string;
  /** The extension's folder; by default `GANTRY_EXTENSION` (an unpacked .vsix), else this repository. */
  readonly extension?: string;
}

/** A VS Code with Gantry in it, on a page of its own. */
export interface Editor {
  readonly page: Page;
  readonly workbench: Workbench;
  readonly served: Awaited<ReturnType<typeof serveVSCode>>;
  /** Errors and warnings the page has written, the extension host's unhandled rejections among them. */
  readonly complaints: readonly string[];
  /** Loads the page anew, and with it a new extension host. */
  reload(): Promise<void>;
  /** Ends the browser and the server; may be called again. */
  close(): Promise<void>;
}

const ROOT = join(import.meta.dirname, '../..');

/** The side bar of a new profile. */
const DEFAULT_WIDTH = 300;

const SETTINGS = {
  'workbench.reduceMotion': 'on',
  // The scan for ports reads all of /proc every two seconds, and would be measured as ours.
  'remote.autoForwardPorts': false,
  'remote.autoForwardPortsSource': 'output',
};

function bedsHost(): string {
  const socket = process.env['GANTRY_BED_SOCKET'];
  return socket === undefined ? '' : `unix://${socket}`;
}

/** The person's own credentials are none of the tests' business. */
const NO_CREDENTIALS = {
  DOCKER_CONFIG: join(ROOT, 'out/no-docker-config'),
  REGISTRY_AUTH_FILE: join(ROOT, 'out/no-docker-config/auth.json'),
};

function environment({ dockerHost = bedsHost(), env }: OpenOptions): NodeJS.ProcessEnv {
  return { ...NO_CREDENTIALS, ...(dockerHost === '' ? {} : { DOCKER_HOST: dockerHost }), ...env };
}

function checkBuilt(extension: string): void {
  if (existsSync(join(extension, 'dist/extension.cjs'))) return;
  throw new Error(`There is no dist/extension.cjs in ${extension}: "npm run build" makes it.`);
}

function collectComplaints(page: Page): string[] {
  const complaints: string[] = [];
  page.on('console', (message: ConsoleMessage) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  return complaints;
}

async function openPage(browser: TestBrowser, url: string, options: OpenOptions) {
  const page = await browser.newPage(options.size);
  const complaints = collectComplaints(page);
  const workbench = new Workbench(page);
  await page.goto(url);
  await workbench.ready();
  const width = options.width ?? DEFAULT_WIDTH;
  if (width !== (await workbench.sideBarWidth())) await workbench.setSideBarWidth(width);
  return { page, workbench, complaints };
}

/** Opens a VS Code with the built extension in it. Close it in an `after` hook. */
export async function openWorkbench(options: OpenOptions = {}): Promise<Editor> {
  const extension = options.extension ?? process.env['GANTRY_EXTENSION'] ?? ROOT;
  checkBuilt(extension);
  const served = await serveVSCode({
    extension,
    ...(options.folder === undefined ? {} : { folder: options.folder }),
    env: environment(options),
    ...(options.trust === true && { trust: true }),
    settings: { ...SETTINGS, ...options.settings },
    serverArgs: UNATTENDED,
  });
  let browser: TestBrowser | undefined;
  let closing: Promise<void> | undefined;
  const closeAll = async () => {
    await browser?.close();
    await served.stop();
  };
  const close = () => (closing ??= closeAll());
  try {
    browser = await launchBrowser();
    const opened = await openPage(browser, served.url, options);
    const reload = async () => {
      await opened.page.reload();
      await opened.workbench.ready();
    };
    return { ...opened, served, reload, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Registers a hook that keeps a picture of the window when a test fails: `out/shots/failed/…`.
 *
 * @param editor the one that is open at that time, if any
 */
export function shotOnFailure(editor: () => Editor | undefined): void {
  afterEach(async function () {
    if (this.currentTest?.state !== 'failed') return;
    const name = this.currentTest.fullTitle().replaceAll(/[^\w.-]+/g, '-');
    const path = await editor()?.workbench.shot(`failed/${name}`);
    if (path !== undefined) console.log(`      picture: ${path}`);
  });
}
