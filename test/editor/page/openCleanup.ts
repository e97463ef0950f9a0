import type { Page } from 'playwright-core';
import { cleanupStrings } from '../../../src/cleanup/cleanupStrings.ts';
import type { PageContent, PageItem, ToHost, ToPage } from '../../../src/cleanup/protocol.ts';
import { launchBrowser, type TestBrowser } from '../../bed/vscode/browser.ts';
import { until } from '../../bed/until.ts';
import { BRIDGE } from './bridge.ts';
import { saveShot } from './openViewer.ts';
import { servePages, type PageServer } from './pageServer.ts';
import { DARK, type Theme } from './themes.ts';

/** The clean-up page on its own, with a fake extension. */
export class CleanupLab {
  #browser: TestBrowser | undefined;
  #server: PageServer | undefined;
  #page: Page | undefined;
  #opened = 0;
  heard: ToHost[] = [];
  /** Errors and warnings of the page, including violations of its content security policy. */
  complaints: string[] = [];

  /** The open page. */
  get page(): Page {
    if (!this.#page) throw new Error('No page is open.');
    return this.#page;
  }

  /** Loads the page, which has nothing kept, and shows the content. */
  async open(content: PageContent): Promise<void> {
    this.#page ??= await this.#newPage();
    this.#opened += 1;
    this.complaints = [];
    await this.load(content);
  }

  /** Loads the page again: it finds what it kept. */
  async load(content: PageContent): Promise<void> {
    this.#server ??= await servePages();
    this.heard = [];
    await this.page.goto(this.#server.address('cleanup', this.#opened));
    await until(() => this.heard.some(({ type }) => type === 'ready'), 'the page is ready');
    const strings = cleanupStrings();
    await this.tell({ type: 'init', strings, title: 'Clean Up', engine: 'default' });
    await this.tell({ type: 'content', content });
    await this.page.locator('.grid').waitFor({ state: 'attached' });
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

  /** Saves a screenshot in `out/shots`, if `GANTRY_SHOTS` is set. */
  async shot(name: string): Promise<void> {
    await saveShot(this.page, `cleanup-${name}`);
  }

  async close(): Promise<void> {
    await this.#browser?.close();
    this.#server?.close();
  }

  async #newPage(): Promise<Page> {
    this.#browser = await launchBrowser();
    const page = await this.#browser.newPage({ width: 300, height: 640 });
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

/** Returns an item; its name is its key by default. */
export function item(key: string, fields: Partial<PageItem> = {}): PageItem {
  return {
    ...{
      key,
      seen: key,
      kind: 'images',
      name: key,
      tags: 0,
      size: 1000,
      atMost: undefined,
      age: '3 d',
    },
    ...{ ageGroup: 'week', project: '', note: 'unused', state: 'removable' },
    ...{ isSuggested: true, isExcluded: false, needs: [], ...fields },
  };
}

/** Returns content with these items. */
export function content(items: readonly PageItem[], rest: Partial<PageContent> = {}): PageContent {
  return {
    ...{ items, engine: '', hidden: 0, isLoading: false, isMeasuring: false, isRemoving: false },
    ...{ switches: 0, problem: '', isConnected: true },
    uses: [
      { kind: 'images', count: 4, size: 4_300_000_000, reclaimable: 1_200_000_000 },
      { kind: 'containers', count: 3, size: 120_000_000, reclaimable: 20_000 },
      { kind: 'volumes', count: 5, size: 250_000_000, reclaimable: 100_000_000 },
      { kind: 'buildCache', count: 4, size: 812_000_000, reclaimable: 812_000_000 },
    ],
    ...rest,
  };
}
