// What a user does who has no pointer: keys alone, each of which goes where the focus is.
import assert from 'node:assert/strict';
import { until, type Workbench } from '../../bed/vscode/workbench.ts';
import type { PaneName } from './seen.ts';

/** The keyboard of a window. */
export class Keys {
  readonly #workbench: Workbench;

  constructor(workbench: Workbench) {
    this.#workbench = workbench;
  }

  press(key: string): Promise<void> {
    return this.#workbench.page.keyboard.press(key);
  }

  type(text: string): Promise<void> {
    return this.#workbench.page.keyboard.type(text);
  }

  /** Opens the palette, again if the key came while another box was closing. */
  async openPalette(): Promise<void> {
    await until(async () => {
      await this.press('F1');
      await this.#workbench.quick.box.waitFor({ timeout: 1000 });
      return true;
    }, 'the command palette');
  }

  /** Runs a command from the palette. */
  async run(title: string, category = 'Gantry'): Promise<void> {
    const command = `${category}: ${title}`;
    await this.openPalette();
    await this.type(command);
    await until(async () => {
      if ((await this.active()) === command) return true;
      // Another one may come first.
      await this.press('ArrowDown');
      return false;
    }, `the command ${title}`);
    await this.press('Enter');
  }

  /** Goes to a row of a view: its first letters are enough. */
  async focus(view: PaneName, label: string): Promise<void> {
    const { page } = this.#workbench;
    await this.run(`Focus on ${view} View`);
    await this.press('Home');
    const row = this.#workbench.row(label, view).and(page.locator('.focused, .selected'));
    await until(async () => {
      if (await row.isVisible()) return true;
      await this.press('ArrowDown');
      return false;
    }, `the focus on ${label}`);
    // The key may still go to the box that was closed.
    await until(async () => {
      const rows = await this.#workbench.rows(view);
      if (rows.some((one) => one.label === label && one.selected)) return true;
      await this.press('Enter');
      return false;
    }, `the selection of ${label}`);
  }

  /** Presses a button of the last message. */
  async notification(button: string): Promise<void> {
    await this.openPalette();
    await this.type('Notifications: Accept Notification Primary Action');
    const isActive = async (): Promise<boolean> =>
      (await this.active()).startsWith('Notifications: Accept');
    await until(isActive, 'the command');
    const { toasts } = this.#workbench.notices;
    assert.ok(await toasts.getByRole('button', { name: button }).isVisible());
    await this.press('Enter');
  }

  /** The label of the row that Enter takes; '' without one. */
  async active(): Promise<string> {
    const { page, quick } = this.#workbench;
    const labels = quick.rows.and(page.locator('.focused'));
    return (await labels.locator('.label-name').allInnerTexts()).join('').trim();
  }

  /** Answers a list by typing what is to be chosen. */
  async choose(prompt: string | RegExp, label: string): Promise<void> {
    await this.#workbench.quick.asks(prompt);
    await this.type(label);
    await until(async () => (await this.active()) === label, `an active row ${label}`);
    await this.press('Enter');
  }

  /** Answers a text. */
  async enter(prompt: string | RegExp, text: string): Promise<void> {
    await this.#workbench.quick.asks(prompt);
    await this.type(text);
    await this.press('Enter');
  }
}
