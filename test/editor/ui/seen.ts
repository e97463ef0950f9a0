// Queries used by several tests of the user interface.
import type { Locator } from 'playwright-core';
import type { Row } from '../../bed/vscode/rows.ts';
import type { Workbench } from '../../bed/vscode/workbench.ts';
import { until } from '../../bed/until.ts';
import type { PageElement } from '../../bed/vscode/dom.ts';

export type PaneName =
  | 'Containers'
  | 'Images'
  | 'Builds'
  | 'Changes'
  | 'Volumes'
  | 'Networks'
  | 'Files';

/** Waits until there is a row with this label that also fits; resolves to the row. */
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

/** Returns the label of an image's row: its name without the registry, which is in the description. */
export function imageLabel(reference: string): string {
  return reference.replace(/^(?:localhost|[^/]*[.:][^/]*)\//, '');
}

/** Waits until the description of a row matches. */
export function says(
  workbench: Workbench,
  pane: PaneName,
  label: string,
  words: RegExp,
): Promise<Row> {
  return seen(workbench, pane, label, (row) => words.test(row.description));
}

/** Waits until there is no row with this label. */
export async function gone(workbench: Workbench, pane: PaneName, label: string): Promise<void> {
  await until(
    async () => (await workbench.rows(pane)).every((row) => row.label !== label),
    `row ${label} in ${pane} is removed`,
  );
}

/**
 * Resolves to the text in the active terminal, or '' if there is none. Reads all rows at once, because rows
 * disappear when the terminal is resized or closes.
 */
export async function terminalText({ page }: Workbench): Promise<string> {
  const rows = page.locator('.terminal-wrapper.active .xterm-rows > div');
  return (await rows.allTextContents()).join('\n').replaceAll('\u00a0', ' ');
}

/** Resolves to the labels of the selected rows. */
export async function selected(workbench: Workbench, pane: PaneName): Promise<readonly string[]> {
  return (await workbench.rows(pane)).filter((row) => row.selected).map(({ label }) => label);
}

/** Resolves to whether the image of a view container's icon exists: VS Code shows nothing if it is missing. */
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
 * Resolves to the part of a row's description that is not cut off at the width of the side bar: the text before
 * the ellipsis, measured in the page.
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
    // The ellipsis takes space from the text.
    const ELLIPSIS_PX = 12;
    let length = words.length;
    while (length > 0 && ends(length) > limit - ELLIPSIS_PX) length -= 1;
    return words.slice(0, length);
  });
}
