import type { Locator } from 'playwright-core';
import type { ClickedWindow, PageElement, PageEvent } from './dom.ts';
import { asError } from '../../../src/engine/errors.ts';
import { until } from './until.ts';

/** Clicks an element; again if VS Code repainted it just then, so that the click missed it. */
export async function press(target: Locator): Promise<void> {
  await until(() => tryPress(target), `a click on ${String(target)}`);
}

/** Clicks an element once. Resolves to whether the click hit it, or another element with the same label. */
export async function tryPress(target: Locator): Promise<boolean> {
  const timeout = 1000;
  await target.evaluate(watchClick, undefined, { timeout });
  // On a busy machine, a click can be given up although the page got it, and the element is gone by then.
  const failure = await target.click({ timeout }).then(() => undefined, asError);
  // If the page is gone, the click has reloaded it.
  const isHit = await target
    .page()
    .evaluate(wasHit)
    .catch(() => true);
  if (failure && !isHit) throw failure;
  return isHit;
}

/** Notes whether the next click begins and ends on an element with this one's label. Runs in the page. */
function watchClick(element: PageElement): void {
  const page = globalThis as unknown as ClickedWindow;
  const labelOf = (one: Partial<PageElement>): string | null | undefined =>
    one.getAttribute?.('aria-label') ?? one.textContent;
  const label = labelOf(element);
  const hits = { mousedown: false, click: false };
  page.clickHits = hits;
  for (const type of ['mousedown', 'click'] as const) {
    const note = (event: PageEvent): void => {
      hits[type] = event.composedPath().some((one) => labelOf(one) === label);
    };
    page.addEventListener(type, note, { capture: true, once: true });
  }
}

/** Runs in the page. */
function wasHit(): boolean {
  const { mousedown, click } = (globalThis as unknown as ClickedWindow).clickHits;
  return mousedown && click;
}
