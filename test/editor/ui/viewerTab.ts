// The log viewer as a user sees it, inside the frames of its webview.
import type { FrameLocator, Locator, Page } from 'playwright-core';
import { tryPress } from '../../bed/vscode/press.ts';
import { PATIENCE_MS, until } from '../../bed/until.ts';

/** The active log viewer. */
export class ViewerTab {
  readonly page: Page;
  readonly frame: FrameLocator;

  constructor(page: Page) {
    this.page = page;
    this.frame = page.frameLocator('iframe.webview.ready').frameLocator('iframe#active-frame');
  }

  get log(): Locator {
    return this.frame.locator('.log');
  }

  /** Returns the rows in view that contain this text. */
  row(words: string | RegExp): Locator {
    return this.frame.locator('.row:not(.placeholder)', { hasText: words });
  }

  /** Resolves to the texts of the rows in view, without times and names. */
  async texts(): Promise<readonly string[]> {
    const texts = await this.frame.locator('.row:not(.placeholder) .content').allInnerTexts();
    return texts.map((text) => text.trim());
  }

  /** Waits until the rows in view fulfill a condition; resolves to their texts. */
  shows(
    what: string,
    is: (texts: readonly string[]) => boolean,
    limit = PATIENCE_MS,
  ): Promise<readonly string[]> {
    let last: readonly string[] = [];
    return until(
      async () => {
        last = await this.texts();
        return is(last) && last;
      },
      what,
      limit,
    ).catch((error: unknown) => {
      throw new Error(`${what}; there is: ${last.join(' / ').slice(0, 2000)}`, { cause: error });
    });
  }

  /** Waits until a row in view matches. */
  async says(words: RegExp): Promise<void> {
    await this.shows(`a row says ${String(words)}`, (texts) =>
      texts.some((one) => words.test(one)),
    );
  }

  button(name: string | RegExp): Locator {
    return this.frame.getByRole('button', { name });
  }

  input(name: string): Locator {
    return this.frame.getByRole('textbox', { name });
  }

  /** Opens a menu of the toolbar; resolves to one of its items. */
  async item(button: string, item: string): Promise<Locator> {
    const entry = this.frame.locator('.menu-item', { hasText: item });
    await until(async () => {
      if (!(await entry.isVisible())) await this.button(button).click({ timeout: 1000 });
      return entry.isVisible();
    }, `${button} > ${item}`);
    return entry;
  }

  /** Selects an item in a menu of the toolbar. */
  async choose(button: string, item: string): Promise<void> {
    const entry = this.frame.locator('.menu-item', { hasText: item });
    await until(async () => {
      if (!(await entry.isVisible())) await this.button(button).click({ timeout: 1000 });
      return tryPress(entry);
    }, `${button} > ${item}`);
  }
}
