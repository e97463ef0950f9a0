import type { PageElement, PageWindow } from './dom.ts';

/** A visible tree row. */
export interface Row {
  readonly label: string;
  readonly description: string;
  readonly level: number;
  /** The icon's name: `debug-start`, `circle-filled`, …; '' for none or an image. */
  readonly icon: string;
  readonly expanded: boolean | undefined;
  readonly selected: boolean;
}

/**
 * Reads the rows of a view, or of all. Runs in the page, so it must not use anything from outside itself. One call
 * without a locator: rows are looked at again and again.
 */
export function readRows(pane: string | undefined): { top: number; row: Row }[] {
  const { document } = globalThis as unknown as PageWindow;
  const isMeant = (one: PageElement): boolean =>
    pane === undefined || one.querySelector('.pane-header .title')?.textContent.trim() === pane;
  const panes = [...document.querySelectorAll(':is(.part.sidebar, .part.panel) .pane')].filter(
    isMeant,
  );
  const elements = panes.flatMap((one) => [...one.querySelectorAll('[role=treeitem]')]);
  return elements.map((element) => {
    const text = (selector: string): string => element.querySelector(selector)?.textContent ?? '';
    const classes = element.querySelector('.custom-view-tree-node-item-icon')?.className ?? '';
    const expanded = element.getAttribute('aria-expanded');
    const row = {
      label: text('.label-name'),
      description: text('.label-description'),
      level: Number(element.getAttribute('aria-level')),
      icon: /codicon-(?!colored|modifier)([\w-]+)/.exec(classes)?.[1] ?? '',
      expanded: expanded === null ? undefined : expanded === 'true',
      selected: element.getAttribute('aria-selected') === 'true',
    };
    return { top: Number.parseInt(element.style.top), row };
  });
}
