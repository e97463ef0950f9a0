import type { Page } from 'playwright-core';
import { detailsStrings } from '../../../src/details/detailsStrings.ts';
import type { DetailsContent, PageRow, ToHost, ToPage } from '../../../src/details/protocol.ts';
import { launchBrowser, type TestBrowser } from '../../bed/vscode/browser.ts';
import { until } from '../../bed/until.ts';
import { BRIDGE } from './bridge.ts';
import { saveShot } from './openViewer.ts';
import { servePages, type PageServer } from './pageServer.ts';
import { DARK, type Theme } from './themes.ts';

/** The details page on its own, with a fake extension. */
export class DetailsLab {
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

  /** Loads a new page, and shows the content. */
  async open(content: DetailsContent, width = 400): Promise<void> {
    this.#page ??= await this.#newPage();
    this.#server ??= await servePages();
    this.#opened += 1;
    this.complaints = [];
    this.heard = [];
    await this.page.setViewportSize({ width, height: 900 });
    await this.page.goto(this.#server.address('details', this.#opened));
    await until(() => this.heard.some(({ type }) => type === 'ready'), 'the page is ready');
    await this.show('a', content);
    await this.page.locator('section').first().waitFor({ state: 'attached' });
  }

  /** Shows an object by its ID. */
  async show(id: string, content: DetailsContent): Promise<void> {
    const kept = { engine: 'default', kind: 'container', id, isPinned: content.isPinned };
    await this.tell(
      { type: 'init', strings: detailsStrings(), kept },
      { type: 'content', content },
    );
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
    await saveShot(this.page, `details-${name}`);
  }

  async close(): Promise<void> {
    await this.#browser?.close();
    this.#server?.close();
  }

  async #newPage(): Promise<Page> {
    this.#browser = await launchBrowser();
    const page = await this.#browser.newPage({ width: 400, height: 900 });
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

/** Returns a row; its key is its label. */
export function row(label: string, value: string, fields: Partial<PageRow> = {}): PageRow {
  return { key: label, label, value, ...fields };
}
