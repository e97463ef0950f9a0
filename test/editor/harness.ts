// Opens VS Code for the tests of the user interface.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ConsoleMessage, Page } from 'playwright-core';
import { launchBrowser, type TestBrowser } from '../bed/vscode/browser.ts';
import { serveVSCode, UNATTENDED } from '../bed/vscode/serve.mjs';
import { Workbench } from '../bed/vscode/workbench.ts';

/** Options of the window; all have defaults. */
export interface OpenOptions {
  /** `DOCKER_HOST` of the extension host. Default: the bed's engine; '' for none. */
  readonly dockerHost?: string;
  /** Settings in addition to the quiet ones; may include Gantry's own, even with machine scope. */
  readonly settings?: Record<string, unknown>;
  /** Width of the side bar in pixels. Default: 300. */
  readonly width?: number;
  /** Size of the window. */
  readonly size?: { readonly width: number; readonly height: number };
  /** Additional variables of the extension host. */
  readonly env?: NodeJS.ProcessEnv;
  /** Whether VS Code asks to trust folders; otherwise all are trusted. */
  readonly trust?: boolean;
  /** The folder to open. Default: an empty one. */
  readonly folder?: string;
  /** Folders of more extensions. */
  readonly extensions?: readonly string[];
  /** Names of the built-in extensions that VS Code has. Default: all. */
  readonly builtIn?: readonly string[];
  /** The extension's folder. Default: `GANTRY_EXTENSION` (an unpacked .vsix), otherwise this repository. */
  readonly extension?: string;
}

/** A VS Code with Gantry, on a page of its own. */
export interface Editor {
  readonly page: Page;
  readonly workbench: Workbench;
  readonly served: Awaited<ReturnType<typeof serveVSCode>>;
  /** Errors and warnings on the page's console, including unhandled rejections of the extension host. */
  readonly complaints: readonly string[];
  /** Closes the browser and stops the server; may be called more than once. */
  close(): Promise<void>;
}

const ROOT = join(import.meta.dirname, '../..');

/** Width of the side bar in a new profile, in pixels. */
export const DEFAULT_WIDTH = 300;

const SETTINGS = {
  'workbench.reduceMotion': 'on',
  'editor.cursorBlinking': 'solid',
  'terminal.integrated.cursorBlinking': false,
  // The port scan reads all of /proc every two seconds, and its load would be attributed to Gantry.
  'remote.autoForwardPorts': false,
  'remote.autoForwardPortsSource': 'output',
};

function bedsHost(): string {
  const socket = process.env['GANTRY_BED_SOCKET'];
  return socket === undefined ? '' : `unix://${socket}`;
}

/** Keeps the user's own credentials out of the tests. */
const NO_CREDENTIALS = {
  DOCKER_CONFIG: join(ROOT, 'out/no-docker-config'),
  REGISTRY_AUTH_FILE: join(ROOT, 'out/no-docker-config/auth.json'),
};

function environment({ dockerHost = bedsHost(), env }: OpenOptions): NodeJS.ProcessEnv {
  return { ...NO_CREDENTIALS, ...(dockerHost === '' ? {} : { DOCKER_HOST: dockerHost }), ...env };
}

function checkBuilt(extension: string): void {
  if (existsSync(join(extension, 'dist/extension.js'))) return;
  throw new Error(`There is no dist/extension.js in ${extension}: "npm run build" makes it.`);
}

function collectComplaints(page: Page): string[] {
  const complaints: string[] = [];
  page.on('console', (message: ConsoleMessage) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  return complaints;
}

/** Stops what `workbench.reduceMotion` does not: a spinner costs a quarter of a core. Runs in the page. */
function stopAnimations(): void {
  const page = globalThis as unknown as AnimatedWindow;
  const sheet = new page.CSSStyleSheet();
  sheet.replaceSync(
    '*, ::before, ::after { animation: none !important; transition: none !important; }',
  );
  page.document.adoptedStyleSheets = [sheet];
}

/** The page's global object. */
interface AnimatedWindow {
  readonly CSSStyleSheet: new () => { replaceSync(text: string): void };
  readonly document: { adoptedStyleSheets: readonly object[] };
}

async function openPage(browser: TestBrowser, url: string, options: OpenOptions) {
  const page = await browser.newPage(options.size);
  await page.addInitScript(stopAnimations);
  const complaints = collectComplaints(page);
  const workbench = new Workbench(page);
  await page.goto(url);
  await workbench.ready();
  const width = options.width ?? DEFAULT_WIDTH;
  if (width !== (await workbench.sideBarWidth())) await workbench.setSideBarWidth(width);
  return { page, workbench, complaints };
}

/** Opens a VS Code with the built extension. Close it in an `after` hook. */
export async function openWorkbench(options: OpenOptions = {}): Promise<Editor> {
  const extension = options.extension ?? process.env['GANTRY_EXTENSION'] ?? ROOT;
  checkBuilt(extension);
  const served = await serveVSCode({
    extension,
    ...(options.folder === undefined ? {} : { folder: options.folder }),
    ...(options.builtIn && { builtIn: options.builtIn }),
    ...(options.extensions && { extensions: options.extensions }),
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
    return { ...opened, served, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Registers a hook that saves a screenshot when a test fails: `out/shots/failed/…`.
 *
 * @param editor returns the window that is open at that time, if any
 */
export function shotOnFailure(editor: () => Editor | undefined): void {
  afterEach(async function () {
    if (this.currentTest?.state !== 'failed') return;
    const name = this.currentTest.fullTitle().replaceAll(/[^\w.-]+/g, '-');
    const path = await editor()?.workbench.keepShot(`failed/${name}`);
    if (path !== undefined) console.log(`      picture: ${path}`);
  });
}
