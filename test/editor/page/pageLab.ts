import type { Page } from 'playwright-core';
import { launchBrowser, type TestBrowser } from '../../bed/vscode/browser.ts';
import { until } from '../../bed/until.ts';
import { BRIDGE } from './bridge.ts';
import { saveShot } from './openViewer.ts';
import { servePages, type PageServer } from './pageServer.ts';
import { longestTask } from './tasks.ts';
import { DARK, type Theme } from './themes.ts';

type PageName = 'cleanup' | 'details' | 'graphs';

/** A page on its own, with a fake extension. */
export abstract class PageLab<ToHost extends { readonly type: string }, ToPage> {
  readonly #name: PageName;
  readonly #size: { readonly width: number; readonly height: number };
  #browser: TestBrowser | undefined;
  #server: PageServer | undefined;
  #page: Page | undefined;
  #opened = 0;
  heard: ToHost[] = [];
  /** Errors and warnings of the page, including violations of its content security policy. */
  complaints: string[] = [];

  /** @param size of the browser at first, in pixels. */
  constructor(name: PageName, size: { width: number; height: number }) {
    this.#name = name;
    this.#size = size;
  }

  /** The open page. */
  get page(): Page {
    if (!this.#page) throw new Error('No page is open.');
    return this.#page;
  }

  /** Changes the theme as VS Code does. */
  async setTheme(theme: Theme): Promise<void> {
    await this.page.evaluate(`setTheme(${JSON.stringify(theme)})`);
  }

  async tell(...messages: readonly ToPage[]): Promise<void> {
    await this.page.evaluate(`hear(${JSON.stringify(messages)})`);
  }

  /** Waits for a message from the page, and returns it. */
  hears<T extends ToHost['type']>(type: T): Promise<Extract<ToHost, { type: T }>> {
    const is = (one: ToHost): one is Extract<ToHost, { type: T }> => one.type === type;
    return until(() => this.heard.findLast(is), `a message "${type}"`);
  }

  /** Returns the duration of the page's longest task during `work`, in milliseconds of thread time. */
  async longestTask(work: () => Promise<void>): Promise<number> {
    if (!this.#browser) throw new Error('No page is open.');
    return longestTask(this.#browser.browser, this.page, work);
  }

  /** Saves a screenshot in `out/shots`, if `GANTRY_SHOTS` is set. */
  async shot(name: string): Promise<void> {
    await saveShot(this.page, `${this.#name}-${name}`);
  }

  async close(): Promise<void> {
    await this.#browser?.close();
    this.#server?.close();
  }

  /** Begins with a page that has nothing kept. */
  protected async begin(): Promise<void> {
    this.#page ??= await this.#newPage();
    this.#opened += 1;
    this.complaints = [];
  }

  /** Loads the page, again if it is loaded, and waits until it listens. */
  protected async goTo(): Promise<void> {
    this.#server ??= await servePages();
    this.heard = [];
    await this.page.goto(this.#server.address(this.#name, this.#opened));
    await until(() => this.heard.some(({ type }) => type === 'ready'), 'the page is ready');
  }

  async #newPage(): Promise<Page> {
    this.#browser = await launchBrowser();
    const page = await this.#browser.newPage(this.#size);
    await page.exposeFunction('tellHost', (text: string) => {
      this.heard.push(JSON.parse(text) as ToHost);
    });
    await page.addInitScript({ content: BRIDGE.replace('THEME', () => JSON.stringify(DARK)) });
    page.on('pageerror', (error) => this.complaints.push(String(error)));
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) this.complaints.push(message.text());
    });
    return page;
  }
}
