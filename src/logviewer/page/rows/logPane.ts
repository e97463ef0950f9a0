import type { ViewerMember, Row, RowSlice, LogExtent, ToHost, ToPage } from '../../protocol.ts';
import { AnsiColors, applyReadableColors } from './ansiColors.ts';
import { Cursor } from '../input/cursor.ts';
import { make, makeGrid } from '../dom.ts';
import { RowFeed } from './rowFeed.ts';
import { ListHeader } from './listHeader.ts';
import { paintSelection } from './renderedRows.ts';
import type { PageState } from '../host.ts';
import { listenToKeys } from '../input/listenToKeys.ts';
import { namedMembers, nameWidth } from '../bars/namedMembers.ts';
import { NewLinesButton } from './newLinesButton.ts';
import { EffectiveSelection } from '../input/effectiveSelection.ts';
import { Pointer } from '../input/pointer.ts';
import { COVERED_ROWS, RowList } from './rowList.ts';
import { drawPlaceholder, drawRow, focusedIn, matchingLink } from './drawRow.ts';
import { TextSelection } from '../input/textSelection.ts';
import type { PageStrings } from '../pageStrings.ts';

/** The rows, and all that is done on them: following, reading back, the current row, selecting, links. */
export class LogPane {
  readonly element: HTMLElement;
  readonly newLines: NewLinesButton;
  readonly effective: EffectiveSelection;
  readonly #parts: LogPaneOptions;
  readonly #colors = new AnsiColors();
  readonly #selection = new TextSelection();
  readonly #feed: RowFeed;
  readonly #cursor: Cursor;
  readonly #list: RowList;
  readonly #head: ListHeader;
  #members = namedMembers([]);
  /** What was in view before the page was loaded anew, until it is known where that is. */
  #lost: PageState['place'];

  constructor(parts: LogPaneOptions) {
    this.#parts = parts;
    this.#feed = new RowFeed(parts.tell);
    this.#cursor = new Cursor(this.#feed.cache);
    const { cache } = this.#feed;
    this.effective = new EffectiveSelection(cache, this.#cursor, this.#selection, parts.tell);
    this.#head = new ListHeader(parts.strings, parts.tell);
    this.newLines = new NewLinesButton(parts.strings, () => {
      this.toEnd();
      this.focus();
    });
    this.#list = this.#makeList();
    this.element = make('div', {
      class: 'pane',
      attributes: { role: 'presentation' },
      children: [this.#list.element, this.newLines.element],
    });
    this.#listen();
    this.#head.show(this.#feed.extent);
    this.restyle(false);
  }

  get extent(): LogExtent {
    return this.#feed.extent;
  }

  get isFollowing(): boolean {
    return this.#list.isFollowing;
  }

  /** The row a search goes on from: the current one, else the first in view. */
  get searchRow(): number {
    return this.#cursor.index ?? Math.max(0, this.#list.position.row);
  }

  /** What stands at the top, to be found again after a reload; undefined while the end is followed. */
  get position(): PageState['place'] {
    if (this.#list.isFollowing) return undefined;
    const row = this.#rowAt(Math.max(0, this.#list.position.row));
    return row && { id: row.id, moment: row.moment };
  }

  /** The selected text where it is within one row. */
  get selectedText(): string | undefined {
    return this.effective.text;
  }

  /** Names of the JSON fields of lines that are near. */
  get fieldNames(): readonly string[] {
    return this.#feed.cache.fieldNames();
  }

  /** Goes back to what was in view before a reload. */
  restore(place: PageState['place']): void {
    this.#lost = place;
    if (place) this.#list.isFollowing = false;
  }

  takeExtent({ shape, tail }: ExtentMessage): void {
    const hasMoved = this.#feed.take(shape);
    if (hasMoved) {
      this.#cursor.lose();
      this.newLines.seen(shape.rowCount);
      if (shape.anchor && !this.isFollowing) this.#list.moveTo(shape.anchor.row);
    }
    if (this.#lost && shape.rowCount > 0) this.#findPosition(shape);
    this.#head.show(shape);
    if (tail) this.takeRows(shape.generation, tail);
    this.#list.schedule();
  }

  takeRows(generation: number, slice: RowSlice): void {
    const near = this.isFollowing ? slice.from : this.#list.position.row;
    // A row that is drawn anew without need loses what a person has begun on it: a click, the focus of a link.
    for (const index of this.#feed.takeRows(generation, slice, near))
      this.#list.rendered.redraw(index);
    this.#list.schedule();
  }

  takeShift(generation: number, by: number): void {
    this.#feed.takeShift(generation, by);
    this.#cursor.shift(by);
    this.newLines.shift(by);
    this.#head.came();
    this.#list.shift(by);
  }

  /** Shows a row, and makes it the current one. */
  reveal(row: number, id: number): void {
    this.#cursor.set(row, id);
    this.#list.reveal(row, COVERED_ROWS);
    this.#list.schedule();
  }

  setMembers(members: readonly ViewerMember[]): void {
    this.#members = namedMembers(members);
    this.#list.element.style.setProperty('--name-width', `${nameWidth(this.#members)}ch`);
    this.#list.redraw();
  }

  /** The theme or the style has changed. */
  restyle(isWrapped: boolean): void {
    this.#colors.reset();
    applyReadableColors(this.#list.element, this.#colors);
    this.#list.restyle(isWrapped);
  }

  /** All rows look different now: they are fetched anew. */
  refresh(): void {
    this.#feed.refresh();
    this.#list.schedule();
  }

  toEnd(): void {
    this.#list.isFollowing = true;
  }

  stay(): void {
    this.#list.isFollowing = false;
  }

  focus(): void {
    this.#list.element.focus({ preventScroll: true });
  }

  readonly #rowAt = (index: number): Row | undefined => this.#feed.cache.at(index);

  #makeList(): RowList {
    const { strings, title } = this.#parts;
    const list = new RowList({
      head: this.#head.element,
      draw: (line, index) => {
        this.#draw(line, index);
      },
      count: () => this.extent.rowCount,
      onFrame: (first, end) => {
        this.#onFrame(first, end);
      },
    });
    makeGrid(list.element, strings.get('log', title));
    return list;
  }

  #draw(line: HTMLElement, index: number): void {
    const tools = { words: this.#parts.strings, colors: this.#colors, members: this.#members };
    const row = this.#rowAt(index);
    const focused = focusedIn(line);
    if (row) drawRow(line, row, tools);
    else drawPlaceholder(line, index, tools);
    if (focused) (matchingLink(focused, line) ?? this.#list.element).focus({ preventScroll: true });
  }

  #listen(): void {
    const shared = {
      list: this.#list,
      selection: this.#selection,
      rowAt: this.#rowAt,
      onSelect: () => {
        this.#paint();
      },
    };
    new Pointer({
      ...shared,
      onRow: (index) => {
        this.#cursor.set(index);
      },
      onClick: (target, index) => {
        this.#click(target, index);
      },
    });
    listenToKeys({
      ...shared,
      current: () => this.#cursor.index,
      setCurrent: (index) => {
        this.#cursor.set(index);
      },
      onCopy: (withColors) => {
        this.effective.copy(withColors);
      },
      onEnd: () => {
        this.toEnd();
      },
      onOpen: (row, isOpen) => {
        this.#open(row, isOpen);
      },
    });
    this.#list.element.addEventListener('contextmenu', ({ target }) => {
      this.effective.nameContext(this.#list.element, target);
      this.#paint();
    });
  }

  #click(target: Element, index: number): void {
    const row = this.#rowAt(index);
    const link = target.closest<HTMLElement>('[data-link]');
    if (!row) return;
    if (link)
      this.#parts.tell({ type: 'openLink', id: row.id, index: Number(link.dataset['link']) });
    else if (target.closest('[data-act]')) this.#open(row, undefined);
  }

  #open({ id, folded, json }: Row, isOpen: boolean | undefined): void {
    const before = folded ?? json;
    if (!before || before.isOpen === isOpen) return;
    this.#parts.tell({ type: folded ? 'fold' : 'json', id, isOpen: isOpen ?? !before.isOpen });
    this.refresh();
  }

  #findPosition({ anchor }: LogExtent): void {
    if (anchor) this.#list.goTo({ row: anchor.row, offset: 0 });
    else this.toEnd();
    this.#lost = undefined;
  }

  #onFrame(first: number, end: number): void {
    const row = Math.max(0, this.#list.position.row);
    if (this.isFollowing) {
      this.#feed.follow(this.#list.size);
      this.newLines.seen(this.extent.rowCount);
    } else {
      this.#feed.want({ from: first, to: end }, this.#rowAt(row)?.id);
      this.#feed.note(row);
    }
    if (!this.#lost) this.#head.check(this.extent, this.#list);
    this.#paint();
    this.#parts.onFrame();
  }

  /** Draws what is above the rows: the selection and the current row. */
  #paint(): void {
    const { element, rendered } = this.#list;
    const { index } = this.#cursor;
    element.setAttribute('aria-rowcount', String(this.extent.rowCount));
    for (const [row, line] of rendered.lines()) {
      if (line.classList.contains('current') !== (row === index)) line.classList.toggle('current');
    }
    const active = index === undefined ? undefined : rendered.line(index);
    if (active) element.setAttribute('aria-activedescendant', active.id);
    else element.removeAttribute('aria-activedescendant');
    paintSelection(rendered, this.#selection, this.#rowAt);
  }
}

/** What the pane works with. */
export interface LogPaneOptions {
  readonly strings: PageStrings;
  readonly title: string;
  readonly tell: (message: ToHost) => void;
  /** Something that others show may have changed: whether it follows, how many lines are new, the place. */
  readonly onFrame: () => void;
}

type ExtentMessage = Extract<ToPage, { type: 'shape' }>;
