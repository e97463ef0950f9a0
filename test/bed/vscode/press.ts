import type { Locator } from 'playwright-core';
import type { ClickedWindow, PageElement, PageEvent } from './dom.ts';
import { until } from './until.ts';

/** Clicks an element; again if VS Code repainted it just then, so that the click missed it. */
export async function press(target: Locator): Promise<void> {
  await until(() => tryPress(target), `a click on ${String(target)}`);
}

/**
 * Clicks an element once. Resolves to whether the click hit it, or another element with the same label. A click that
 * begins on something else has no effect.
 */
export async function tryPress(target: Locator): Promise<boolean> {
  const timeout = 1000;
  await target.click({ trial: true, timeout }).catch(async (error: unknown) => {
    // The tooltip of what is under the pointer can cover the element.
    await target.page().mouse.move(0, 0);
    throw error;
  });
  const handle = await target.elementHandle({ timeout });
  const frame = await handle.ownerFrame();
  const box = await handle.boundingBox();
  if (!frame || !box) return false;
  await handle.evaluate(watchClick);
  // Not `target.click`: on a busy machine, it can be given up although the page still gets the click, and a second
  // one would run a command again.
  await target.page().mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  // If the page or frame is gone, the click has closed or reloaded it.
  return frame.evaluate(wasHit).catch(() => true);
}

/** Watches whether the next click begins and ends on an element with this one's label. Runs in the page. */
function watchClick(element: PageElement): void {
  const page = globalThis as unknown as ClickedWindow;
  const labelOf = (one: Partial<PageElement>): string | null | undefined =>
    one.getAttribute?.('aria-label') ?? one.textContent;
  const label = labelOf(element);
  const hits = new Map<string, boolean>();
  const note = (event: PageEvent): void => {
    const isHit = event.composedPath().some((one) => one === element || labelOf(one) === label);
    hits.set(event.type, isHit);
    if (hits.get('pointerdown')) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  const types = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click'];
  for (const type of types) page.addEventListener(type, note, true);
  page.endClick = () => {
    for (const type of types) page.removeEventListener(type, note, true);
    // A menu is gone at the end of `mouseup`, and then there is no `click`.
    return hits.get('pointerdown') === true && (hits.get('click') ?? hits.get('mouseup')) === true;
  };
}

/** Runs in the page. */
function wasHit(): boolean {
  return (globalThis as unknown as ClickedWindow).endClick();
}
