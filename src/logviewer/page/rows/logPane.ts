import type { MemberShown, Row, Shape, ToHost, ToPage } from '../../protocol.ts';
import { Anchor } from './anchor.ts';
import { AnsiColors } from './colors.ts';
import { Copying } from '../input/copying.ts';
import { Cursor } from '../input/cursor.ts';
import { make, makeGrid } from '../dom.ts';
import { Feed } from './feed.ts';
import { Head } from './head.ts';
import { paintSelection } from './highlight.ts';
import type { Kept } from '../host.ts';
import { listenToKeys } from '../input/keyboard.ts';
import { setLegible } from './legible.ts';
import { namedMembers, nameWidth } from '../bars/memberNames.ts';
import { NewLines } from './newLines.ts';
import { Older } from './older.ts';
import { Picked } from '../input/picked.ts';
import { Pointer } from '../input/pointer.ts';
import { COVERED_ROWS, RowList } from './rowList.ts';
import { drawPlaceholder, drawRow, focusedIn, linkLike } from './rowView.ts';
import { Selection } from '../input/selection.ts';
import type { Words } from '../words.ts';

/** What the pane works with. */
export interface PaneParts {
  readonly words: Words;
  readonly title: string;
  readonly tell: (message: ToHost) => void;
  /** Something that others show may have changed: whether it follows, how many lines are new, the place. */
  readonly onFrame: () => void;
}

type RowsMessage = Extract<ToPage, { type: 'rows' }>;

/** The rows, and all that is done on them: following, reading back, the current row, selecting, links. */
export class LogPane {
  readonly element: HTMLElement;
  readonly newLines: NewLines;
  readonly copying: Copying;
  readonly #parts: PaneParts;
  readonly #colors = new AnsiColors();
  readonly #selection = new Selection();
  readonly #feed: Feed;
  readonly #cursor: Cursor;
  readonly #list: RowList;
  readonly #head: Head;
  readonly #picked: Picked;
  readonly #older: Older;
  readonly #anchor: Anchor;
  #members = namedMembers([]);
  /** What was in view before the page was loaded anew, until it is known where that is. */
  #lost: Kept['place'];

  constructor(parts: PaneParts) {
    this.#parts = parts;
    this.#feed = new Feed(parts.tell);
    this.#older = new Older(parts.tell);
    this.#anchor = new Anchor(this.#feed);
    this.#cursor = new Cursor(this.#feed.cache);
    this.#picked = new Picked(this.#feed.cache, this.#cursor, this.#selection);
    this.copying = new Copying(this.#picked, parts.tell);
    this.#head = new Head(parts.words, () => {
      parts.tell({ type: 'older' });
    });
    this.newLines = new NewLines(parts.words, () => {
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
    this.#head.show(this.#feed.shape);
    this.restyle(false);
  }

  get shape(): Shape {
    return this.#feed.shape;
  }

  get isFollowing(): boolean {
    return this.#list.isFollowing;
  }

  /** The row a search goes on from: the current one, else the first in view. */
  get searchRow(): number {
    return this.#cursor.index ?? Math.max(0, this.#list.place.row);
  }

  /** What stands at the top, to be found again after a reload; undefined while the end is followed. */
  get place(): Kept['place'] {
    if (this.#list.isFollowing) return undefined;
    const row = this.#rowAt(Math.max(0, this.#list.place.row));
    return row && { id: row.id, moment: row.moment };
  }

  /** The selected text where it is within one row. */
  get selectedText(): string | undefined {
    return this.#picked.text;
  }

  /** Names of the JSON fields of lines that are near. */
  get fieldNames(): readonly string[] {
    return this.#feed.cache.fieldNames();
  }

  /** Goes back to what was in view before a reload. */
  restore(place: Kept['place']): void {
    this.#lost = place;
    if (place) this.#list.isFollowing = false;
  }

  takeShape(shape: Shape): void {
    const hasMoved = this.#feed.take(shape);
    if (hasMoved) {
      this.#cursor.lose();
      this.newLines.seen(shape.rowCount);
      if (shape.anchor && !this.isFollowing) this.#list.moveTo(shape.anchor.row);
    }
    if (this.#lost && shape.rowCount > 0) this.#findPlace(shape);
    this.#head.show(shape);
    this.#list.schedule();
  }

  takeRows({ generation, from, rows }: RowsMessage): void {
    const near = this.#list.place.row;
    // A row that is drawn anew without need loses what a person has begun on it: a click, the focus of a link.
    for (const index of this.#feed.takeRows(generation, from, rows, near))
      this.#list.band.redraw(index);
    this.#list.schedule();
  }

  takeShift(generation: number, by: number): void {
    this.#feed.takeShift(generation, by);
    this.#cursor.shift(by);
    this.newLines.shift(by);
    this.#older.came();
    this.#list.shift(by);
  }

  /** Shows a row, and makes it the current one. */
  reveal(row: number, id: number): void {
    this.#cursor.set(row, id);
    this.#list.reveal(row, COVERED_ROWS);
    this.#list.schedule();
  }

  setMembers(members: readonly MemberShown[]): void {
    this.#members = namedMembers(members);
    this.#list.element.style.setProperty('--name-width', `${nameWidth(this.#members)}ch`);
    this.#list.redraw();
  }

  /** The theme or the style has changed. */
  restyle(isWrapped: boolean): void {
    this.#colors.reset();
    setLegible(this.#list.element, this.#colors);
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
    const { words, title } = this.#parts;
    const list = new RowList({
      head: this.#head.element,
      draw: (line, index) => {
        this.#draw(line, index);
      },
      count: (isFollowing) => (isFollowing ? this.#feed.settled : this.#feed.shape.rowCount),
      onFrame: (first, end) => {
        this.#onFrame(first, end);
      },
    });
    makeGrid(list.element, words.say('log', title));
    return list;
  }

  #draw(line: HTMLElement, index: number): void {
    const tools = { words: this.#parts.words, colors: this.#colors, members: this.#members };
    const row = this.#rowAt(index);
    const focused = focusedIn(line);
    if (row) drawRow(line, row, tools);
    else drawPlaceholder(line, index, tools);
    if (focused) (linkLike(focused, line) ?? this.#list.element).focus({ preventScroll: true });
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
        this.copying.copy(withColors);
      },
      onEnd: () => {
        this.toEnd();
      },
      onOpen: (row, isOpen) => {
        this.#open(row, isOpen);
      },
    });
    this.#list.element.addEventListener('contextmenu', ({ target }) => {
      this.#picked.nameContext(this.#list.element, target);
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

  #findPlace({ anchor }: Shape): void {
    if (anchor) this.#list.goTo({ row: anchor.row, offset: 0 });
    else this.toEnd();
    this.#lost = undefined;
  }

  #onFrame(first: number, end: number): void {
    const { rowCount } = this.shape;
    const ahead = this.isFollowing ? rowCount - end : 0;
    const anchor = this.#rowAt(Math.max(0, this.#list.place.row))?.id;
    const size = Math.max(end - first, this.#list.page);
    const to = end + ahead;
    const stretch = this.isFollowing ? { from: to - size, to } : { from: first, to: end };
    this.#feed.want(stretch, anchor, this.isFollowing);
    this.#anchor.note(Math.max(0, this.#list.place.row));
    if (!this.#lost) this.#older.look(this.shape, this.#list);
    this.#paint();
    if (this.isFollowing) this.newLines.seen(rowCount);
    this.#parts.onFrame();
  }

  /** Draws what is above the rows: the selection and the current row. */
  #paint(): void {
    const { element, band } = this.#list;
    const { index } = this.#cursor;
    element.setAttribute('aria-rowcount', String(this.shape.rowCount));
    for (const [row, line] of band.lines()) {
      if (line.classList.contains('current') !== (row === index)) line.classList.toggle('current');
    }
    const active = index === undefined ? undefined : band.line(index);
    if (active) element.setAttribute('aria-activedescendant', active.id);
    else element.removeAttribute('aria-activedescendant');
    paintSelection(band, this.#selection, this.#rowAt);
  }
}
