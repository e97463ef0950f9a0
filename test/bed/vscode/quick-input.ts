import type { Locator, Page } from 'playwright-core';
import type { PageElement, PageWindow } from './dom.ts';
import { press, tryPress, typeKeys } from './press.ts';
import { exactly } from './exactly.ts';
import { until } from '../until.ts';

/** How long a person looks at a box before typing. */
const LOOK_MS = 1000;

/** Identifies a quick input: part of its title, placeholder, prompt or validation message. */
export type Prompt = string | RegExp;

/** A row of a quick pick. */
export interface PickRow {
  readonly label: string;
  readonly description: string;
  readonly checked: boolean;
}

/** The command palette, quick picks and input boxes, which share one widget in VS Code. */
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
   * @param title as shown, with its category: `Gantry Images: Pull...`
   */
  async run(title: string): Promise<void> {
    // Find the exact row: another title may come first, and for a missing title VS Code shows "similar
    // commands".
    const row = this.row(title);
    await until(async () => {
      if (!(await row.isVisible())) {
        await this.filterPalette(title);
        // A form that goes back one step may replace the palette.
        await row.waitFor({ timeout: 2000 });
      }
      // A click is lost if the palette repaints its rows when the similar commands arrive.
      return tryPress(row);
    }, `${title} in the command palette`);
  }

  /** Opens a file of the workspace in an editor. */
  async openFile(name: string): Promise<void> {
    await until(async () => {
      await this.openPalette(name);
      await this.row(name).waitFor({ timeout: 2000 });
      return true;
    }, `${name} in the list of files`);
    await press(this.row(name));
  }

  /** Resolves to the titles that the palette offers for a text; leaves the palette closed. */
  async offered(text: string): Promise<string[]> {
    await this.filterPalette(text);
    await this.rows.first().waitFor();
    const rows = await this.labels();
    await this.cancel();
    return rows.map(({ label }) => label);
  }

  private async filterPalette(text: string): Promise<void> {
    await this.openPalette(`>${text}`);
  }

  /** @param text without `>` at its start, files are listed */
  private async openPalette(text: string): Promise<void> {
    await until(async () => {
      await this.page.keyboard.press('F1');
      await this.box.waitFor({ timeout: 1000 });
      // The palette is VS Code's own: a command is only run from it, not tested.
      await this.box.fill(text, { timeout: 1000 });
      return true;
    }, 'the command palette');
  }

  /** Waits for a quick input. */
  async asks(prompt: Prompt): Promise<void> {
    await until(
      async () => fits(prompt, await this.promptText()),
      `a question about ${String(prompt)}`,
    );
  }

  /** Resolves to the title, prompt and placeholder of the open quick input; '' if there is none. */
  async promptText(): Promise<string> {
    const texts = await this.page.evaluate(readPrompt);
    return texts.filter(Boolean).join('\n').replaceAll('\u00a0', ' ').trim();
  }

  /**
   * Types like a person who looks at the box first: after a second, key by key, wherever the focus is. A box that loses
   * the focus after it has opened takes a text that a script fills in, but not this one.
   */
  async typeText(text: string): Promise<void> {
    await this.page.waitForTimeout(LOOK_MS);
    await typeKeys(this.page, text);
  }

  /** Enters a text in an input box, in place of the one that it proposes. */
  async type(prompt: Prompt, text: string): Promise<void> {
    await this.asks(prompt);
    await this.page.waitForTimeout(LOOK_MS);
    await this.page.keyboard.press('ControlOrMeta+a');
    await typeKeys(this.page, text);
    await this.page.keyboard.press('Enter');
  }

  /** Selects the row with this label in a quick pick. */
  async pick(prompt: Prompt, label: string): Promise<void> {
    await this.asks(prompt);
    await press(this.row(label));
  }

  /** Presses Enter once the row with this label is the active one. Before, VS Code drops the key. */
  async accept(label: string): Promise<void> {
    await this.row(label).and(this.page.locator('.focused')).waitFor();
    await this.page.keyboard.press('Enter');
  }

  /** Checks exactly these rows in a quick pick that allows several, then clicks OK. */
  async check(prompt: Prompt, labels: readonly string[]): Promise<void> {
    await this.asks(prompt);
    await this.rows.first().waitFor();
    for (const { label, checked } of await this.labels()) {
      if (checked !== labels.includes(label)) await press(this.row(label));
    }
    await press(this.widget.getByRole('button', { name: 'OK', exact: true }));
  }

  /** Returns the row with exactly this label. */
  row(label: string): Locator {
    // Compare the whole label: a highlighted part is an element of its own.
    return this.rows.filter({ has: this.page.locator('.label-name', { hasText: exactly(label) }) });
  }

  /** Resolves to the rows in view, in the order that the user sees: VS Code uses the elements of rows again. */
  async labels(): Promise<PickRow[]> {
    return this.rows.evaluateAll((rows: PageElement[]) => {
      const place = (row: PageElement): number => Number(row.getAttribute('data-index'));
      const seen = rows.toSorted((a, b) => place(a) - place(b));
      return seen.map((row) => ({
        label: row.querySelector('.label-name')?.textContent ?? '',
        description: row.querySelector('.label-description')?.textContent ?? '',
        checked: row.querySelector('[role=checkbox]')?.getAttribute('aria-checked') === 'true',
      }));
    });
  }

  /** Resolves to the message under an input box: its prompt, or the validation error. */
  async message(): Promise<string> {
    return (await this.widget.locator('.quick-input-message').innerText()).trim();
  }

  /** Presses Escape until no quick input is open. In a form, this works only in the first step. */
  async cancel(): Promise<void> {
    await until(async () => {
      if (!(await this.box.isVisible())) return true;
      await this.page.keyboard.press('Escape');
      return false;
    }, 'the quick input is closed');
  }
}

/** Returns the texts of the open quick input. Runs in the page. */
function readPrompt(): (string | null | undefined)[] {
  const { document } = globalThis as unknown as PageWindow;
  const widget = document.querySelector('.quick-input-widget');
  const box = widget?.querySelector('input.input');
  if (!widget || !box || box.getBoundingClientRect().height === 0) return [];
  return [
    widget.querySelector('.quick-input-title')?.textContent,
    widget.querySelector('.quick-input-message')?.textContent,
    box.getAttribute('placeholder'),
    box.getAttribute('aria-label'),
  ];
}

function fits(prompt: Prompt, text: string): boolean {
  if (text === '') return false;
  return typeof prompt === 'string' ? text.includes(prompt) : prompt.test(text);
}
