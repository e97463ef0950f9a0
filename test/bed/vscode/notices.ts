import { setTimeout as pause } from 'node:timers/promises';
import type { Locator, Page } from 'playwright-core';
import { until } from './until.ts';

/** A question that stops everything else. */
export interface ModalText {
  readonly message: string;
  readonly detail: string;
  readonly buttons: readonly string[];
}

/** Messages in the corner (toasts), progress among them, and modal questions. */
export class Notices {
  readonly page: Page;
  readonly toasts: Locator;
  readonly dialog: Locator;

  constructor(page: Page) {
    this.page = page;
    this.toasts = page.locator('.notification-toast');
    this.dialog = page.locator('.monaco-dialog-box');
  }

  /** A toast with this text somewhere in its message. */
  toast(text: string | RegExp): Locator {
    const message = this.page.locator('.notification-list-item-message', { hasText: text });
    return this.toasts.filter({ has: message });
  }

  /** Waits for a toast and gives its whole message. */
  async says(text: string | RegExp): Promise<string> {
    const others = new Set<string>();
    // Not by a locator's own waiting: it looks twice a second, and progress changes faster.
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

  /** The messages of all toasts on screen. */
  async messages(): Promise<string[]> {
    const texts = await this.toasts.locator('.notification-list-item-message').allInnerTexts();
    return texts.map((text) => text.trim());
  }

  /** Presses a button of a toast: an offered action, or `Cancel` of a progress. */
  async press(text: string | RegExp, button: string): Promise<void> {
    const message = this.page.locator('.notification-list-item-message', { hasText: text });
    const kept = this.page.locator('.notifications-center .notification-list-item');
    const found = this.toast(text)
      .or(kept.filter({ has: message }))
      .first();
    await until(
      async () => {
        if ((await found.count()) > 0) return true;
        // The editor holds back a toast that follows on others at once: it is behind the bell then.
        const bell = this.page.locator('[id="status.notifications"] .codicon-bell-dot');
        if (await bell.isVisible()) await bell.click({ timeout: 1000 });
        return false;
      },
      `a message saying ${String(text)}`,
    );
    // Buttons of a folded toast appear under the pointer only.
    await found.hover();
    await found.getByRole('button', { name: button, exact: true }).click();
  }

  /** Clears every toast, so that the next one seen is a new one. Progress stays as long as it runs. */
  async clear(): Promise<void> {
    await until(async () => {
      const clear = this.toasts.locator('.codicon-notifications-clear');
      if ((await clear.count()) === 0) return true;
      await this.toasts.first().hover({ timeout: 1000 });
      await clear.first().click({ timeout: 1000 });
      return false;
    }, 'the toasts to be cleared');
  }

  /** The editor shows no more than three toasts within 800 ms, progress among them: waits until the next is one. */
  async calm(): Promise<void> {
    await pause(900);
  }

  /** Waits for a modal question and reads it. */
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

  /** Answers a modal question, and waits until it is gone. */
  async answer(button: string): Promise<void> {
    await this.dialog.getByRole('button', { name: button, exact: true }).click();
    await this.dialog.waitFor({ state: 'hidden' });
  }
}
