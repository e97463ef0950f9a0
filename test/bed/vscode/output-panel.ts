import type { Locator, Page } from 'playwright-core';
import type { PageElement, PageWindow } from './dom.ts';
import { until } from '../until.ts';

/** The Output view and its channels. */
export class OutputPanel {
  readonly page: Page;
  readonly view: Locator;
  readonly chooser: Locator;

  constructor(page: Page) {
    this.page = page;
    this.view = page.locator('.part.panel .output-view');
    this.chooser = page.locator('.part.panel .composite.title select[aria-label="Switch Output"]');
  }

  /** Resolves to the name of the visible channel; '' if the panel is closed. */
  async channel(): Promise<string> {
    return (await this.chooser.isVisible()) ? this.chooser.inputValue() : '';
  }

  /** Resolves to the names of all channels. The panel must be open. */
  async channels(): Promise<string[]> {
    return this.chooser.locator('option:not([disabled])').allTextContents();
  }

  /** Waits until this channel is visible. */
  async shows(channel: string): Promise<void> {
    await until(async () => (await this.channel()) === channel, `output channel "${channel}"`);
  }

  /** Switches to a channel with the panel's selector. The panel must be open. */
  async choose(channel: string): Promise<void> {
    await until(async () => {
      await this.chooser.selectOption(channel, { timeout: 1000 });
      return (await this.channel()) === channel;
    }, `the output channel "${channel}" is selectable`);
  }

  /** Resolves to the lines in view. Of a long text, only these are in the page. */
  async visibleText(): Promise<string> {
    const lines = await this.view
      .locator('.view-lines .view-line')
      .evaluateAll((elements: PageElement[]) =>
        elements.map(({ style, textContent }) => ({ top: parseInt(style.top), textContent })),
      );
    return lines
      .sort((a, b) => a.top - b.top)
      .map(({ textContent }) => textContent.replaceAll('\u00a0', ' '))
      .join('\n');
  }

  /** Waits until the lines in view contain a text. */
  async says(text: string | RegExp): Promise<void> {
    await until(
      async () => {
        const seen = await this.visibleText();
        return typeof text === 'string' ? seen.includes(text) : text.test(seen);
      },
      `"${String(text)}" in the output panel`,
    );
  }

  /**
   * Resolves to the whole text of the visible channel, obtained like a user does: select all, copy. Takes the
   * focus and overwrites the browser's clipboard.
   */
  async wholeText(): Promise<string> {
    const nothing = `nothing copied ${Date.now()}`;
    await this.page.evaluate(write, nothing);
    // Click the editor, not its lines: those are one tall element that begins far above the panel.
    await this.view.locator('.monaco-editor').first().click();
    const { text } = await until(async () => {
      await this.page.keyboard.press('ControlOrMeta+a');
      await this.page.keyboard.press('ControlOrMeta+c');
      const copied = await this.page.evaluate(read);
      return copied !== nothing && { text: copied };
    }, 'the whole output');
    return text.replaceAll('\r\n', '\n');
  }
}

// These two functions run in the page.

function write(text: string): Promise<void> {
  return (globalThis as unknown as PageWindow).navigator.clipboard.writeText(text);
}

function read(): Promise<string> {
  return (globalThis as unknown as PageWindow).navigator.clipboard.readText();
}
