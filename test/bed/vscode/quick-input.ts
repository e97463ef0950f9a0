import type { Locator, Page } from 'playwright-core';
import type { PageElement } from './dom.ts';
import { exactly, until } from './until.ts';

/** What a question is known by: part of its title, placeholder, prompt or validation message. */
export type Prompt = string | RegExp;

/** One line of a quick pick. */
export interface PickRow {
  readonly label: string;
  readonly description: string;
  readonly checked: boolean;
}

/** Command palette, quick picks and input boxes: one widget in VS Code, and one here. */
export class QuickInput {
  readonly page: Page;
  readonly widget: Locator;
  readonly box: Locator;
  readonly rows: Locator;

  constructor(page: Page) {
    this.page = page;
    this.widget = page.locator('.quick-input-widget');
    this.box = this.widget.locator('input.input');
    this.rows = this.widget.locator('.quick-input-list .monaco-list-row');
  }

  /**
   * Runs a command from the palette.
   *
   * @param title as shown, with its category: `Gantry: Pull Image…`
   */
  async run(title: string): Promise<void> {
    // By its very row: another title may come first, and one that does not exist gets "similar commands".
    const row = this.row(title);
    await until(async () => {
      await this.filterPalette(title);
      // A form that goes back a step may take the palette's place.
      await row.waitFor({ timeout: 2000 });
      return true;
    }, `${title} in the command palette`);
    await row.click();
  }

  /** Titles the palette offers for a text; leaves the palette closed. */
  async offered(text: string): Promise<string[]> {
    await this.filterPalette(text);
    await this.rows.first().waitFor();
    const rows = await this.labels();
    await this.cancel();
    return rows.map(({ label }) => label);
  }

  private async filterPalette(text: string): Promise<void> {
    await until(async () => {
      await this.page.keyboard.press('F1');
      await this.box.waitFor({ timeout: 1000 });
      await this.box.fill(`>${text}`, { timeout: 1000 });
      return true;
    }, 'the command palette');
  }

  /** Waits for a question. */
  async asks(prompt: Prompt): Promise<void> {
    await until(
      async () => fits(prompt, await this.promptText()),
      `a question about ${String(prompt)}`,
    );
  }

  /** Title, prompt and placeholder of the question that is open; '' when there is none. */
  async promptText(): Promise<string> {
    if (!(await this.box.isVisible())) return '';
    const texts = [
      await this.widget.locator('.quick-input-title').textContent(),
      await this.widget.locator('.quick-input-message').textContent(),
      await this.box.getAttribute('placeholder'),
      await this.box.getAttribute('aria-label'),
    ];
    return texts.filter(Boolean).join('\n').replaceAll('\u00a0', ' ').trim();
  }

  /** Answers an input box. */
  async type(prompt: Prompt, text: string): Promise<void> {
    await this.asks(prompt);
    await this.box.fill(text);
    await this.page.keyboard.press('Enter');
  }

  /** Answers a quick pick by the row with this label. */
  async pick(prompt: Prompt, label: string): Promise<void> {
    await this.asks(prompt);
    await this.row(label).click();
  }

  /** Answers a quick pick that takes several: exactly these are checked, then OK. */
  async check(prompt: Prompt, labels: readonly string[]): Promise<void> {
    await this.asks(prompt);
    await this.rows.first().waitFor();
    for (const { label, checked } of await this.labels()) {
      if (checked !== labels.includes(label)) await this.row(label).click();
    }
    await this.widget.getByRole('button', { name: 'OK', exact: true }).click();
  }

  /** The row with exactly this label. */
  row(label: string): Locator {
    // By all of it: where a part is highlighted, that part is an element, too.
    return this.rows.filter({ has: this.page.locator('.label-name', { hasText: exactly(label) }) });
  }

  /** The rows in view. */
  async labels(): Promise<PickRow[]> {
    return this.rows.evaluateAll((rows: PageElement[]) =>
      rows.map((row) => ({
        label: row.querySelector('.label-name')?.textContent ?? '',
        description: row.querySelector('.label-description')?.textContent ?? '',
        checked: row.querySelector('[role=checkbox]')?.getAttribute('aria-checked') === 'true',
      })),
    );
  }

  /** The message under an input box: its prompt, or why the text will not do. */
  async message(): Promise<string> {
    return (await this.widget.locator('.quick-input-message').innerText()).trim();
  }

  /** Escape in a form that goes back a step; waits for that step's question. */
  async back(prompt: Prompt): Promise<void> {
    await this.page.keyboard.press('Escape');
    await this.asks(prompt);
  }

  /** Escape; waits until nothing is asked any more. In a form, only in its first step. */
  async cancel(): Promise<void> {
    await until(async () => {
      if (!(await this.box.isVisible())) return true;
      await this.page.keyboard.press('Escape');
      return false;
    }, 'the question to go away');
  }
}

function fits(prompt: Prompt, text: string): boolean {
  if (text === '') return false;
  return typeof prompt === 'string' ? text.includes(prompt) : prompt.test(text);
}
