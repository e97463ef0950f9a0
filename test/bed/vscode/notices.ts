import type { Locator, Page } from 'playwright-core';
import { press, tryPress } from './press.ts';
import { until } from '../until.ts';

/** A modal dialog. */
export interface ModalText {
  readonly message: string;
  readonly detail: string;
  readonly buttons: readonly string[];
}

/** Notifications, including progress, and modal dialogs. */
export class Notices {
  readonly page: Page;
  /** The visible notifications: toasts, or those in the notification center while it is open. */
  readonly items: Locator;
  readonly dialog: Locator;

  constructor(page: Page) {
    this.page = page;
    this.items = page.locator(
      ':is(.notification-toast, .notifications-center.visible) .notification-list-item',
    );
    this.dialog = page.locator('.monaco-dialog-box');
  }

  /** Waits for a notification and resolves to its whole message. */
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

  /** Resolves to the messages of all visible notifications. */
  async messages(): Promise<string[]> {
    const texts = await this.items.locator('.notification-list-item-message').allInnerTexts();
    return texts.map((text) => text.trim());
  }

  /** Like {@link messages}, without those of progress, which a busy machine may still show. */
  async outcomes(progress: RegExp): Promise<string[]> {
    return (await this.messages()).filter((text) => !progress.test(text));
  }

  /** Clicks a button of a notification: an action, or `Cancel` of a progress. */
  async press(text: string | RegExp, button: string): Promise<void> {
    const message = this.page.locator('.notification-list-item-message', { hasText: text });
    const found = this.items.filter({ has: message }).first();
    await until(
      async () => {
        if ((await found.count()) > 0) return true;
        // VS Code does not show a toast that follows others too quickly; it is in the notification center then.
        const bell = this.page.locator('[id="status.notifications"] .codicon-bell-dot');
        if (await bell.isVisible()) await tryPress(bell);
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

  /** Clears all notifications, so that the next visible one is new. Progress stays while it runs. */
  async clear(): Promise<void> {
    const clear = this.items.locator('.codicon-notifications-clear');
    const hide = this.page.locator('.notifications-center.visible .codicon-notifications-hide');
    await until(async () => {
      if ((await clear.count()) > 0) {
        await this.items.first().hover({ timeout: 1000 });
        await tryPress(clear.first());
        return false;
      }
      if ((await hide.count()) === 0) return true;
      await tryPress(hide);
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
