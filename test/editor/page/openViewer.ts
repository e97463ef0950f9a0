import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Page } from 'playwright-core';
import type { ToHost, ToPage } from '../../../src/logviewer/protocol.ts';
import { launchBrowser, type TestBrowser } from '../../bed/vscode/browser.ts';
import { until } from '../../bed/until.ts';
import { BRIDGE } from './bridge.ts';
import { FakeHost, type FakeLine } from './fakeHost.ts';
import { servePages, type PageServer } from './pageServer.ts';
import { longestTask } from './tasks.ts';
import { DARK, type Theme } from './themes.ts';

const SHOTS = join(import.meta.dirname, '../../../out/shots');

/** The visible state of the log. */
export interface Seen {
  /** Rows in view from top to bottom; the head has index -1. */
  readonly rows: readonly {
    readonly index: number;
    readonly text: string;
    readonly top: number;
    readonly height: number;
    readonly classes: string;
  }[];
  readonly laidOut: number;
  readonly scrollTop: number;
  readonly scrollHeight: number;
  readonly height: number;
  readonly selected: readonly string[];
  readonly active?: string;
  readonly focus: string;
}

/** Options for opening the viewer. */
export interface ViewerOptions {
  readonly lines: number;
  readonly line?: (number: number) => FakeLine;
  readonly prepare?: (host: FakeHost) => void;
}

/** The page on its own, with a fake extension. */
export class OpenViewer {
  readonly page: Page;
  readonly host: FakeHost;
  /** Errors and warnings of the page, including violations of its content security policy. */
  readonly complaints: string[] = [];

  readonly #address: string;

  constructor(page: Page, address: string, { lines, line = () => ({}) }: ViewerOptions) {
    this.page = page;
    this.#address = address;
    this.host = new FakeHost(lines, line, (messages) => this.#say(messages));
    page.on('pageerror', (error) => this.complaints.push(String(error)));
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) this.complaints.push(message.text());
    });
  }

  /** Loads the page. When loaded again, the page finds its stored state. */
  async load(): Promise<void> {
    await this.page.goto(this.#address);
    await this.page.locator('.log').waitFor();
  }

  /** Changes the theme as VS Code does. */
  async setTheme(theme: Theme): Promise<void> {
    await this.page.evaluate(`setTheme(${JSON.stringify(theme)})`);
  }

  /** Returns the visible state. */
  async seen(): Promise<Seen> {
    return this.page.evaluate<Seen>('probe()');
  }

  /** Waits until the visible state satisfies a condition, and returns it. */
  async sees(what: string, is: (seen: Seen) => boolean): Promise<Seen> {
    let last: Seen | undefined;
    try {
      return await until(async () => {
        last = await this.seen();
        return is(last) && last;
      }, what);
    } catch (error) {
      throw new Error(`${what}: ${JSON.stringify(last)}`, { cause: error });
    }
  }

  /** Waits until rows are in view, without placeholders, and satisfy a condition. Returns the visible state. */
  settled(what = 'rows', is: (seen: Seen) => boolean = () => true): Promise<Seen> {
    return this.sees(
      what,
      (seen) =>
        seen.rows.length > 1 &&
        seen.rows.every(({ classes }) => !classes.includes('placeholder')) &&
        is(seen),
    );
  }

  /** Waits until the visible state no longer changes, and returns it. */
  async still(): Promise<Seen> {
    let before = '';
    return this.sees('the visible state no longer changes', (seen) => {
      const now = JSON.stringify(seen);
      const isSame = now === before;
      before = now;
      return isSame;
    });
  }

  /** Waits until the page has stored exactly this state. */
  async keeps(state: object): Promise<void> {
    const read = () => this.page.evaluate<string | null>(`sessionStorage.getItem(location.search)`);
    const isKept = async () => isDeepStrictEqual(JSON.parse((await read()) ?? 'null'), state);
    await until(isKept, `the page has stored ${JSON.stringify(state)}`);
  }

  /** Waits for a message from the page, and returns it. */
  hears<T extends ToHost['type']>(
    type: T,
    is: (message: Extract<ToHost, { type: T }>) => boolean = () => true,
  ): Promise<Extract<ToHost, { type: T }>> {
    return until(() => this.host.of(type).findLast(is), `a message "${type}"`);
  }

  /** Moves the scroll bar. */
  async scrollTo(top: number): Promise<void> {
    await this.page.evaluate(`scrollLog(${top})`);
  }

  /** Saves a screenshot in `out/shots`, if `GANTRY_SHOTS` is set. */
  async shot(name: string): Promise<void> {
    await saveShot(this.page, `page-${name}`);
  }

  async #say(messages: readonly ToPage[]): Promise<void> {
    await this.page.evaluate(`hear(${JSON.stringify(messages)})`);
  }
}

/** Opens the page on its own, repeatedly in one tab of its own browser. */
export class ViewerLab {
  #browser: TestBrowser | undefined;
  #server: PageServer | undefined;
  #page: Page | undefined;
  #viewer: OpenViewer | undefined;
  #opened = 0;

  async open(options: ViewerOptions): Promise<OpenViewer> {
    const page = (this.#page ??= await this.#newPage());
    this.#server ??= await servePages();
    page.removeAllListeners();
    const viewer = new OpenViewer(page, this.#server.address('logViewer', ++this.#opened), options);
    this.#viewer = viewer;
    options.prepare?.(viewer.host);
    await viewer.load();
    return viewer;
  }

  /** Returns the duration of the page's longest task during `work`, in milliseconds of thread time. */
  async longestTask(work: () => Promise<void>): Promise<number> {
    if (!this.#browser || !this.#page) throw new Error('No page is open.');
    return longestTask(this.#browser.browser, this.#page, work);
  }

  async close(): Promise<void> {
    await this.#browser?.close();
    this.#server?.close();
  }

  async #newPage(): Promise<Page> {
    this.#browser = await launchBrowser();
    const page = await this.#browser.newPage({ width: 900, height: 500 });
    await page.exposeFunction('tellHost', (text: string) => {
      // No caller waits for the response, and a page that is gone needs none.
      this.#viewer?.host.take(JSON.parse(text) as ToHost).catch(() => undefined);
    });
    await page.addInitScript({ content: BRIDGE.replace('THEME', () => JSON.stringify(DARK)) });
    return page;
  }
}

/** Saves a screenshot in `out/shots` for visual inspection, if `GANTRY_SHOTS` is set. */
export async function saveShot(page: Page, name: string): Promise<void> {
  if (process.env['GANTRY_SHOTS']) await page.screenshot({ path: join(SHOTS, `${name}.png`) });
}
