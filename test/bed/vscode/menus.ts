import type { Locator, Page } from 'playwright-core';
import { tryPress } from './press.ts';
import { until } from '../until.ts';

/**
 * VS Code ignores mouse-up in a menu for its first 100 ms, because it may belong to the click that opened the
 * menu.
 */
const DEAF_MS = 200;

/** Context menus and the menus behind `…`. */
export class Menus {
  readonly page: Page;
  readonly entries: Locator;

  constructor(page: Page) {
    this.page = page;
    this.entries = page.locator(
      '.monaco-menu [role=menuitem], .monaco-menu [role=menuitemcheckbox]',
    );
  }

  /**
   * Opens a menu and selects an entry; several labels lead through submenus. Retries, because a menu closes
   * when the focus moves, as it does just after a quick input.
   */
  async choose(open: () => Promise<void>, path: readonly string[]): Promise<void> {
    await until(
      async () => {
        try {
          await open();
          for (const label of path) await this.click(label);
          // VS Code has ignored the click if the menu stays.
          await this.entries.first().waitFor({ state: 'detached' });
          return true;
        } catch (error) {
          // Also closes a menu that opened late, because it would block the pointer from everything below.
          await this.close();
          throw error;
        }
      },
      `menu entry ${path.join(' > ')}`,
    );
  }

  /** Opens a menu, returns the labels of its entries, and closes it. */
  async read(open: () => Promise<void>): Promise<string[]> {
    const labels = await until(async () => {
      await open();
      await this.entries.first().waitFor({ timeout: 1000 });
      const texts = await this.entries.locator('.action-label').allInnerTexts();
      return texts.length > 0 && texts;
    }, 'a menu');
    await this.close();
    return labels.map((label) => label.trim());
  }

  private async click(label: string): Promise<void> {
    const name = this.page.locator('.action-label').getByText(label, { exact: true });
    const entry = this.entries.filter({ has: name }).last();
    await entry.waitFor({ timeout: 1000 });
    await this.page.waitForTimeout(DEAF_MS);
    if (!(await tryPress(entry))) throw new Error(`The click missed ${label}.`);
  }

  private async close(): Promise<void> {
    for (let left = 3; left > 0 && (await this.entries.count()) > 0; left--) {
      await this.page.keyboard.press('Escape');
    }
  }
}
