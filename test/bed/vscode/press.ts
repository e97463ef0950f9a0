import type { Locator, Page } from 'playwright-core';
import type { ClickedWindow, Hit, PageElement, PageEvent } from './dom.ts';
import { until } from '../until.ts';

/**
 * Clicks an element; again if VS Code repainted it just then, so that the click missed it.
 *
 * @param key is held down meanwhile.
 */
export async function press(target: Locator, key?: 'ControlOrMeta'): Promise<void> {
  const { keyboard } = target.page();
  if (key) await keyboard.down(key);
  try {
    await until(
      async () => {
        const hit = await clickOnce(target, 'left');
        if (!hasHit(hit)) throw new Error(missOf(hit));
        return true;
      },
      `a click on ${String(target)}`,
    );
  } finally {
    if (key) await keyboard.up(key);
  }
}

/**
 * Clicks an element once. Resolves to whether the click hit it, or another element with the same label, in a row with
 * the same name. A click that begins on something else has no effect.
 */
export async function tryPress(target: Locator): Promise<boolean> {
  return hasHit(await clickOnce(target, 'left'));
}

/** Like {@link tryPress}, for a click that opens a menu, which is under the pointer when the click ends. */
export async function tryOpenMenu(target: Locator, button: MouseButton): Promise<boolean> {
  return (await clickOnce(target, button)).began;
}

/**
 * Clicks a lens of an editor. VS Code runs its command when the button goes down, and a quick pick may be under the
 * pointer when it goes up.
 */
export async function pressLens(lens: Locator): Promise<void> {
  await until(() => tryOpenMenu(lens, 'left'), `a click on ${String(lens)}`);
}

/** Clicks a field, and types a text key by key in place of what is in it. */
export async function typeInto(field: Locator, text: string): Promise<void> {
  await press(field);
  await field.page().keyboard.press('ControlOrMeta+a');
  // VS Code selects all in a webview a moment after the key.
  await field.page().waitForTimeout(PAUSE_MS);
  await typeKeys(field.page(), text);
}

/** Types key by key, wherever the focus is. */
export async function typeKeys(page: Page, text: string): Promise<void> {
  await page.keyboard.type(text, { delay: KEY_MS });
}

/** The time between two keys of a word. */
const KEY_MS = 20;
/** The time that a person takes between a shortcut and the text that follows it. */
const PAUSE_MS = 500;

type MouseButton = 'left' | 'right';

const LIMIT_MS = 1000;

function hasHit({ began, ended }: Hit): boolean {
  return began && ended;
}

function missOf({ began, hidden }: Hit): string {
  if (hidden !== undefined) return `it is disabled, or covered by ${hidden}`;
  return began ? 'the click ended elsewhere' : 'the click began elsewhere';
}

async function clickOnce(target: Locator, button: MouseButton): Promise<Hit> {
  const { mouse } = target.page();
  const handle = await target.elementHandle({ timeout: LIMIT_MS });
  const frame = await handle.ownerFrame();
  const box = await handle.boundingBox();
  const at = frame && box ? await handle.evaluate(watchClick) : 'something';
  if (!frame || !box || typeof at === 'string') {
    // The tooltip of what is under the pointer can cover the element.
    await mouse.move(0, 0);
    await target.scrollIntoViewIfNeeded({ timeout: LIMIT_MS });
    return { began: false, ended: false, hidden: typeof at === 'string' ? at : 'something' };
  }
  // Not `target.click`: on a busy machine, it can be given up although the page still gets the click, and a second
  // one would run a command again.
  await mouse.click(box.x + box.width * at.x, box.y + box.height * at.y, { button });
  // If the page or frame is gone, the click has closed or reloaded it.
  return frame.evaluate(endClick).catch(() => ({ began: true, ended: true }));
}

/**
 * Watches whether the next click begins and ends on an element with this one's label, in a row with the same name.
 * Returns where to click, in parts of the element's size; what is on top of it if the element is disabled, or covered
 * everywhere. Runs in the page.
 */
function watchClick(element: PageElement): Point | string {
  const page = globalThis as unknown as ClickedWindow;
  const labelOf = (one: Partial<PageElement>): string | null | undefined =>
    one.getAttribute?.('aria-label') ?? one.textContent;
  // The buttons of all rows have the same labels, and a list may repaint its rows in another order.
  const rowOf = (one: Partial<PageElement>): string | undefined =>
    one.closest?.('[role=treeitem]')?.querySelector('.label-name')?.textContent;
  const label = labelOf(element);
  const row = rowOf(element);
  const box = element.getBoundingClientRect();
  const topAt = ({ x, y }: Point): PageElement | null =>
    element.getRootNode().elementFromPoint(box.x + box.width * x, box.y + box.height * y);
  const isOnTop = (at: Point): boolean => {
    const top = topAt(at);
    return top !== null && element.contains(top);
  };
  // The edge of a view can cover a part of a row.
  const points = [
    { x: 0.5, y: 0.5 },
    { x: 0.5, y: 0.1 },
    { x: 0.5, y: 0.9 },
    { x: 0.1, y: 0.5 },
    { x: 0.9, y: 0.5 },
  ];
  const point = points.find(isOnTop);
  if (!point || element.getAttribute('aria-disabled') === 'true') {
    const top = topAt({ x: 0.5, y: 0.5 });
    return top ? `${top.className} at ${box.x}, ${box.y}` : `nothing at ${box.x}, ${box.y}`;
  }
  const hits = new Map<string, boolean>();
  const targets = new Map<string, unknown>();
  const note = (event: PageEvent): void => {
    const isHit = event
      .composedPath()
      .some(
        (one) =>
          (one === element || (label !== '' && labelOf(one) === label)) && rowOf(one) === row,
      );
    hits.set(event.type, isHit);
    targets.set(event.type, event.composedPath()[0]);
    if (hits.get('pointerdown')) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  const types = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click'];
  for (const type of types) page.addEventListener(type, note, true);
  page.endClick = () => {
    for (const type of types) page.removeEventListener(type, note, true);
    // A menu is gone at the end of `mouseup`, and then there is no `click`. Nor is there one for a button that was drawn
    // again while it was down, but then VS Code does nothing.
    const isSame = targets.get('mousedown') === targets.get('mouseup');
    const ended = (hits.get('click') ?? (isSame && hits.get('mouseup'))) === true;
    return { began: hits.get('pointerdown') === true, ended };
  };
  return point;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Runs in the page. */
function endClick(): Hit {
  return (globalThis as unknown as ClickedWindow).endClick();
}
