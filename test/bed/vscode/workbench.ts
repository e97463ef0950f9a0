// Selectors hold for VS Code 1.139.1, the version that setup.mjs installs.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import type { PageElement } from './dom.ts';
import { Menus } from './menus.ts';
import { Notices } from './notices.ts';
import { OutputPanel } from './output-panel.ts';
import { QuickInput } from './quick-input.ts';
import { exactly, until } from './until.ts';

export { until } from './until.ts';

/** A tree row as a person sees it. */
export interface Row {
  readonly label: string;
  readonly description: string;
  readonly level: number;
  /** The icon's name: `debug-start`, `circle-filled`, …; '' for none or an image. */
  readonly icon: string;
  readonly expanded: boolean | undefined;
  readonly selected: boolean;
}

const SHOTS = join(import.meta.dirname, '../../../out/shots');

/** A cold start on a busy machine. */
const START_MS = 60_000;

/** Toasts, hovers and menus fade in, whatever `workbench.reduceMotion` says. */
const FADE_MS = 300;

/** One turn of the wheel moves a list by this much, whatever the turn's own size. */
const WHEEL_PX = 50;

/** A person's hands and eyes on VS Code in a browser page. */
export class Workbench {
  readonly page: Page;
  readonly quick: QuickInput;
  readonly output: OutputPanel;
  readonly notices: Notices;
  readonly menus: Menus;
  readonly sideBar: Locator;

  constructor(page: Page) {
    this.page = page;
    this.quick = new QuickInput(page);
    this.output = new OutputPanel(page);
    this.notices = new Notices(page);
    this.menus = new Menus(page);
    this.sideBar = page.locator('.part.sidebar');
  }

  /** Waits until VS Code is there for a person: side bar, icons, and the palette's key. */
  async ready(): Promise<void> {
    const timeout = START_MS;
    await this.page.locator('.activitybar .action-item').first().waitFor({ timeout });
    await this.sideBar.waitFor({ timeout });
  }

  /** A view container's place in the activity bar: its icon and its badge. */
  icon(title: string): Locator {
    const label = this.page.locator(`.action-label[aria-label^="${title}"]`);
    return this.page.locator('.activitybar .action-item', { has: label });
  }

  /** The number on a view container's icon; '' without one. */
  async badge(title: string): Promise<string> {
    return (await this.icon(title).locator('.badge-content:visible').allInnerTexts()).join('');
  }

  /** Opens a view container by its icon, unless it is the open one: a click would close it then. */
  async openView(title: string): Promise<void> {
    const heading = this.sideBar.locator('.composite.title h2');
    await this.icon(title).waitFor();
    await until(async () => {
      const open = async (): Promise<boolean> =>
        (await heading.isVisible()) && ((await heading.textContent()) ?? '').startsWith(title);
      if (await open()) return true;
      await this.icon(title).click({ timeout: 1000 });
      return until(open, `side bar ${title}`, 1000);
    }, `view ${title}`);
  }

  /** A view of the open container, heading and all. */
  pane(name: string): Locator {
    const title = this.page.locator('.pane-header .title', { hasText: exactly(name) });
    return this.sideBar.locator('.pane', { has: title });
  }

  /** The row whose label is exactly this. Only rows scrolled into view are in the page: see `reveal`. */
  row(label: string, pane?: string): Locator {
    const name = this.page.locator('.label-name').getByText(label, { exact: true });
    return this.scope(pane).locator('[role=treeitem]').filter({ has: name });
  }

  /** The rows in view, from top to bottom. */
  async rows(pane?: string): Promise<Row[]> {
    const rows = await this.scope(pane).locator('[role=treeitem]').evaluateAll(readRows);
    return rows.sort((a, b) => a.top - b.top).map(({ row }) => row);
  }

  /** Scrolls a pane until the row is in view. */
  async reveal(label: string, pane: string): Promise<Locator> {
    const row = this.row(label, pane);
    const list = this.pane(pane).locator('.monaco-list');
    await list.hover();
    const { height = WHEEL_PX } = (await list.boundingBox()) ?? {};
    // Less than the pane's height at a time, so that no row is skipped.
    const turns = Math.max(1, Math.floor(height / WHEEL_PX) - 1);
    await until(async () => {
      await this.turnWheel(-turns);
      return list.locator('[data-index="0"]').isVisible();
    }, `the first row of ${pane}`);
    await until(async () => {
      if (await row.isVisible()) return true;
      await this.turnWheel(turns);
      return false;
    }, `row ${label}`);
    await row.scrollIntoViewIfNeeded();
    return row;
  }

  /** Selects a row; with more than one, all of them (Ctrl or Cmd held). */
  async select(...rows: readonly Locator[]): Promise<void> {
    for (const [index, row] of rows.entries()) {
      const name = row.locator('.label-name');
      await name.click(index === 0 ? {} : { modifiers: ['ControlOrMeta'] });
    }
  }

  /** Opens or closes a row, once it has rows of its own. */
  async toggle(row: Locator): Promise<void> {
    await row.and(this.page.locator('[aria-expanded]')).waitFor();
    await row.locator('.monaco-tl-twistie').click();
  }

  /** Presses a button that a row shows under the pointer. */
  async inlineAction(row: Locator, title: string): Promise<void> {
    await until(async () => {
      await row.hover({ timeout: 1000 });
      await row.getByRole('button', { name: title, exact: true }).click({ timeout: 1000 });
      return true;
    }, `inline action ${title}`);
  }

  /** Titles of the buttons that a row shows under the pointer. */
  async inlineActions(row: Locator): Promise<string[]> {
    await row.hover();
    const buttons = row.getByRole('button');
    return buttons.evaluateAll((all: PageElement[]) =>
      all.map((one) => one.getAttribute('aria-label') ?? ''),
    );
  }

  /** Right-clicks a row and chooses an entry; more labels go through submenus. */
  async contextMenu(row: Locator, ...path: readonly string[]): Promise<void> {
    await this.menus.choose(() => this.rightClick(row), path);
  }

  /** The entries of a row's context menu. */
  async contextEntries(row: Locator): Promise<string[]> {
    return this.menus.read(() => this.rightClick(row));
  }

  /**
   * Presses a button in a view's title; looks behind `…` when there is no such button, and there through submenus
   * where there are several labels.
   */
  async titleAction(pane: string, title: string, ...inside: readonly string[]): Promise<void> {
    const header = this.pane(pane).locator('.pane-header');
    await header.hover();
    const button = header.getByRole('button', { name: title, exact: true });
    if (await button.isVisible()) return button.click();
    await this.menus.choose(() => this.openMore(header), [title, ...inside]);
  }

  /** Text and buttons of a view's welcome content; '' while it shows rows. */
  async welcome(pane: string): Promise<string> {
    const texts = await this.pane(pane).locator('.welcome-view-content').allInnerTexts();
    return texts.join('\n').trim();
  }

  /** The message above a view's rows (`TreeView.message`); '' without one. */
  async message(pane: string): Promise<string> {
    const texts = await this.pane(pane)
      .locator('.tree-explorer-viewlet-tree-view > .message')
      .allInnerTexts();
    return texts.join('\n').trim();
  }

  /** The tooltip of a row, read by resting the pointer on it. */
  async tooltip(row: Locator): Promise<string> {
    const hovers = this.page.locator('.workbench-hover-container .monaco-hover');
    // One that stood before is not of this row. Some never hide: those whose element was painted anew under the pointer.
    const hover = hovers.and(this.page.locator(':visible:not([data-before])')).first();
    return until(async () => {
      // Away first, and again: a pointer that rests there already makes no new hover.
      await this.page.locator('.part.editor').hover({ timeout: 1000 });
      await hovers.evaluateAll((all: PageElement[]) => {
        for (const one of all) one.setAttribute('data-before', '');
      });
      await row.locator('.label-name').hover({ timeout: 1000 });
      await hover.filter({ hasNotText: 'Loading...' }).waitFor({ timeout: 1500 });
      return (await hover.innerText({ timeout: 1000 })).trim();
    }, 'a tooltip');
  }

  /** The side bar's width in pixels; 300 at first in a window of 1200 or more. */
  async sideBarWidth(): Promise<number> {
    return (await this.sideBar.boundingBox())?.width ?? 0;
  }

  /** Drags the side bar's edge. */
  async setSideBarWidth(width: number): Promise<void> {
    await until(async () => {
      const box = await this.sideBar.boundingBox();
      if (!box) return false;
      if (Math.round(box.width) === width) return true;
      const y = box.y + box.height / 2;
      await this.page.mouse.move(box.x + box.width, y);
      await this.page.mouse.down();
      await this.page.mouse.move(box.x + width, y, { steps: 5 });
      await this.page.mouse.up();
      return false;
    }, `a side bar of ${width} px`);
  }

  /** Keeps a picture of the whole window under `out/shots/`; gives its path. */
  async shot(name: string): Promise<string> {
    const path = join(SHOTS, `${name}.png`);
    mkdirSync(join(path, '..'), { recursive: true });
    await this.page.waitForTimeout(FADE_MS);
    await this.page.screenshot({ path });
    return path;
  }

  private scope(pane: string | undefined): Locator {
    return pane === undefined ? this.sideBar : this.pane(pane);
  }

  private async turnWheel(turns: number): Promise<void> {
    for (let left = Math.abs(turns); left > 0; left--) {
      await this.page.mouse.wheel(0, Math.sign(turns) * WHEEL_PX);
    }
  }

  private async rightClick(row: Locator): Promise<void> {
    await row.locator('.label-name').click({ button: 'right', timeout: 1000 });
  }

  private async openMore(header: Locator): Promise<void> {
    await header.hover({ timeout: 1000 });
    await header.getByRole('button', { name: 'More Actions...' }).click({ timeout: 1000 });
  }
}

/** Runs in the page, so it must not name anything from outside itself. */
function readRows(elements: PageElement[]): { top: number; row: Row }[] {
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
