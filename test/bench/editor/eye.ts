import type { Page } from 'playwright-core';

/** Something that can be observed in the page. */
export type Sight =
  | RowSight
  | { readonly kind: 'noRow'; readonly pane: string; readonly label: string }
  | { readonly kind: 'output' | 'noOutput'; readonly text: string };

/** All of these rows, or any row if there are no labels. */
export interface RowSight {
  readonly kind: 'rows';
  readonly pane: string;
  readonly labels: readonly string[];
  /** A regular expression for the description after the label. */
  readonly description?: string;
}

/** Returns the sight of a container's row in a given state. */
export function containerRow(label: string, description: string): RowSight {
  return { kind: 'rows', pane: 'Containers', labels: [label], description };
}

interface PageNode {
  readonly textContent: string;
  querySelector(selector: string): PageNode | null;
  querySelectorAll(selector: string): Iterable<PageNode>;
}

interface PageDocument extends PageNode {
  readonly documentElement: PageNode;
  addEventListener(
    type: 'pointerdown',
    hear: (event: { readonly timeStamp: number }) => void,
    isCapture: boolean,
  ): void;
}

/** What the scripts below use and set in the global object of the page. */
interface EyeWindow {
  readonly document: PageDocument;
  readonly MutationObserver: new (look: () => void) => {
    observe(node: PageNode, what: object): void;
    disconnect(): void;
  };
  gantrySees(sight: Sight): boolean;
  gantryWatch(key: number, sight: Sight): void;
  gantrySeen(key: number): Promise<number>;
  gantryPressed(): number;
}

/** Longer than anything that is measured, including the slowest competitor. */
const LIMIT_MS = 90_000;

/** Observes in the page when something appears. Times are in milliseconds since 1970. */
export class Eye {
  readonly #page: Page;
  #count = 0;

  private constructor(page: Page) {
    this.#page = page;
  }

  /** Call before the page is loaded. */
  static async openIn(page: Page): Promise<Eye> {
    await page.addInitScript(installReader);
    await page.addInitScript(installStopwatch);
    return new Eye(page);
  }

  /** Starts observing. The returned function resolves to the time when the sight first appeared. */
  async watch(sight: Sight): Promise<() => Promise<number>> {
    const key = this.#count++;
    await this.#page.evaluate(startWatch, { key, sight });
    return () => inTime(this.#page.evaluate(endWatch, key), JSON.stringify(sight));
  }

  /** Waits for a sight without measuring the time. */
  async sees(sight: Sight): Promise<void> {
    await (
      await this.watch(sight)
    )();
  }

  /** The time of the last pointer press. */
  pressedAt(): Promise<number> {
    return this.#page.evaluate(lastPress);
  }
}

async function inTime<T>(work: Promise<T>, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`Not seen in ${LIMIT_MS} ms: ${what}`));
    }, LIMIT_MS);
  });
  return Promise.race([work, late]).finally(() => {
    clearTimeout(timer);
  });
}

// Everything below runs in the page, so no function may refer to anything outside of itself.

function installReader(): void {
  const page = globalThis as unknown as EyeWindow;
  const textIn = (node: PageNode, selector: string): string =>
    node.querySelector(selector)?.textContent ?? '';
  const rowsOf = (name: string): PageNode[] => {
    const panes = [...page.document.querySelectorAll('.part.sidebar .pane')];
    const pane = panes.find((one) => textIn(one, '.pane-header .title') === name);
    return [...(pane?.querySelectorAll('[role=treeitem]') ?? [])];
  };
  const labelOf = (row: PageNode): string => textIn(row, '.label-name');
  const fits = (row: PageNode, { description = '' }: RowSight): boolean =>
    new RegExp(description).test(textIn(row, '.label-description'));
  const seesRows = (sight: RowSight): boolean => {
    const rows = rowsOf(sight.pane).filter((row) => fits(row, sight));
    const seen = new Set(rows.map(labelOf));
    return rows.length > 0 && sight.labels.every((label) => seen.has(label));
  };
  page.gantrySees = (sight) => {
    if (sight.kind === 'rows') return seesRows(sight);
    if (sight.kind === 'noRow') return !rowsOf(sight.pane).map(labelOf).includes(sight.label);
    const lines = [...page.document.querySelectorAll('.part.panel .output-view .view-line')];
    const isThere = lines.some((line) =>
      line.textContent.replaceAll('\u00a0', ' ').includes(sight.text),
    );
    return isThere === (sight.kind === 'output');
  };
}

function installStopwatch(): void {
  const page = globalThis as unknown as EyeWindow;
  const origin = Date.now() - performance.now();
  const seen = new Map<number, Promise<number>>();
  let pressedAt = NaN;
  page.document.addEventListener(
    'pointerdown',
    ({ timeStamp }) => {
      pressedAt = origin + timeStamp;
    },
    true,
  );
  const when = (sight: Sight): Promise<number> =>
    new Promise((resolve) => {
      const observer = new page.MutationObserver(look);
      const what = { subtree: true, childList: true, characterData: true, attributes: true };
      observer.observe(page.document.documentElement, what);
      look();
      function look(): void {
        if (!page.gantrySees(sight)) return;
        observer.disconnect();
        resolve(origin + performance.now());
      }
    });
  page.gantryWatch = (key, sight) => {
    seen.set(key, when(sight));
  };
  page.gantrySeen = (key) => seen.get(key) ?? Promise.reject(new Error(`No watch ${key}`));
  page.gantryPressed = () => pressedAt;
}

function startWatch({ key, sight }: { key: number; sight: Sight }): void {
  (globalThis as unknown as EyeWindow).gantryWatch(key, sight);
}

function endWatch(key: number): Promise<number> {
  return (globalThis as unknown as EyeWindow).gantrySeen(key);
}

function lastPress(): number {
  return (globalThis as unknown as EyeWindow).gantryPressed();
}
