// What several tests of the user interface look for.
import type { Locator } from 'playwright-core';
import { until, type Row, type Workbench } from '../../bed/vscode/workbench.ts';
import type { PageElement } from '../../bed/vscode/dom.ts';

export type PaneName = 'Containers' | 'Images';

/** Waits until a row is there that also fits, and gives it as it is then. */
export function seen(
  workbench: Workbench,
  pane: PaneName,
  label: string,
  fits: (row: Row) => boolean = () => true,
): Promise<Row> {
  return until(
    async () => (await workbench.rows(pane)).find((row) => row.label === label && fits(row)),
    `row ${label} in ${pane}`,
  );
}

/** Waits until a row says this in its description. */
export function says(
  workbench: Workbench,
  pane: PaneName,
  label: string,
  words: RegExp,
): Promise<Row> {
  return seen(workbench, pane, label, (row) => words.test(row.description));
}

/** Waits until there is no such row. */
export async function gone(workbench: Workbench, pane: PaneName, label: string): Promise<void> {
  await until(
    async () => (await workbench.rows(pane)).every((row) => row.label !== label),
    `row ${label} in ${pane} goes`,
  );
}

/** What the active terminal shows, read in one look: rows go while it is resized or ends. '' without one. */
export async function terminalText({ page }: Workbench): Promise<string> {
  const rows = page.locator('.terminal-wrapper.active .xterm-rows > div');
  return (await rows.allTextContents()).join('\n').replaceAll('\u00a0', ' ');
}

/** The labels of the rows that are selected. */
export async function selected(workbench: Workbench, pane: PaneName): Promise<readonly string[]> {
  return (await workbench.rows(pane)).filter((row) => row.selected).map(({ label }) => label);
}

/** Whether the picture of a view container's icon is there: VS Code shows nothing where it is missing. */
export async function hasPicture(workbench: Workbench, title: string): Promise<boolean> {
  const label = workbench.icon(title).locator('.action-label').first();
  return label.evaluate(async (element: PageElement) => {
    const page = globalThis as unknown as {
      getComputedStyle(element: PageElement): { readonly maskImage: string };
      fetch(url: string): Promise<{ readonly ok: boolean; text(): Promise<string> }>;
    };
    const url = /url\("(.+)"\)/.exec(page.getComputedStyle(element).maskImage)?.[1];
    const answer = url === undefined ? undefined : await page.fetch(url);
    return answer?.ok === true && (await answer.text()).includes('<svg');
  });
}

/**
 * As much of a row's description as is not cut off at the side bar's width: the words before the ellipsis,
 * measured in the page.
 */
export async function visibleWords(row: Locator): Promise<string> {
  return row.locator('.monaco-icon-label').evaluate((label: PageElement) => {
    interface Box {
      readonly left: number;
      readonly right: number;
    }
    interface Span {
      setStart(node: unknown, offset: number): void;
      setEnd(node: unknown, offset: number): void;
      getBoundingClientRect(): Box;
    }
    const { document } = globalThis as unknown as { readonly document: { createRange(): Span } };
    const boxOf = (element: unknown): Box =>
      (element as { getBoundingClientRect(): Box }).getBoundingClientRect();
    const description = label.querySelector('.label-description');
    const container = label.querySelector('.monaco-icon-label-container');
    const text = (description as unknown as { readonly firstChild: unknown } | null)?.firstChild;
    const words = description?.textContent ?? '';
    const limit = boxOf(container).right;
    const range = document.createRange();
    const ends = (length: number): number => {
      range.setStart(text, 0);
      range.setEnd(text, length);
      return range.getBoundingClientRect().right;
    };
    if (ends(words.length) <= limit) return words;
    // An ellipsis takes its place from the letters.
    const ELLIPSIS_PX = 12;
    let length = words.length;
    while (length > 0 && ends(length) > limit - ELLIPSIS_PX) length -= 1;
    return words.slice(0, length);
  });
}
