import type { Page } from 'playwright-core';
import { graphStrings } from '../../../src/graphs/graphStrings.ts';
import type {
  GraphMark,
  GraphMember,
  MemberReadings,
  ReadingRow,
  ToHost,
  ToPage,
} from '../../../src/graphs/protocol.ts';
import { launchBrowser, type TestBrowser } from '../../bed/vscode/browser.ts';
import { until } from '../../bed/until.ts';
import { BRIDGE } from './bridge.ts';
import { saveShot } from './openViewer.ts';
import { servePages, type PageServer } from './pageServer.ts';
import { longestTask } from './tasks.ts';
import { DARK, type Theme } from './themes.ts';

/** 14:00:00 UTC. */
export const END = Date.UTC(2026, 10, 25, 14, 0, 0);

/** The statistics page on its own, with a fake extension. */
export class GraphsLab {
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

  /** Loads the page, which has nothing kept, and shows the readings. */
  async open(content: GraphsContent): Promise<void> {
    this.#page ??= await this.#newPage();
    this.#opened += 1;
    this.complaints = [];
    await this.load(content);
  }

  /** Loads the page again: it finds what it kept. */
  async load({ members, readings, marks = [], step = 5000, problem = '' }: GraphsContent) {
    this.#server ??= await servePages();
    this.heard = [];
    await this.page.goto(this.#server.address('graphs', this.#opened));
    await until(() => this.heard.some(({ type }) => type === 'ready'), 'the page is ready');
    const ids = members.map(({ key }) => key);
    await this.tell(
      {
        ...{ type: 'init', strings: graphStrings(), title: 'Statistics: shop', step },
        ...{ utcOffset: 0, selection: { engine: 'default', ids } },
      },
      { type: 'members', members, hidden: 0, problem },
      { type: 'readings', now: END, readings },
      { type: 'marks', marks },
    );
    await this.page.locator('.u-over').first().waitFor();
    await this.still();
  }

  /** Resolves when the page has drawn all graphs, one for each frame. */
  async still(): Promise<void> {
    await this.page.evaluate(
      `(async () => { for (let at = 0; at < 8; at++) await new Promise(requestAnimationFrame); })()`,
    );
  }

  /** Changes the theme as VS Code does. */
  async setTheme(theme: Theme): Promise<void> {
    await this.page.evaluate(`setTheme(${JSON.stringify(theme)})`);
    await this.still();
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
    await saveShot(this.page, `graphs-${name}`);
  }

  async close(): Promise<void> {
    await this.#browser?.close();
    this.#server?.close();
  }

  async #newPage(): Promise<Page> {
    this.#browser = await launchBrowser();
    const page = await this.#browser.newPage({ width: 1400, height: 800 });
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

/** What the page shows. */
interface GraphsContent {
  readonly members: readonly GraphMember[];
  readonly readings: readonly MemberReadings[];
  readonly marks?: readonly GraphMark[];
  readonly step?: number;
  readonly problem?: string;
}

/** Returns containers with an ID like Docker's. */
export function members(...names: readonly string[]): readonly GraphMember[] {
  return names.map((name, at) => ({ key: keyOf(at), name, state: 'up' }));
}

/** Returns the ID of a container by its index. */
export function keyOf(index: number): string {
  return index.toString(16).padStart(64, '0');
}

/**
 * Returns readings as of a container at work, up to the end.
 *
 * @param minutes how far they go back.
 */
export function work(index: number, minutes: number, step = 5000): MemberReadings {
  const count = Math.floor((minutes * 60_000) / step);
  const rows: ReadingRow[] = [];
  let received = 1_000_000;
  let sent = 500_000;
  let read = 0;
  let written = 0;
  for (let at = 0; at <= count; at++) {
    const phase = at / 20 + index * 1.7;
    const wave = (Math.sin(phase) + 1) / 2;
    const noise = ((at * 7919 + index * 104_729) % 97) / 97;
    const cpu = 5 + index * 3 + 30 * wave * wave + 6 * noise;
    received += Math.round((2000 + 30_000 * wave * wave) * (step / 1000));
    sent += Math.round((1000 + 12_000 * wave * wave + 2000 * noise) * (step / 1000));
    read += at % 60 < 6 ? 900_000 * noise : 0;
    written += 200_000 * wave;
    rows.push([
      ...([END - (count - at) * step, at === 0 ? null : cpu] as const),
      ...[80_000_000 + index * 9_000_000 + 20_000_000 * wave, 268_435_456],
      ...[received, sent, read, written, 4 + Math.round(3 * wave) + (index % 4)],
    ]);
  }
  return { key: keyOf(index), rows };
}
