import type { Locator, Page } from 'playwright-core';
import { press, tryPress } from './press.ts';
import { until } from './until.ts';

/** A modal dialog. */
export interface ModalText {
  readonly message: string;
  readonly detail: string;
  readonly buttons: readonly string[];
}

/** Notifications (toasts), including progress, and modal dialogs. */
export class Notices {
  readonly page: Page;
  readonly toasts: Locator;
  readonly dialog: Locator;

  constructor(page: Page) {
    this.page = page;
    this.toasts = page.locator('.notification-toast');
    this.dialog = page.locator('.monaco-dialog-box');
  }

  /** Returns the toast whose message contains this text. */
  toast(text: string | RegExp): Locator {
    const message = this.page.locator('.notification-list-item-message', { hasText: text });
    return this.toasts.filter({ has: message });
  }

  /** Waits for a toast and resolves to its whole message. */
  async says(text: string | RegExp): Promise<string> {
    const others = new Set<string>();
    // A locator's own waiting polls only twice a second, and progress changes faster.
    const found = until(
      async () => {
        const all = await this.messages();
        for (const one of all) others.add(one);
        return all.find((one) => (typeof text === 'string' ? one.includes(text) : text.test(one)));
      },
      `a message saying ${String(text)}`,
    );
    return found.catch((cause: unknown) => {
      throw new Error(`${String(cause)}; there were: ${[...others].join(' | ')}`, { cause });
    });
  }

  /** Resolves to the messages of all visible toasts. */
  async messages(): Promise<string[]> {
    const texts = await this.toasts.locator('.notification-list-item-message').allInnerTexts();
    return texts.map((text) => text.trim());
  }

  /** Clicks a button of a toast: an action, or `Cancel` of a progress. */
  async press(text: string | RegExp, button: string): Promise<void> {
    const message = this.page.locator('.notification-list-item-message', { hasText: text });
    const kept = this.page.locator('.notifications-center .notification-list-item');
    const found = this.toast(text)
      .or(kept.filter({ has: message }))
      .first();
    await until(
      async () => {
        if ((await found.count()) > 0) return true;
        // VS Code does not show a toast that follows others too quickly; it is in the notification center then.
        const bell = this.page.locator('[id="status.notifications"] .codicon-bell-dot');
        if (await bell.isVisible()) await bell.click({ timeout: 1000 });
        return false;
      },
      `a message saying ${String(text)}`,
    );
    await until(async () => {
      // The buttons of a collapsed toast appear only on hover.
      await found.hover({ timeout: 1000 });
      return tryPress(found.getByRole('button', { name: button, exact: true }));
    }, `button ${button}`);
  }

  /** Clears all toasts, so that the next visible one is new. Progress stays while it runs. */
  async clear(): Promise<void> {
    await until(async () => {
      const clear = this.toasts.locator('.codicon-notifications-clear');
      if ((await clear.count()) === 0) return true;
      await this.toasts.first().hover({ timeout: 1000 });
      await clear.first().click({ timeout: 1000 });
      return false;
    }, 'all notifications are cleared');
  }

  /** Waits for a modal dialog and reads it. */
  async modal(): Promise<ModalText> {
    await this.dialog.waitFor();
    const text = async (selector: string): Promise<string> => {
      const found = await this.dialog.locator(selector).allInnerTexts();
      return found.join('\n').trim();
    };
    const buttons = await this.dialog
      .locator('.dialog-buttons')
      .getByRole('button')
      .allInnerTexts();
    return {
      message: await text('.dialog-message'),
      detail: await text('.dialog-message-detail'),
      buttons: buttons.map((button) => button.trim()),
    };
  }

  /** Clicks a button of a modal dialog, and waits until the dialog is gone. */
  async answer(button: string): Promise<void> {
    await press(this.dialog.getByRole('button', { name: button, exact: true }));
    await this.dialog.waitFor({ state: 'hidden' });
  }
}
