import type { ViewerMember, Row, RowSlice, SavedPosition, ToHost, ToPage } from '../../protocol.ts';
import { AnsiColors, applyReadableColors } from './ansiColors.ts';
import { CurrentLine } from './currentLine.ts';
import { Cursor } from './cursor.ts';
import { make } from '../dom.ts';
import { RowFeed } from './rowFeed.ts';
import { ListHeader } from './listHeader.ts';
import { paintSelection } from './renderedRows.ts';
import { listenToKeys } from './listenToKeys.ts';
import { namedMembers, nameWidth } from '../bars/namedMembers.ts';
import { EffectiveSelection } from './effectiveSelection.ts';
import { Pointer } from './pointer.ts';
import { COVERED_ROWS, RowList } from './rowList.ts';
import { drawPlaceholder, drawRow, focusedIn, matchingLink } from './drawRow.ts';
import { TextSelection } from './textSelection.ts';
import type { PageStrings } from '../pageStrings.ts';

/** The rows and all interactions with them: following, reading back, the current row, selecting, and links. */
export class LogPane {
  readonly element: HTMLElement;
  readonly newLines: NewLinesButton;
  readonly effective: EffectiveSelection;
  readonly #parts: LogPaneOptions;
  readonly #colors = new AnsiColors();
  readonly #selection = new TextSelection();
  readonly #feed: RowFeed;
  readonly #cursor: Cursor;
  readonly #current: CurrentLine;
  readonly list: RowList;
  readonly #head: ListHeader;
  #members = namedMembers([]);
  /** The position before the page was reloaded, until its row is known. */
  #lost: SavedPosition | undefined;
  /** The same position, until the page is there again or the user goes elsewhere. */
  #stored: SavedPosition | undefined;

  constructor(parts: LogPaneOptions) {
    this.#parts = parts;
    this.#feed = new RowFeed(parts.post);
    this.#cursor = new Cursor(this.#feed.cache);
    this.#current = new CurrentLine(parts.post);
    const { cache } = this.#feed;
    this.effective = new EffectiveSelection(cache, this.#cursor, this.#selection, parts.post);
    this.#head = new ListHeader(parts.strings, parts.post);
    this.newLines = new NewLinesButton(parts.strings, () => {
      this.list.isFollowing = true;
      this.focus();
    });
    this.list = this.#makeList();
    this.element = make('div', {
      class: 'pane',
      attributes: { role: 'presentation' },
      children: [this.list.element, this.newLines.element],
    });
    this.#listen();
    this.#head.show(this.#feed.extent);
    this.restyle(false);
  }

  /** Row at which a search continues: the current row, or else the first row in view. */
  get searchRow(): number {
    return this.#cursor.index ?? Math.max(0, this.list.position.row);
  }

  /** Row at the top of the view, to find it again after a reload; undefined while the page follows the end. */
  get position(): SavedPosition | undefined {
    const { isFollowing, position } = this.list;
    const row = isFollowing ? undefined : this.#rowAt(Math.max(0, position.row));
    return row ? { id: row.id, moment: row.moment } : this.#stored;
  }

  /** Names of the JSON fields of rows near the view. */
  get fieldNames(): readonly string[] {
    return this.#feed.cache.fieldNames();
  }

  /** Restores the position from before a reload. */
  restore(position: SavedPosition | undefined): void {
    this.#lost = position;
    this.#stored = position;
    if (position) this.list.isFollowing = false;
  }

  applyExtent({ shape, tail }: ExtentMessage): void {
    const hasMoved = this.#feed.applyExtent(shape);
    if (hasMoved) {
      this.#cursor.lose();
      this.newLines.seen(shape.rowCount);
      if (shape.anchor && !this.list.isFollowing) this.list.moveTo(shape.anchor.row);
    }
    if (this.#lost && shape.rowCount > 0) {
      if (shape.anchor) this.list.goTo({ row: shape.anchor.row, offset: 0 });
      else this.list.isFollowing = true;
      this.#lost = undefined;
    }
    this.#head.show(shape);
    if (tail) this.applyRows(shape.generation, tail);
    this.list.schedule();
  }

  applyRows(generation: number, slice: RowSlice): void {
    const near = this.list.isFollowing ? slice.from : this.list.position.row;
    // Redrawing an unchanged row would break interactions in progress: a click, or the focus of a link.
    for (const index of this.#feed.applyRows(generation, slice, near))
      this.list.rendered.redraw(index);
    this.list.schedule();
  }

  applyShift(generation: number, by: number): void {
    this.#feed.applyShift(generation, by);
    this.#cursor.shift(by);
    this.newLines.shift(by);
    this.#head.came();
    this.list.shift(by);
  }

  /** Scrolls to a row and makes it the current row. */
  reveal(row: number, id: number): void {
    this.#stored = undefined;
    this.#cursor.set(row, id);
    this.list.reveal(row, COVERED_ROWS);
    this.list.schedule();
  }

  setMembers(members: readonly ViewerMember[]): void {
    this.#members = namedMembers(members);
    this.list.element.style.setProperty('--name-width', `${nameWidth(this.#members)}ch`);
    this.list.redraw();
  }

  /** Applies a changed theme or style. */
  restyle(isWrapped: boolean): void {
    this.#colors.reset();
    applyReadableColors(this.list.element, this.#colors);
    this.list.restyle(isWrapped);
  }

  /** Requests all rows again because their appearance has changed. */
  refresh(): void {
    this.#feed.refresh();
    this.list.schedule();
  }

  focus(): void {
    this.list.element.focus({ preventScroll: true });
  }

  readonly #rowAt = (index: number): Row | undefined => this.#feed.cache.at(index);

  #makeList(): RowList {
    const { strings, title } = this.#parts;
    const list = new RowList({
      head: this.#head.element,
      draw: this.#draw,
      count: () => this.#feed.extent.rowCount,
      onFrame: this.#onFrame,
    });
    const { element } = list;
    element.tabIndex = 0;
    element.role = 'treegrid';
    element.ariaLabel = strings.get('log', title);
    element.ariaMultiSelectable = 'true';
    element.ariaReadOnly = 'true';
    return list;
  }

  readonly #draw = (line: HTMLElement, index: number): void => {
    const tools = { words: this.#parts.strings, colors: this.#colors, members: this.#members };
    const row = this.#rowAt(index);
    const focused = focusedIn(line);
    if (row) drawRow(line, row, tools);
    else drawPlaceholder(line, index, tools);
    if (focused) (matchingLink(focused, line) ?? this.list.element).focus({ preventScroll: true });
  };

  #listen(): void {
    const shared = {
      list: this.list,
      selection: this.#selection,
      cursor: this.#cursor,
      rowAt: this.#rowAt,
      onSelect: this.#paint,
    };
    new Pointer({ ...shared, onClick: this.#click });
    listenToKeys({ ...shared, effective: this.effective, onOpen: this.#open });
    this.list.element.addEventListener('contextmenu', ({ target }) => {
      this.effective.nameContext(this.list.element, target);
      this.#paint();
    });
  }

  readonly #click = (target: Element, index: number): void => {
    const row = this.#rowAt(index);
    const link = target.closest<HTMLElement>('[data-link]');
    if (!row) return;
    if (link)
      this.#parts.post({ type: 'openLink', id: row.id, index: Number(link.dataset['link']) });
    else if (target.closest('[data-act]')) this.#open(row, undefined);
  };

  readonly #open = ({ id, folded, json }: Row, isOpen: boolean | undefined): void => {
    const before = folded ?? json;
    if (!before || before.isOpen === isOpen) return;
    this.#parts.post({ type: folded ? 'fold' : 'json', id, isOpen: isOpen ?? !before.isOpen });
    this.refresh();
  };

  readonly #onFrame = (first: number, end: number): void => {
    const row = Math.max(0, this.list.position.row);
    if (this.list.isFollowing) {
      this.#feed.follow(this.list.size);
      this.newLines.seen(this.#feed.extent.rowCount);
    } else {
      const top = this.#rowAt(row);
      if (top) this.#stored = undefined;
      this.#feed.want({ from: first, to: end }, top?.id);
      this.#feed.record(row);
    }
    if (!this.#lost) this.#head.check(this.#feed.extent, this.list);
    this.#paint();
    this.#parts.onFrame();
  };

  /** Updates the selection and the current row on the rendered rows. */
  readonly #paint = (): void => {
    const { element, rendered } = this.list;
    const { index } = this.#cursor;
    this.#current.update(this.list, this.#rowAt, index);
    element.setAttribute('aria-rowcount', String(this.#feed.extent.rowCount));
    for (const [row, line] of rendered.lines()) {
      if (line.classList.contains('current') !== (row === index)) line.classList.toggle('current');
    }
    const active = index === undefined ? undefined : rendered.line(index);
    if (active) element.setAttribute('aria-activedescendant', active.id);
    else element.removeAttribute('aria-activedescendant');
    paintSelection(rendered, this.#selection, this.#rowAt);
  };
}

interface LogPaneOptions {
  readonly strings: PageStrings;
  readonly title: string;
  readonly post: (message: ToHost) => void;
  /** Called when the follow state, the number of new lines, or the position may have changed. */
  readonly onFrame: () => void;
}

type ExtentMessage = Extract<ToPage, { type: 'shape' }>;

/** The button that shows how many new lines are below the view, and scrolls to them. */
class NewLinesButton {
  readonly element: HTMLButtonElement;
  readonly #strings: PageStrings;
  readonly #text = make('span');
  #seen = 0;
  #count = 0;

  constructor(words: PageStrings, onClick: () => void) {
    this.#strings = words;
    const icon = make('span', {
      class: 'codicon-arrow-down',
      attributes: { 'aria-hidden': 'true' },
    });
    this.element = make('button', {
      class: 'new-lines',
      title: words.get('toEnd'),
      children: [icon, this.#text],
      onClick,
    });
    this.element.hidden = true;
  }

  /** The label; undefined if the button is hidden. */
  get text(): string | undefined {
    if (this.#count <= 0) return undefined;
    const name = this.#count === 1 ? 'newLine' : 'newLines';
    return this.#strings.get(name, this.#strings.formatCount(this.#count));
  }

  /** Marks all rows up to `rowCount` as seen. */
  seen(rowCount: number): void {
    this.#seen = rowCount;
    this.update(rowCount);
  }

  /** Shifts by rows that were inserted before the rows already seen. */
  shift(by: number): void {
    this.#seen += by;
  }

  /** Updates the number of rows. Returns whether it adds new lines. */
  update(rowCount: number): boolean {
    const count = Math.max(0, rowCount - this.#seen);
    if (count === this.#count) return false;
    this.#count = count;
    this.element.hidden = count === 0;
    this.#text.textContent = this.text ?? '';
    return count > 0;
  }
}
