import type { Frame, Page } from 'playwright-core';
import { until } from '../../../bed/until.ts';

interface ViewerElement {
  readonly textContent: string;
  addEventListener(type: string, hear: () => void): void;
}

interface ViewerDocument {
  querySelector(selector: string): ViewerElement | null;
}

/** What the script below uses and sets in each frame. Times are in milliseconds since 1970. */
interface ViewerWindow {
  readonly document: ViewerDocument;
  requestAnimationFrame(run: () => void): void;
  gantryViewer: ViewerMoments;
}

/** The times seen in a log viewer page. */
export interface ViewerMoments {
  /** When the first row was painted. */
  painted: number;
  /** When the search text was last typed, and when the first and the complete count appeared. */
  asked: number;
  firstFound: number;
  allFound: number;
}

/** On a busy machine. */
const PATIENCE_MS = 60_000;

/** Observes in the frames of log viewers when something appears. */
export class ViewerEye {
  readonly #page: Page;

  private constructor(page: Page) {
    this.#page = page;
  }

  /** Call before a viewer is opened. */
  static async openIn(page: Page): Promise<ViewerEye> {
    await page.addInitScript(watchViewer);
    return new ViewerEye(page);
  }

  /** Resolves to the times of the visible viewer once they meet the condition. */
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

  async #frame(): Promise<Frame | undefined> {
    for (const frame of this.#page.frames()) {
      if (frame.isDetached() || frame === this.#page.mainFrame()) continue;
      const hasLog = await frame.evaluate(isViewer).catch(() => false);
      if (hasLog) return frame;
    }
    return undefined;
  }
}

// Everything below runs in the page, so no function may refer to anything outside of itself.

function watchViewer(): void {
  const page = globalThis as unknown as ViewerWindow;
  const LOOK_MS = 4;
  const moments: ViewerMoments = {
    painted: NaN,
    asked: NaN,
    firstFound: NaN,
    allFound: NaN,
  };
  page.gantryViewer = moments;
  let input: ViewerElement | null = null;
  const now = (): number => performance.timeOrigin + performance.now();
  const typed = (): void => {
    Object.assign(moments, { asked: now(), firstFound: NaN, allFound: NaN });
  };
  const lookForRow = (): void => {
    const row = page.document.querySelector('.log .row:not(.placeholder) .content');
    if (!Number.isNaN(moments.painted) || !row || row.textContent === '') return;
    moments.painted = -1;
    page.requestAnimationFrame(() => setTimeout(() => (moments.painted = now())));
  };
  const lookForCount = (): void => {
    const found = page.document.querySelector('.find input');
    if (found !== input) found?.addEventListener('input', typed);
    input = found;
    const count = page.document.querySelector('.find .count')?.textContent ?? '';
    if (Number.isNaN(moments.firstFound) && / of [1-9]/.test(count)) moments.firstFound = now();
    if (Number.isNaN(moments.allFound) && count.endsWith(' of 3')) moments.allFound = now();
  };
  // Poll: observers of a document do not survive VS Code writing the webview's content into it.
  setInterval(() => {
    lookForRow();
    lookForCount();
  }, LOOK_MS);
}

function momentsHere(): ViewerMoments {
  return (globalThis as unknown as ViewerWindow).gantryViewer;
}

function isViewer(): boolean {
  return (globalThis as unknown as ViewerWindow).document.querySelector('.log') !== null;
}
