// Drives the window like a user without a pointer: by keys alone, which go to the focused element.
import type { Workbench } from '../../bed/vscode/workbench.ts';
import { until } from '../../bed/until.ts';
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

  /** Types like a person who looks at the box first: after a second, key by key. */
  type(text: string): Promise<void> {
    return this.#workbench.quick.typeText(text);
  }

  /** Opens the palette; retries if the key was lost while another quick input was closing. */
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
      // Another command may come first.
      await this.press('ArrowDown');
      return false;
    }, `the command ${title}`);
    await this.press('Enter');
  }

  /** Moves the focus to a row of a view with the arrow keys, and selects the row. */
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
    // The key may still go to the quick input that was closed.
    await until(async () => {
      const rows = await this.#workbench.rows(view);
      if (rows.some((one) => one.label === label && one.selected)) return true;
      await this.press('Enter');
      return false;
    }, `the selection of ${label}`);
  }

  /** Resolves to the label of the active row, which Enter accepts; '' if there is none. */
  async active(): Promise<string> {
    const { page, quick } = this.#workbench;
    const row = quick.rows.and(page.locator('.focused'));
    // VS Code reuses rows, and then a row can have the hidden detail of an earlier quick pick.
    const [label = ''] = await row.locator('.label-name').allInnerTexts();
    return label.trim();
  }

  /** Selects an entry of a quick pick by typing its label. */
  async choose(prompt: string | RegExp, label: string): Promise<void> {
    await this.#workbench.quick.asks(prompt);
    await this.type(label);
    await until(async () => (await this.active()) === label, `an active row ${label}`);
    await this.press('Enter');
  }

  /** Enters a text in an input box. */
  async enter(prompt: string | RegExp, text: string): Promise<void> {
    await this.#workbench.quick.asks(prompt);
    await this.type(text);
    await this.press('Enter');
  }
}
