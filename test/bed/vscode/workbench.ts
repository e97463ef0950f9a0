// The selectors in this folder match VS Code 1.139.1, the version that install.mjs installs.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import type { PageElement } from './dom.ts';
import { Menus } from './menus.ts';
import { Notices } from './notices.ts';
import { OutputPanel } from './output-panel.ts';
import { press, tryOpenMenu, tryPress } from './press.ts';
import { QuickInput } from './quick-input.ts';
import { readRows, type Row } from './rows.ts';
import { exactly } from './exactly.ts';
import { until } from '../until.ts';

const SHOTS = join(import.meta.dirname, '../../../out/shots');

/** A cold start on a busy machine is slow. */
const START_MS = 60_000;

/** Toasts, hovers and menus fade in regardless of `workbench.reduceMotion`. */
const FADE_MS = 300;

const MISSED = 'The click that opens a menu missed.';

/** Inside any window, and not over anything that reacts to hovering. */
const CENTER = [640, 400] as const;

/** Each wheel event scrolls a list by this much, whatever its own delta. */
const WHEEL_PX = 50;

/** Drives VS Code in a browser page as a user does. */
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

  /** Waits until VS Code is usable: activity bar and side bar are visible. */
  async ready(): Promise<void> {
    const timeout = START_MS;
    await this.page.locator('.activitybar .action-item').first().waitFor({ timeout });
    await this.sideBar.waitFor({ timeout });
  }

  /**
   * Waits until VS Code has created what it leaves for a quiet moment after its start. Some of it are providers of
   * lenses, and their arrival makes an open editor forget its lenses until it has the focus again.
   */
  async started(): Promise<void> {
    const mark = 'code/didCreateWorkbenchContributions/4';
    const marks = (): Promise<number> =>
      this.page.evaluate((name) => performance.getEntriesByName(name).length, mark);
    await until(marks, 'all parts of VS Code');
  }

  /** Returns the item of a view container in the activity bar: its icon and its badge. */
  icon(title: string): Locator {
    const label = this.page.locator(`.action-label[aria-label^="${title}"]`);
    return this.page.locator('.activitybar .action-item', { has: label });
  }

  /** Resolves to the number on a view container's icon; '' without one. */
  async badge(title: string): Promise<string> {
    return (await this.icon(title).locator('.badge-content:visible').allInnerTexts()).join('');
  }

  /** Opens a view container by its icon, unless it is already open: a click would close it then. */
  async openView(title: string): Promise<void> {
    const heading = this.sideBar.locator('.composite.title h2');
    // Once VS Code knows the extensions, and has opened what was open before: a click before that would be undone.
    await this.icon(title).waitFor({ timeout: START_MS });
    await heading.filter({ hasText: /./ }).waitFor({ timeout: START_MS });
    const open = async (): Promise<boolean> =>
      ((await heading.textContent()) ?? '').startsWith(title);
    if (await open()) return;
    await press(this.icon(title));
    // Move away before the icon's tooltip appears.
    await this.page.mouse.move(...CENTER);
    await until(open, `view ${title}`);
  }

  /** Returns a view of the open container in the side bar or the panel, including its header. */
  pane(name: string): Locator {
    const title = this.page.locator('.pane-header .title', { hasText: exactly(name) });
    return this.page.locator(':is(.part.sidebar, .part.panel) .pane', { has: title });
  }

  /** Expands or collapses a view. */
  async expand(name: string, isExpanded: boolean): Promise<void> {
    const header = this.pane(name).locator('.pane-header');
    const state = async (): Promise<boolean> =>
      (await header.getAttribute('aria-expanded')) === 'true';
    if ((await state()) === isExpanded) return;
    await press(header.locator('.title'));
    await until(
      async () => (await state()) === isExpanded,
      `view ${name} is ${isExpanded ? 'expanded' : 'collapsed'}`,
    );
  }

  /** Waits for the first row of a view. After a reload, the extension has to start before there is one. */
  async hasRows(pane: string): Promise<void> {
    await this.pane(pane).locator('.monaco-list-row').first().waitFor({ timeout: START_MS });
  }

  /** Returns the row with exactly this label. Only rows in view are in the page: see `reveal`. */
  row(label: string, pane?: string): Locator {
    const name = this.page.locator('.label-name').getByText(label, { exact: true });
    return this.scope(pane).locator('[role=treeitem]').filter({ has: name });
  }

  /** Resolves to the rows in view, from top to bottom. */
  async rows(pane?: string): Promise<Row[]> {
    const rows = await this.page.evaluate(readRows, pane);
    return rows.sort((a, b) => a.top - b.top).map(({ row }) => row);
  }

  /** Scrolls a pane until the row is in view. */
  async reveal(label: string, pane: string): Promise<Locator> {
    const row = this.row(label, pane);
    const list = this.pane(pane).locator('.monaco-list');
    await list.hover();
    const { height = WHEEL_PX } = (await list.boundingBox()) ?? {};
    // Scroll by less than the pane's height, so that no row is skipped.
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

  /** Clicks a row; if there are several, all of them (with Ctrl or Cmd). Each is selected then. */
  async select(...rows: readonly Locator[]): Promise<void> {
    for (const [index, row] of rows.entries()) {
      await press(row.locator('.label-name'), index === 0 ? undefined : 'ControlOrMeta');
      await row.and(this.page.locator('.selected')).waitFor();
    }
  }

  /** Expands or collapses a row, as soon as it has child rows. */
  async toggle(row: Locator): Promise<void> {
    await row.and(this.page.locator('[aria-expanded]')).waitFor();
    const before = await row.getAttribute('aria-expanded');
    await press(row.locator('.monaco-tl-twistie'));
    await until(
      async () => (await row.getAttribute('aria-expanded')) !== before,
      `the toggled row ${String(row)}`,
    );
  }

  /** Drags a row onto another one. */
  async drag(row: Locator, target: Locator): Promise<void> {
    await row.locator('.label-name').hover();
    await this.page.mouse.down();
    // The first move starts the drag. VS Code looks at where the pointer is when it moves over the target.
    for (let times = 0; times < 3; times++)
      await target.locator('.label-name').hover({ force: true });
    await this.page.mouse.up();
  }

  /** Clicks a button that a row shows on hover. */
  async inlineAction(row: Locator, title: string): Promise<void> {
    const button = row.getByRole('button', { name: title, exact: true });
    await until(async () => {
      await row.hover({ timeout: 1000 });
      return tryPress(button);
    }, `inline action ${title}`);
  }

  /** Right-clicks a row and selects an entry; several labels lead through submenus. */
  async contextMenu(row: Locator, ...path: readonly string[]): Promise<void> {
    await this.menus.choose(() => this.rightClick(row), path);
  }

  /** Resolves to the entries of a row's context menu. */
  async contextEntries(row: Locator): Promise<string[]> {
    return this.menus.read(() => this.rightClick(row));
  }

  /** Closes all editors with their keys. None may have unsaved changes. */
  async closeEditors(): Promise<void> {
    const tabs = this.page.locator('.part.editor .tab');
    await until(async () => {
      if ((await tabs.count()) === 0) return true;
      for (const key of ['k', 'w']) await this.page.keyboard.press(`ControlOrMeta+${key}`);
      return false;
    }, 'all editors are closed');
  }

  /**
   * Clicks a button in a view's title; without such a button, selects the entry in the `…` menu. Several labels
   * lead through submenus.
   */
  async titleAction(pane: string, title: string, ...inside: readonly string[]): Promise<void> {
    const own = this.pane(pane).locator('.pane-header');
    await own.waitFor({ state: 'attached' });
    // A view that is alone in the panel has its buttons in the title of the panel.
    const isAlone = (await own.getAttribute('class'))?.split(' ').includes('hidden') === true;
    const header = isAlone ? this.page.locator('.part.panel > .title') : own;
    await header.hover();
    const button = header.getByRole('button', { name: title, exact: true });
    if (!(await button.isVisible()))
      return this.menus.choose(() => this.openMore(header), [title, ...inside]);
    await until(async () => {
      // Without the pointer, the header has no buttons.
      await header.hover({ timeout: 1000 });
      return tryPress(button);
    }, `button ${title} of ${pane}`);
  }

  /** Resolves to the text and buttons of a view's welcome content; '' while the view shows rows. */
  async welcome(pane: string): Promise<string> {
    const texts = await this.pane(pane).locator('.welcome-view-content').allInnerTexts();
    return texts.join('\n').trim();
  }

  /** Resolves to the message above a view's rows (`TreeView.message`); '' without one. */
  async message(pane: string): Promise<string> {
    const texts = await this.pane(pane)
      .locator('.tree-explorer-viewlet-tree-view > .message')
      .allInnerTexts();
    return texts.join('\n').trim();
  }

  /** Resolves to the tooltip of a row, opened by hovering over the row. */
  async tooltip(row: Locator): Promise<string> {
    const hovers = this.page.locator('.workbench-hover-container .monaco-hover');
    // An earlier tooltip belongs to another row. Some never hide: those whose element was repainted under the
    // pointer.
    const hover = hovers.and(this.page.locator(':visible:not([data-before])')).first();
    return until(async () => {
      // Move away first on every attempt: a pointer that rests on the row opens no new hover.
      await this.page.locator('.part.editor').hover({ timeout: 1000 });
      await hovers.evaluateAll((all: PageElement[]) => {
        for (const one of all) one.setAttribute('data-before', '');
      });
      await row.locator('.label-name').hover({ timeout: 1000 });
      await hover.filter({ hasNotText: 'Loading...' }).waitFor({ timeout: 1500 });
      return (await hover.innerText({ timeout: 1000 })).trim();
    }, 'a tooltip');
  }

  /** Resolves to the width of the side bar in pixels; initially 300 in a window of at least 1200. */
  async sideBarWidth(): Promise<number> {
    return (await this.sideBar.boundingBox())?.width ?? 0;
  }

  /** Drags the edge of the side bar. */
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

  /** Saves a screenshot for visual inspection, if `GANTRY_SHOTS` is set. */
  async shot(name: string): Promise<void> {
    if (process.env['GANTRY_SHOTS']) await this.keepShot(name);
  }

  /** Saves a screenshot of the whole window under `out/shots/`; resolves to its path. */
  async keepShot(name: string): Promise<string> {
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
    if (!(await tryOpenMenu(row.locator('.label-name'), 'right'))) throw new Error(MISSED);
  }

  private async openMore(header: Locator): Promise<void> {
    await header.hover({ timeout: 1000 });
    const more = header.getByRole('button', { name: 'More Actions...' });
    if (!(await tryOpenMenu(more, 'left'))) throw new Error(MISSED);
  }
}
