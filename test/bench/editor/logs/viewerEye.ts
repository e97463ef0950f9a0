import type { Frame, Page } from 'playwright-core';
import { until } from '../../../bed/vscode/until.ts';

interface ViewerElement {
  readonly className: string;
  readonly textContent: string;
}

interface ViewerDocument {
  querySelector(selector: string): ViewerElement | null;
  addEventListener(type: string, hear: () => void, isCapture: boolean): void;
}

interface Observer {
  observe(what: unknown, how?: object): void;
}

/** What the script below finds, and leaves, in each frame. Moments are milliseconds since 1970. */
interface ViewerWindow {
  readonly document: ViewerDocument;
  readonly MutationObserver: new (look: () => void) => Observer;
  readonly PerformanceObserver: new (
    hear: (list: {
      getEntries(): readonly { readonly name: string; readonly duration: number }[];
    }) => void,
  ) => Observer;
  requestAnimationFrame(run: () => void): void;
  gantryViewer: ViewerMoments;
}

/** What was seen in a log viewer's page. */
export interface ViewerMoments {
  /** When the first row was painted. */
  painted: number;
  /** When words to find were last typed; then the first count, and the whole count. */
  asked: number;
  firstFound: number;
  allFound: number;
  /** The longest task of the page's own, in milliseconds. */
  longestTask: number;
}

/** A whole log may have to be read before. */
const PATIENCE_MS = 600_000;

/** Sees, in the log viewers' own frames, when something comes into them. */
export class ViewerEye {
  readonly #page: Page;

  private constructor(page: Page) {
    this.#page = page;
  }

  /** Before a viewer is opened. */
  static async openIn(page: Page): Promise<ViewerEye> {
    await page.addInitScript(watchViewer);
    return new ViewerEye(page);
  }

  /** The moments of the viewer that is in front, once they are as wanted. */
  async when(what: string, is: (moments: ViewerMoments) => boolean): Promise<ViewerMoments> {
    return until(
      async () => {
        const moments = await (await this.#frame())?.evaluate(momentsHere);
        return moments && is(moments) && moments;
      },
      what,
      PATIENCE_MS,
    );
  }

  /** Forgets the tasks so far. */
  async forgetTasks(): Promise<void> {
    await (await this.#frame())?.evaluate(forgetTasks);
  }

  async #frame(): Promise<Frame | undefined> {
    for (const frame of this.#page.frames()) {
      if (frame.isDetached() || frame === this.#page.mainFrame()) continue;
      const hasLog = await frame.evaluate(isViewer).catch(() => false);
      if (hasLog) return frame;
    }
    return undefined;
  }
}

// From here on everything runs in the page, so no function may name anything from outside itself.

function watchViewer(): void {
  const page = globalThis as unknown as ViewerWindow;
  const moments: ViewerMoments = {
    ...{ painted: NaN, asked: NaN, firstFound: NaN, allFound: NaN },
    longestTask: 0,
  };
  page.gantryViewer = moments;
  const now = (): number => performance.timeOrigin + performance.now();
  const look = (): void => {
    const row = page.document.querySelector('.log .row:not(.placeholder) .content');
    if (Number.isNaN(moments.painted) && row && row.textContent !== '') {
      moments.painted = -1;
      page.requestAnimationFrame(() => setTimeout(() => (moments.painted = now())));
    }
    const count = page.document.querySelector('.find .count')?.textContent ?? '';
    if (Number.isNaN(moments.firstFound) && / of [1-9]/.test(count)) moments.firstFound = now();
    if (Number.isNaN(moments.allFound) && count.endsWith(' of 3')) moments.allFound = now();
  };
  const what = { subtree: true, childList: true, characterData: true, attributes: true };
  new page.MutationObserver(look).observe(page.document, what);
  const hear = (): void => {
    Object.assign(moments, { asked: now(), firstFound: NaN, allFound: NaN });
  };
  page.document.addEventListener('input', hear, true);
  new page.PerformanceObserver((list) => {
    for (const { name, duration } of list.getEntries())
      if (name === 'self') moments.longestTask = Math.max(moments.longestTask, duration);
  }).observe({ entryTypes: ['longtask'] });
}

function momentsHere(): ViewerMoments {
  return (globalThis as unknown as ViewerWindow).gantryViewer;
}

function forgetTasks(): void {
  (globalThis as unknown as ViewerWindow).gantryViewer.longestTask = 0;
}

function isViewer(): boolean {
  return (globalThis as unknown as ViewerWindow).document.querySelector('.log') !== null;
}
